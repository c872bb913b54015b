"""Drift guards by hand."""

import numpy as np
import pytest

from decoct.data import Ranking
from decoct.retrieve.guards import anchored_ranking, diverse_rows, new_terms, overlap
from decoct.text.words import terms


def ranking(*keys: int, name: str = "x") -> Ranking:
    scores = np.linspace(1, 0.5, len(keys), dtype=np.float32)
    return Ranking(np.array(keys, np.int64), scores, {name: dict(zip(keys, scores.tolist(), strict=True))})


def test_overlap_looks_at_the_first_ten() -> None:
    assert overlap(ranking(*range(12)), ranking(*range(5, 20))) == 0.5  # 5 … 9 of 0 … 9
    assert overlap(ranking(1, 2), ranking(2, 3, 4)) == 0.5
    assert overlap(ranking(), ranking(1)) == 1


def test_terms() -> None:
    assert terms("Who was the 1st of Élan's 7 snake_cases? 東") == ["1st", "élan", "7", "snake", "cases", "東"]


def test_new_terms() -> None:
    question = "Where was Larry Alcala educated?"
    assert new_terms(question, "Larry Alcala was educated") == 0
    assert new_terms(question, "Alcala educated Bauan Batangas") == 0.5
    assert new_terms(question, "the of") == 0


def test_diverse_by_hand() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    scores = np.array([0.9, 0.8, 0.5], np.float32)
    assert diverse_rows(scores, vectors, 2, 1.0) == [0, 1]
    # .5 * .8 - .5 * 1 = -.1 against .5 * .5 - .5 * 0 = .25
    assert diverse_rows(scores, vectors, 3, 0.5) == [0, 2, 1]
    assert diverse_rows(scores[:0], vectors[:0], 3, 0.5) == []


def test_anchored_keeps_the_first_on_top() -> None:
    first, second = ranking(1, 2, 3, name="a"), ranking(4, 2, 5, name="b")
    found = anchored_ranking(first, second, 2)
    assert found.keys.tolist() == [1, 2, 4, 5]
    assert all(a > b for a, b in zip(found.scores, found.scores[1:], strict=False))
    assert found.scores[0] == pytest.approx(1, abs=1e-6)
    assert found.found_by == {"a": {1: 1.0, 2: 0.75}, "b": {2: 0.75, 4: 1.0, 5: 0.5}}
