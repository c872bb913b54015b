"""Drift guards by hand."""

import numpy as np
import pytest

from decoct.data import Ranking
from decoct.retrieve.feedback import anchored_ranking, overlap


def ranking(*keys: int, name: str = "x") -> Ranking:
    scores = np.linspace(1, 0.5, len(keys), dtype=np.float32)
    return Ranking(np.array(keys, np.int64), scores, {name: dict(zip(keys, scores.tolist(), strict=True))})


def test_overlap_looks_at_the_first_ten() -> None:
    assert overlap(ranking(*range(12)), ranking(*range(5, 20))) == 0.5  # 5 … 9 of 0 … 9
    assert overlap(ranking(1, 2), ranking(2, 3, 4)) == 0.5
    assert overlap(ranking(), ranking(1)) == 1


def test_anchored_keeps_the_first_on_top() -> None:
    first, second = ranking(1, 2, 3, name="a"), ranking(4, 2, 5, name="b")
    found = anchored_ranking(first, second, 2)
    assert found.keys.tolist() == [1, 2, 4, 5]
    assert all(a > b for a, b in zip(found.scores, found.scores[1:], strict=False))
    assert found.scores[0] == pytest.approx(1, abs=1e-6)
    assert found.found_by == {"a": {1: 1.0, 2: 0.75}, "b": {2: 0.75, 4: 1.0, 5: 0.5}}
