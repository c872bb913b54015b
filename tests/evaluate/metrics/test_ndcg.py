from __future__ import annotations

import math

import pytest

from decoct.evaluate.metrics.ranking import ndcg_at_k


def test_by_hand_binary() -> None:
    # gains 0, 1, 1 at ranks 1..3: 1/log2(3) + 1/log2(4); best: 1/log2(2) + 1/log2(3)
    dcg, best = 1 / math.log2(3) + 1 / 2, 1 + 1 / math.log2(3)
    assert ndcg_at_k(["x", "a", "b"], ("a", "b"), 3) == pytest.approx(dcg / best)


def test_nothing_relevant_is_no_score() -> None:
    assert ndcg_at_k(["a"], (), 3) is None
    assert ndcg_at_k([], ("a",), 3) == 0
