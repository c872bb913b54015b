"""Relevance as a language model grades it: one short request a text, the grade 0 to 3 as JSON under a schema.

Pointwise grading (as in Thomas et al., SIGIR 2024, for relevance judgements). Requests are independent, so they run at once and in any
order; ties between equal grades are left to whoever uses the scores (`rerank` with a weight below 1 breaks them by the retriever's score).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.errors import ModelError
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt

HIGHEST = 3
SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "integer", "minimum": 0, "maximum": HIGHEST}},
    "required": ["grade"],
    "additionalProperties": False,
}
# Room for the JSON and the white space that small models put in it.
REPLY_TOKENS = 24
# Below every grade: what could not be judged is not put before what was.
UNGRADED = -1.0


@dataclass(frozen=True, slots=True)
class LLMScorer:
    """Grades texts by `llm`. A text whose request fails, or whose reply has no grade, is ungraded (-1) and counted as a fallback."""

    llm: LLM

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Grades from 0 to 3, one a text; raises the model's error when no text at all could be graded."""
        prompt = _prompt()
        requests = [
            prompt.request({"question": question, "passage": text}, max_tokens=REPLY_TOKENS, schema=SCHEMA)
            for text in texts
        ]
        outcomes = self.llm.complete(requests)
        failures = [outcome for outcome in outcomes if isinstance(outcome, ModelError)]
        if failures and len(failures) == len(outcomes):
            raise failures[0]
        if failures:
            trace.fallback("score_llm.failed", len(failures))
        return np.array([_grade(o) if isinstance(o, Reply) else UNGRADED for o in outcomes], np.float32)


def _grade(reply: Reply) -> float:
    try:
        grade = json.loads(reply.text)["grade"]
    except (ValueError, KeyError, TypeError):
        grade = None
    if isinstance(grade, bool) or not isinstance(grade, int | float) or not 0 <= grade <= HIGHEST:
        trace.fallback("score_llm.reply")
        return UNGRADED
    return float(grade)


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.retrieve", "score_llm", ("question", "passage"))
