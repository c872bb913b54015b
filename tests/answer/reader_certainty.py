"""A certainty to reckon with by hand: what the reader says, less for what of the question is not spoken of."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.answer.claim_evidence import ClaimEvidence
from decoct.reading.base import logistic


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

    def weight(self, evidence: ClaimEvidence) -> float:
        """The reader's weight, less for what is not spoken of."""
        unsaid = 1 - evidence.in_heading
        return evidence.weight - (self.spoken * unsaid if evidence.form == "words" else 0.0)

    def probability(self, evidence: ClaimEvidence) -> float:
        """The logistic of the weight."""
        return logistic(self.weight(evidence))
