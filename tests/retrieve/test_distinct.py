"""Repetitions go down, nothing is lost."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoct.data import Chunk, Document, Query, Span
from decoct.index.base import Entry
from decoct.retrieve.distinct import Distinct
from decoct_testing.memory_store import MemoryStore


@pytest.fixture
def store(make_store: Any) -> Any:
    # windows of 10 characters, each half over the next, and a second document
    return make_store(("x" * 20, [(0, 10), (5, 15), (10, 20)], [[1, 0]] * 3), ("y" * 10, [(0, 10)], [[1, 0]]))


def test_overlap_by_hand(store: Any, fixed: Any) -> None:
    ranking = fixed([(2, 0.9), (1, 0.8), (4, 0.7), (3, 0.2)], "dense")
    found = Distinct(ranking, store).retrieve(Query("q"), 9)
    # chunks 1 and 3 each share half with chunk 2
    assert found.keys.tolist() == [2, 4, 1, 3]
    assert found.scores.tolist() == pytest.approx([0.9, 0.7, -0.3, -0.9])
    assert found.found_by["dense"] == {2: 0.9, 1: 0.8, 4: 0.7, 3: 0.2}
    assert Distinct(ranking, store, overlap=0.6).retrieve(Query("q"), 9).keys.tolist() == [2, 1, 4, 3]
    assert Distinct(ranking, store).retrieve(Query("q"), 2).keys.tolist() == [2, 4]


def test_what_stands_deeper_stays_below(store: Any, fixed: Any) -> None:
    ranking = fixed([(2, 0.9), (1, 0.8), (4, 0.7), (3, 0.2)])
    found = Distinct(ranking, store, depth=2).retrieve(Query("q"), 9)
    # only the first two are looked at: chunk 1 goes behind chunk 2, and both stay before chunks 4 and 3
    assert found.keys.tolist() == [2, 1, 4, 3]
    assert found.scores.tolist() == pytest.approx([0.9, -0.1, -1.1, -1.6])


def test_unknown_chunks_and_none(store: Any, fixed: Any) -> None:
    assert Distinct(fixed([(99, 0.9), (1, 0.8)]), store).retrieve(Query("q"), 9).keys.tolist() == [99, 1]
    assert len(Distinct(fixed([]), store).retrieve(Query("q"), 9)) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(1, 9)), overlap=st.floats(0.1, 1), depth=st.integers(1, 9))
def test_a_permutation_with_falling_scores(fixed: Any, order: list[int], overlap: float, depth: int) -> None:
    text = "x" * 50
    chunks = tuple(Chunk(Span("d", 5 * n, 5 * n + 10), "x" * 10) for n in range(8))
    store = MemoryStore()
    store.put([Entry(Document("d", text), chunks, np.ones((8, 1), np.float32), "d")])
    ranking = fixed([(key, 1 - n / 10) for n, key in enumerate(order)])
    found = Distinct(ranking, store, overlap, depth).retrieve(Query("q"), 99)
    assert sorted(found.keys.tolist()) == sorted(order)
    assert found.keys[0] == order[0]
    assert all(a > b for a, b in zip(found.scores, found.scores[1:], strict=False))
