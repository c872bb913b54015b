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


COMPARED = 12
"""So many of a question's likeliest claims say what is usual among them."""


def ranked(found: Sequence[ClaimCandidate], certainty: Certainty) -> list[ClaimCandidate]:
    """The candidates by how likely they answer, those of another thing last.

    Each knows how far its weight is above the best other's, and how far what was read of it stands above what is usual.
    """
    weights = [certainty.weight(one.evidence) for one in found]
    order = sorted(range(len(found)), key=lambda at: (found[at].evidence.is_of_another, -weights[at]))
    own = [at for at in order if not found[at].evidence.is_of_another]
    words = [folded(one.found.words) for one in found]
    near = usual([found[at].evidence.near for at in own[:COMPARED]])
    entailed = usual([found[at].evidence.entailment for at in own[:COMPARED]])
    judged = []
    for at in order:
        one = found[at]
        other = next((weights[n] for n in own if words[n] != words[at]), None)
        margin = 6.0 if other is None else max(-6.0, min(6.0, weights[at] - other))
        evidence = replace(
            one.evidence,
            margin=margin,
            near_above=one.evidence.near - near,
            entailed_above=one.evidence.entailment - entailed,
        )
        judged.append(replace(one, evidence=evidence, probability=certainty.probability(evidence)))
    return judged


def usual(values: Sequence[float]) -> float:
    """What is usual where the highest may be of the answer: the mean of the five below it; of one value itself, of none nought."""
    below = sorted(values, reverse=True)[1:6]
    return sum(below) / len(below) if below else sum(values)


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
