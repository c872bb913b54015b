"""Any language model as a reader of passages, by the schema `{"answer": string or null}`, one call a passage.

The answer's words are looked up in the passage (white space and case aside), so a span is always the passage's own; words that do not
stand there are no answer (counted as a fallback). The model says nothing of probabilities: an answer counts 1, null 0, and the sentences
that hold the answer are its evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import LLM, Reply, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct.reading.base import AnswerSpan, Readable, Reading, SentenceRelevance, Verdict
from decoct.text.questions import asks_yes_or_no
from decoct.text.sentences import sentences

SCHEMA: Schema = {
    "type": "object",
    "properties": {"answer": {"type": ["string", "null"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_LONGEST = 160  # tokens of a reply
_NO = re.compile(r"\b(?:no|not|never|none|without|cannot|\w+n't)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LanguageModelReader:
    """Reads with `llm`. A passage whose call fails reads as silent, which the trace counts ("reading.failed")."""

    llm: LLM

    @property
    def fingerprint(self) -> str:
        """The model's own, and the prompt's."""
        return f"reader-llm:{self.llm.fingerprint}:{_prompt().fingerprint}"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order."""
        requests = [
            _prompt().request(
                {"title": passage.title, "passage": passage.text, "question": question},
                max_tokens=_LONGEST,
                schema=SCHEMA,
            )
            for passage in passages
        ]
        outcomes = self.llm.complete(requests) if requests else []
        yes_or_no = asks_yes_or_no(question)
        return [
            _reading(passage.text, outcome, yes_or_no=yes_or_no)
            for passage, outcome in zip(passages, outcomes, strict=True)
        ]


def _reading(text: str, outcome: Reply | ModelError, *, yes_or_no: bool) -> Reading:
    spans = _found(text, outcome)
    return Reading(
        spans=spans,
        answers=1.0 if spans else 0.0,
        relevance=1.0 if spans else 0.0,
        sentences=tuple(
            SentenceRelevance(start, end, 1.0 if any(s.start < end and start < s.end for s in spans) else 0.0)
            for start, end in sentences(text)
        ),
        verdict=_verdict(text, spans) if yes_or_no else "neither",
    )


def _found(text: str, outcome: Reply | ModelError) -> tuple[AnswerSpan, ...]:
    if isinstance(outcome, ModelError):
        trace.fallback("reading.failed")
        return ()
    try:
        answer = json.loads(outcome.text)["answer"]
    except (json.JSONDecodeError, KeyError, TypeError):
        trace.fallback("reading.malformed")
        return ()
    words = answer.split() if isinstance(answer, str) else []
    if not words or [word.lower() for word in words] == ["null"]:
        return ()
    match = re.search(r"\s+".join(re.escape(word) for word in words), text, re.IGNORECASE)
    if match is None:
        trace.fallback("reading.not_in_the_passage")
        return ()
    return (AnswerSpan(match.start(), match.end(), 1.0),)


def _verdict(text: str, spans: Sequence[AnswerSpan]) -> Verdict:
    if not spans:
        return "neither"
    return "no" if _NO.search(text[spans[0].start : spans[0].end]) else "yes"


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.reading", "short_answer", ("title", "passage", "question"))
