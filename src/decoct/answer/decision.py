"""Whether what was found is claimed, shown, or not there at all: the one place that decides.

`certainty` makes a probability of the evidence of a claim; with `sure` it is claimed, with `faint` the passages are shown. What is said of
another thing than the question names is never claimed. A calibrator is one more `Certainty`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.quoted import FoundWords
from decoct.data import Outcome
from decoct.reading.base import logistic


class Certainty(Protocol):
    """How likely a claim is right, by its evidence."""

    @property
    def fingerprint(self) -> str:
        """A stable name of what is made of the evidence."""

    def probability(self, evidence: ClaimEvidence) -> float:
        """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class ReaderCertainty:
    """What the reader says, less where the sentence and what stands over it speak of little that the question does.

    `spoken` is what that is worth at the most, in log-odds.
    """

    spoken: float = 1.5

    @property
    def fingerprint(self) -> str:
        """The reader's word, and what coverage is worth."""
        return f"by-reader:{self.spoken}"

    def probability(self, evidence: ClaimEvidence) -> float:
        """The logistic of the reader's weight and of the coverage of the question."""
        unsaid = 1 - (evidence.in_sentence + evidence.in_heading) / 2
        return logistic(evidence.weight - (self.spoken * unsaid if evidence.form == "words" else 0.0))


@dataclass(frozen=True, slots=True)
class ClaimCandidate:
    """Words that may answer, what speaks for them, and how likely they do (`probability`, set by `ranked`)."""

    found: FoundWords
    evidence: ClaimEvidence
    probability: float = 0.0


def ranked(found: Sequence[ClaimCandidate], certainty: Certainty) -> list[ClaimCandidate]:
    """The candidates by how likely they answer, those of another thing last; each knows how far it is above the best other."""
    weights = sorted((one.evidence.weight for one in found if not one.evidence.is_of_another), reverse=True)
    known = [replace(one, evidence=replace(one.evidence, margin=_margin(one.evidence, weights))) for one in found]
    judged = [replace(one, probability=certainty.probability(one.evidence)) for one in known]
    return sorted(judged, key=lambda one: (one.evidence.is_of_another, -one.probability))


def decided(claims: Sequence[ClaimCandidate], sure: float, faint: float) -> Outcome:
    """What is made of the ranked claims: "answer" where the first is `sure`, "not-found" where all words are `faint`, else "passages"."""
    if not claims:
        return "passages"
    if logistic(max(one.evidence.weight for one in claims)) < faint:
        return "not-found"
    best = claims[0]
    return "answer" if best.probability >= sure and not best.evidence.is_of_another else "passages"


def _margin(evidence: ClaimEvidence, weights: Sequence[float]) -> float:
    """How far the weight is above the best of the others, of all `weights` (highest first)."""
    own = not evidence.is_of_another
    others = weights[1:] if own and weights[0] == evidence.weight else weights
    return max(-6.0, min(6.0, evidence.weight - others[0])) if others else 6.0
