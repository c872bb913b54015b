"""A second reading: whether a passage, with its place, says a claim that was read in it. The decision over claims asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from decoct.errors import ProvenanceError


@dataclass(frozen=True, slots=True)
class ClaimToRead:
    """`words` that may answer a `question`, said by characters `start` to `end` of `text`.

    `title` is what stands over the text: title and headings.
    """

    question: str
    words: str
    text: str
    start: int
    end: int
    title: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.text):
            raise ProvenanceError(f"a claim needs 0 <= start < end <= {len(self.text)}, not {self.start}..{self.end}")


class SecondReader(Protocol):
    """Judges claims one by one: a judgement depends on its claim alone. Thread-safe, deterministic."""

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def entailed(self, claims: Sequence[ClaimToRead]) -> list[float]:
        """How likely each claim is said, from 0 to 1, in their order."""
