"""A language model judges whether an answer is correct, as in the recall-oriented paper (Table 11; appendix A.2 for long answers).

The model sees question, key and answer, and returns verdict, confidence and reason under a JSON schema. It is asked at
temperature 0 with a fixed seed. The reason comes before the verdict, so that the verdict can follow from it (the paper asks in
the other order). An empty answer is incorrect without asking.

A judgement that fails (the model cannot be reached, or its reply is not the JSON asked for) is neither right nor wrong: it is
returned as its error, counted in the trace as `judge.failed`, and left out of the accuracy, whose record says how many there
were. The judge's model is part of the measure: pin it (`pinned`), and compare figures only between runs of the same model and
prompt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from decoct import trace
from decoct.errors import EvaluationError, ModelError, ReplyError
from decoct.evaluate.dataset_types import Question
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "verdict": {"enum": ["CORRECT", "INCORRECT"]},
        "confidence": {"enum": ["HIGH", "MEDIUM", "LOW"]},
    },
    "required": ["reason", "verdict", "confidence"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class AnswerToJudge:
    """One answer to judge: `groups` is the key, any string of a group being enough and every group wanted (`Question.groups`)."""

    question: str
    groups: tuple[tuple[str, ...], ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one answer."""

    correct: bool
    confidence: Literal["HIGH", "MEDIUM", "LOW"]
    reason: str


@dataclass(frozen=True, slots=True)
class JudgementCounts:
    """Judgements counted: n cases, of which `failed` could not be judged."""

    n: int
    correct: int
    failed: int

    @property
    def accuracy(self) -> float | None:
        """Correct / judged; None if none could be judged."""
        return self.correct / (self.n - self.failed) if self.n > self.failed else None


@dataclass(frozen=True, slots=True)
class CorrectnessJudge:
    """Judges with `llm`; with `pinned` it refuses to work with any other model than the one of that fingerprint."""

    llm: LLM
    pinned: str = ""
    max_tokens: int = 256  # two sentences and the fields

    def __post_init__(self) -> None:
        if self.pinned and self.pinned != self.llm.fingerprint:
            raise EvaluationError(
                f"the judge is pinned to {self.pinned!r}, but the model is {self.llm.fingerprint!r}; "
                "use that model, or pin the new one and judge everything anew"
            )

    def record(self) -> dict[str, str]:
        """What a run must keep beside the judge's figures."""
        return {"judge": self.llm.fingerprint, "prompt": _prompt().fingerprint}

    def verdicts(self, answered: Sequence[tuple[Question, str]]) -> list[float | None]:
        """See `decoct.evaluate.answers.Judge.verdicts`."""
        outcomes = self.judge([AnswerToJudge(one.question, one.groups, answer) for one, answer in answered])
        return [float(one.correct) if isinstance(one, Judgement) else None for one in outcomes]

    def judge(self, cases: Sequence[AnswerToJudge]) -> list[Judgement | ModelError]:
        """One outcome a case, in order; a failed one is its error."""
        asked = [i for i, case in enumerate(cases) if case.answer.strip()]
        prompt = _prompt()
        replies = self.llm.complete(
            [prompt.request({"case": _json(cases[i])}, max_tokens=self.max_tokens, schema=SCHEMA) for i in asked]
        )
        outcomes: list[Judgement | ModelError] = [Judgement(False, "HIGH", "The answer is empty.")] * len(cases)
        for i, reply in zip(asked, replies, strict=True):
            outcomes[i] = _judgement(reply)
        if failed := sum(isinstance(outcome, ModelError) for outcome in outcomes):
            trace.fallback("judge.failed", failed)
        return outcomes


def tally(outcomes: Sequence[Judgement | ModelError]) -> JudgementCounts:
    """The counts of `outcomes`."""
    correct = sum(isinstance(outcome, Judgement) and outcome.correct for outcome in outcomes)
    return JudgementCounts(len(outcomes), correct, sum(isinstance(outcome, ModelError) for outcome in outcomes))


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.judges", "correctness", {"case"})


def _json(case: AnswerToJudge) -> str:
    if not case.groups or not all(case.groups):
        raise EvaluationError(
            f"there is no key to judge the answer to {case.question!r} by; leave the question out and count it"
        )
    data = {"question": case.question, "key": case.groups, "answer": case.answer}
    return json.dumps(data, ensure_ascii=False, indent=1)


def _judgement(reply: Reply | ModelError) -> Judgement | ModelError:
    if isinstance(reply, ModelError):
        return reply
    try:
        data = json.loads(conform(reply.text, SCHEMA))
    except ReplyError as error:
        return error
    return Judgement(data["verdict"] == "CORRECT", data["confidence"], data["reason"].strip())
