"""What a judge of answers is handed and gives back; the judges themselves are the laboratory's (`decoct_lab.judges`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from decoct.errors import ModelError


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


class Judge(Protocol):
    """Says whether answers are right, where strings cannot."""

    def record(self) -> Mapping[str, str]:
        """What a run must keep beside the judge's figures: its model (`judge`) and its prompt's fingerprint (`prompt`)."""

    def judge(self, cases: Sequence[AnswerToJudge]) -> Sequence[Judgement | ModelError]:
        """One outcome a case, in order; a failed one is its error."""
