"""A second reading: whether a passage, with its place, says a claim that was read in it. The decision over claims asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ClaimToRead:
    """A `question`, the `words` that may answer it, their `sentence`, and what stands over that: `title` and headings, joined."""

    question: str
    words: str
    sentence: str
    title: str


class SecondReader(Protocol):
    """Judges claims one by one: a judgement depends on its claim alone. Thread-safe, deterministic."""

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def entailed(self, claims: Sequence[ClaimToRead]) -> list[float]:
        """How likely each claim is said, from 0 to 1, in their order."""
