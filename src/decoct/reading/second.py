"""A second reading: whether a statement of a passage, with its place, answers a question. The decision over claims asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from decoct.errors import ProvenanceError


@dataclass(frozen=True, slots=True)
class StatementToRead:
    """What characters `start` to `end` of `text` say to a `question`; `title` is what stands over the text: title and headings."""

    question: str
    text: str
    start: int
    end: int
    title: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.text):
            raise ProvenanceError(
                f"a statement needs 0 <= start < end <= {len(self.text)}, not {self.start}..{self.end}"
            )


@dataclass(frozen=True, slots=True)
class SecondReading:
    """How likely the statement answers the question, says yes to it, says no to it; each from 0 to 1."""

    answers: float
    yes: float = 0.0
    no: float = 0.0

    def of(self, words: str) -> float:
        """How likely it says `words`: "yes", "no", or else an answer."""
        return {"yes": self.yes, "no": self.no}.get(words, self.answers)


class SecondReader(Protocol):
    """Judges statements one by one: a judgement depends on its statement alone. Thread-safe, deterministic."""

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        """What each statement says to its question, in their order."""
