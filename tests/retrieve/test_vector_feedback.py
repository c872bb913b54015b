"""Rocchio on vectors, by hand."""

from typing import Any

import pytest

from decoct.data import Query
from decoct.retrieve.ranking import by_key
from decoct.trace import recording
from decoct_lab.retrieve.vector_feedback import VectorFeedback

VECTORS = [(0.8, 0.6), (0.6, 0.8), (0.0, 1.0), (0.96, -0.28)]


@pytest.fixture
def store(make_store: Any) -> Any:
    return make_store(("a b c d", [(0, 1), (2, 3), (4, 5), (6, 7)], VECTORS))


def test_moves_towards_the_feedback(store: Any, embedder: Any) -> None:
    # q = (1, 0); nearest: 4 (.96), 1 (.8), 2 (.6), 3 (0). Feedback 4 and 1: mean (.88, .16); q' = (1.44, .08) / its length
    found = VectorFeedback(store, embedder({"q": (1, 0)}), k_docs=2, b=0.5).retrieve(Query("q"), 9)
    length = (1.44**2 + 0.08**2) ** 0.5
    assert by_key(found) == {
        4: pytest.approx((1.44 * 0.96 - 0.08 * 0.28) / length, abs=1e-6),
        1: pytest.approx((1.44 * 0.8 + 0.08 * 0.6) / length, abs=1e-6),
        2: pytest.approx((1.44 * 0.6 + 0.08 * 0.8) / length, abs=1e-6),
        3: pytest.approx(0.08 / length, abs=1e-6),
    }
    assert found.found_by["dense"] == pytest.approx({4: 0.96, 1: 0.8, 2: 0.6, 3: 0.0}, abs=1e-6)
    assert set(found.found_by["vector-feedback"]) == {1, 2, 3, 4}


def test_no_feedback_weight_changes_nothing(store: Any, embedder: Any) -> None:
    found = VectorFeedback(store, embedder({"q": (1, 0)}), b=0.0).retrieve(Query("q"), 2)
    assert by_key(found) == pytest.approx({4: 0.96, 1: 0.8})


def test_feedback_of_another_retriever(store: Any, embedder: Any, fixed: Any) -> None:
    feedback = VectorFeedback(store, embedder({"q": (1, 0)}), fixed([(3, 7.0)], "bm25"), k_docs=1, b=1.0)
    found = feedback.retrieve(Query("q"), 4)
    assert found.keys.tolist() == [1, 2, 3, 4]  # q' halves the right angle: .99, .99, .71, .48; the tie by key
    assert found.found_by["bm25"] == {3: 7.0}
    assert set(found.found_by["vector-feedback"]) == {1, 2, 3, 4}


def test_nothing_found(make_store: Any, embedder: Any, fixed: Any, store: Any) -> None:
    with recording() as trace:
        found = VectorFeedback(store, embedder({"q": (1, 0)}), fixed([])).retrieve(Query("q"), 5)
    assert len(found) == 0
    assert trace.fallbacks == {"vector-feedback.nothing_found": 1}


@pytest.mark.parametrize("settings", [{"b": 1.5}, {"a": 0.0, "b": 0.0}, {"k_docs": 0}])
def test_wrong_settings(store: Any, embedder: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        VectorFeedback(store, embedder({}), **settings)
