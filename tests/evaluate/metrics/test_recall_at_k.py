from __future__ import annotations

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.ranking import all_gold_at_k, hit_at_k, recall_at_k, without_repeats

RANKING = ["d3", "d1", "d9", "d2"]


def test_by_hand() -> None:
    gold = ("d1", "d2", "d7")
    assert recall_at_k(RANKING, gold, 2) == 1 / 3
    assert recall_at_k(RANKING, gold, 100) == 2 / 3
    assert hit_at_k(RANKING, gold, 1) == 0
    assert hit_at_k(RANKING, gold, 2) == 1
    assert all_gold_at_k(RANKING, ("d1", "d2"), 3) == 0
    assert all_gold_at_k(RANKING, ("d1", "d2"), 4) == 1


def test_edges() -> None:
    assert recall_at_k(RANKING, (), 5) is None
    assert hit_at_k([], ("d1",), 5) == 0
    with pytest.raises(EvaluationError, match="twice"):
        recall_at_k(["d1", "d1"], ("d1",), 2)
    with pytest.raises(EvaluationError, match="at least 1"):
        recall_at_k(RANKING, ("d1",), 0)


def test_chunks_become_documents_at_their_best_rank() -> None:
    assert without_repeats(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]
