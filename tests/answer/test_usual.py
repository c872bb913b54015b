"""How far a claim's reading stands above what is usual among its question's claims decides how sure it is, not its ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from decoct.answer.certainty import FittedCertainty
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import ClaimCandidate, ranked, usual
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.data import Passage, Span
from decoct.reading.base import NOTHING_READ


def candidate(words: str, near: float, entailed: float | None = None, rivals: int = 0) -> ClaimCandidate:
    read = ReadPassage(Passage(words, (Span("a", 0, len(words)),)), NOTHING_READ, 0)
    place = (0, len(words))
    evidence = ClaimEvidence("words", 1.0, near=near, entailed=entailed, rivals=rivals)
    return ClaimCandidate(FoundWords(read, place, place, words, 0.5), evidence)


def test_the_usual_is_the_mean_of_the_five_below_the_highest() -> None:
    assert usual([0.9, 0.5, 0.1, 0.2, 0.3, 0.4, 0.0]) == pytest.approx(0.3)
    assert (usual([0.7]), usual([])) == (0.7, 0)


def test_the_same_nearness_is_worth_less_among_others_that_are_as_near() -> None:
    certainty = FittedCertainty()
    alone = ranked([candidate("seven", 0.6), candidate("north", 0.2), candidate("late", 0.1)], certainty)[0]
    among = ranked([candidate("seven", 0.6), candidate("north", 0.58), candidate("late", 0.55)], certainty)[0]
    assert alone.found.words == among.found.words == "seven"
    assert alone.evidence.near_above == pytest.approx(0.45)
    level = replace(among.evidence, margin=alone.evidence.margin)
    assert certainty.probability(alone.evidence) > certainty.probability(level)


def test_what_is_said_of_another_thing_tells_nothing_of_what_is_usual() -> None:
    certainty = FittedCertainty()
    own = [candidate("seven", 0.6, 0.9), candidate("north", 0.2, 0.1)]
    first = ranked([*own, candidate("south", 0.59, 0.9, rivals=1)], certainty)[0]
    assert first.evidence == ranked(own, certainty)[0].evidence
