"""Conflict detection: precision, recall and F1 over unordered pairs of documents that disagree.

P = |D ∩ G| / |D|, R = |D ∩ G| / |G|, F1 their harmonic mean, with D the pairs a system reports and G the labelled ones. Sum the
counts over questions (`add`) for the micro average, which is what is reported: most questions have one pair or none.

Edge cases. No pair reported and none labelled: P = R = F1 = 1 (nothing missed, nothing invented) for that question, and it adds
nothing to the micro counts. A document paired with itself is an error of the caller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from decoct.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class Detection:
    """Counts of pairs: reported and labelled, reported only, labelled only."""

    hits: int = 0
    false_alarms: int = 0
    misses: int = 0

    def add(self, other: Detection) -> Detection:
        """The counts of both."""
        return Detection(self.hits + other.hits, self.false_alarms + other.false_alarms, self.misses + other.misses)

    @property
    def precision(self) -> float:
        """Share of the reported pairs that are labelled; 1 if nothing was reported and nothing labelled."""
        return _share(self.hits, self.false_alarms, self.misses)

    @property
    def recall(self) -> float:
        """Share of the labelled pairs that were reported; 1 if nothing was reported and nothing labelled."""
        return _share(self.hits, self.misses, self.false_alarms)

    @property
    def f1(self) -> float:
        """The harmonic mean: 2 hits / (2 hits + false alarms + misses)."""
        total = 2 * self.hits + self.false_alarms + self.misses
        return 2 * self.hits / total if total else 1.0


def _share(hits: int, others: int, opposite: int) -> float:
    if hits + others:
        return hits / (hits + others)
    return 0.0 if opposite else 1.0


def conflict_detection(reported: Iterable[tuple[str, str]], labelled: Iterable[tuple[str, str]]) -> Detection:
    """The counts for one question; each pair counts once in either order."""
    found, gold = _pairs(reported), _pairs(labelled)
    return Detection(len(found & gold), len(found - gold), len(gold - found))


def _pairs(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    made = {frozenset(pair) for pair in pairs}
    if any(len(pair) != 2 for pair in made):
        raise EvaluationError("a conflict is between two different documents; a pair names one twice")
    return made
