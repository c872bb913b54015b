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
from decoct.text.words import words as folded


class Certainty(Protocol):
    """How likely a claim is right, by its evidence."""

    @property
    def fingerprint(self) -> str:
        """A stable name of what is made of the evidence."""

    def weight(self, evidence: ClaimEvidence) -> float:
        """How much speaks for it, among the claims of its question (any number; `ClaimEvidence.margin` is a distance of two)."""

    def probability(self, evidence: ClaimEvidence) -> float:
        """From 0 to 1; the larger the more speaks for it."""


@dataclass(frozen=True, slots=True)
class ClaimCandidate:
    """Words that may answer, what speaks for them, and how likely they do (`probability`, set by `ranked`)."""

    found: FoundWords
    evidence: ClaimEvidence
    probability: float = 0.0


def ranked(found: Sequence[ClaimCandidate], certainty: Certainty) -> list[ClaimCandidate]:
    """The candidates by how likely they answer, those of another thing last; each knows how far it is above the best other."""
    weights = [certainty.weight(one.evidence) for one in found]
    own = sorted(
        (
            (weight, folded(one.found.words))
            for one, weight in zip(found, weights, strict=True)
            if not one.evidence.is_of_another
        ),
        reverse=True,
    )
    judged = []
    for one, weight in zip(found, weights, strict=True):
        said = folded(one.found.words)
        other = next((value for value, words in own if words != said), None)
        margin = 6.0 if other is None else max(-6.0, min(6.0, weight - other))
        evidence = replace(one.evidence, margin=margin)
        judged.append((weight, replace(one, evidence=evidence, probability=certainty.probability(evidence))))
    judged.sort(key=lambda pair: (pair[1].evidence.is_of_another, -pair[0]))
    return [one for _, one in judged]


def decided(claims: Sequence[ClaimCandidate], sure: float, faint: float) -> Outcome:
    """What is made of the ranked claims: "answer" where the first is `sure`, "not-found" where it is `faint`, else "passages".

    Where a name of the question stands nowhere around the first, or its document has a later edition, it is shown and not claimed.
    """
    own = [one for one in claims if not one.evidence.is_of_another]
    if not own:
        return "passages"
    if max(one.probability for one in own) < faint:
        return "not-found"
    first = own[0]
    return "answer" if first.probability >= sure and first.evidence.is_whole else "passages"
