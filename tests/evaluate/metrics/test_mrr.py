from __future__ import annotations

from decoct.evaluate.metrics.ranking import reciprocal_rank


def test_by_hand() -> None:
    ranking = ["d3", "d1", "d9"]
    assert reciprocal_rank(ranking, ("d9", "d1"), 3) == 1 / 2
    assert reciprocal_rank(ranking, ("d9",), 3) == 1 / 3
    assert reciprocal_rank(ranking, ("d9",), 2) == 0  # the cut-off
    assert reciprocal_rank(ranking, (), 3) is None
