from __future__ import annotations

import pytest

from decoct.errors import EvaluationError
from decoct_lab.measures.conflict_detection import Detection, conflict_detection


def test_pairs_count_in_either_order() -> None:
    made = conflict_detection([("a", "b"), ("b", "a"), ("a", "c")], [("b", "a"), ("b", "c"), ("c", "d")])
    assert made == Detection(hits=1, false_alarms=1, misses=2)
    assert (made.precision, made.recall, made.f1) == (1 / 2, 1 / 3, 2 * 1 / (2 * 1 + 1 + 2))


def test_micro_sums_and_edges() -> None:
    nothing = conflict_detection([], [])
    assert (nothing.precision, nothing.recall, nothing.f1) == (1, 1, 1)
    invented, missed = conflict_detection([("a", "b")], []), conflict_detection([], [("a", "b")])
    assert (invented.precision, invented.recall, invented.f1) == (0, 0, 0)
    assert (missed.precision, missed.recall, missed.f1) == (0, 0, 0)
    assert nothing.add(invented).add(missed) == Detection(0, 1, 1)


def test_a_document_does_not_conflict_with_itself() -> None:
    with pytest.raises(EvaluationError, match="two different documents"):
        conflict_detection([("a", "a")], [])
