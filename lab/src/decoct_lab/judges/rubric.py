"""A language model scores a context by the rubric of CASC, Table III: coherence, completeness, faithfulness, concision, 1 to 5.

The paper had people do this; a model that stands in for them is a different measure, so its name and prompt are recorded and only figures
of the same judge may be compared. It sees the question and the context, not which system made it. A judgement that fails is left out of the
means and counted (`judge.failed`).
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct import trace
from decoct.errors import ModelError, ReplyError
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform

QUALITIES = ("coherence", "completeness", "faithfulness", "concision")
_MARK = {"type": "integer", "minimum": 1, "maximum": 5}
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, **dict.fromkeys(QUALITIES, _MARK)},
    "required": ["reason", *QUALITIES],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ShownCase:
    """What the judge sees of one case."""

    question: str
    context: str


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """Scores with `llm` at temperature 0."""

    llm: LLM
    max_tokens: int = 256

    def record(self) -> dict[str, str]:
        """What a run must keep beside the judge's figures."""
        return {"judge": self.llm.fingerprint, "prompt": _prompt().fingerprint}

    def judge(self, shown: Sequence[ShownCase]) -> list[Mapping[str, int] | ModelError]:
        """The marks of each case by quality, in order; a failed one is its error."""
        replies = self.llm.complete(
            [_prompt().request({"case": _case(one)}, max_tokens=self.max_tokens, schema=SCHEMA) for one in shown]
        )
        outcomes = [_marks(reply) for reply in replies]
        if failed := sum(isinstance(outcome, ModelError) for outcome in outcomes):
            trace.fallback("judge.failed", failed)
        return outcomes


def means(outcomes: Sequence[Mapping[str, int] | ModelError]) -> dict[str, float | int]:
    """The mean of each quality over the cases that could be judged, with their number `n` and that of the `failed`."""
    marks = [outcome for outcome in outcomes if not isinstance(outcome, ModelError)]
    found: dict[str, float | int] = {"n": len(marks), "failed": len(outcomes) - len(marks)}
    if marks:
        found |= {quality: round(statistics.mean(mark[quality] for mark in marks), 2) for quality in QUALITIES}
    return found


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.judges", "rubric", {"case"})


def _case(shown: ShownCase) -> str:
    return json.dumps({"question": shown.question, "context": shown.context}, ensure_ascii=False, indent=1)


def _marks(reply: Reply | ModelError) -> Mapping[str, int] | ModelError:
    if isinstance(reply, ModelError):
        return reply
    try:
        data: dict[str, Any] = json.loads(conform(reply.text, SCHEMA))
    except ReplyError as error:
        return error
    return {quality: int(data[quality]) for quality in QUALITIES}
