"""Overlap of texts, and how rare words are."""

from __future__ import annotations

import math

import pytest

from decoct.text.overlap import idf, jaccard, rarities, shingles


def test_jaccard_by_hand() -> None:
    # "a b c d" has the 3-grams abc, bcd; "b c d e" has bcd, cde: one of three.
    assert jaccard(shingles("a b c d"), shingles("b c d e")) == pytest.approx(1 / 3)
    assert jaccard(shingles(""), shingles("")) == 0.0


def test_the_rarer_a_word_the_more_it_weighs() -> None:
    assert idf(0, 1) == pytest.approx(math.log(4))
    found = rarities(["common", "rare"], [{"common"}, {"common", "rare"}, {"common"}])
    assert list(found) == ["common", "rare"]
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["rare"] == pytest.approx(math.log(1 + 2.5 / 1.5) / (math.log(1 + 2.5 / 1.5) + math.log(1 + 0.5 / 3.5)))
