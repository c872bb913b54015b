"""Maximal marginal relevance on vectors whose products were worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.data import Query, Ranking
from decoct_lab.retrieve.mmr import MMR, marginal

QUESTION = np.array([1, 0], np.float32)
# Nearness to the question: .96, .96, .8, 0. The second is the first again; the third has .6 and the fourth .28 with them, and -.6 with
# each other.
ROWS = np.array([[0.96, 0.28], [0.96, 0.28], [0.8, -0.6], [0, 1]], np.float32)


@pytest.mark.parametrize(
    ("balance", "order"),
    [
        (1.0, [0, 1, 2, 3]),  # relevance alone, ties by row
        (0.5, [0, 2, 1, 3]),  # the third: .4 - .3 = .1; the second: .48 - .5; the fourth: 0 - .14
        (0.0, [0, 3, 2, 1]),  # variety alone, after the nearest: .28, then .6, then 1
    ],
)
def test_each_next_is_near_the_question_and_far_from_the_taken(balance: float, order: list[int]) -> None:
    assert marginal(ROWS, QUESTION, balance).tolist() == order


def test_nothing_and_one_have_an_order() -> None:
    assert marginal(ROWS[:0], QUESTION, 0.5).tolist() == []
    assert marginal(ROWS[3:], QUESTION, 0.5).tolist() == [0]


@settings(max_examples=30)
@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 99))
def test_every_row_is_taken_once_and_equal_rows_keep_their_order(rows: int, balance: float, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((rows, 3)).astype(np.float32)
    vectors = np.repeat(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 2, axis=0)
    order = marginal(vectors, vectors[0], balance).tolist()
    assert sorted(order) == list(range(2 * rows))
    assert all(order.index(2 * one) < order.index(2 * one + 1) for one in range(rows))


@pytest.fixture
def found(make_store: Any, fixed: Any, embedder: Any) -> Callable[[int], Ranking]:
    """The best of four chunks with the vectors `ROWS`, which the inner retriever ranks as they stand; the first three are put in order."""
    store = make_store(("aabbccdd", [(0, 2), (2, 4), (4, 6), (6, 8)], ROWS.tolist()))
    inner = fixed([(1, 0.9), (2, 0.8), (3, 0.7), (4, 0.6)], "lexical")
    retriever = MMR(inner, store, embedder({"q": [1, 0]}), 3)
    return lambda k: retriever.retrieve(Query("q"), k)


def test_the_first_are_put_in_order_and_what_stood_deeper_follows(found: Callable[[int], Ranking]) -> None:
    assert found(9).keys.tolist() == [1, 3, 2, 4]
    assert found(9).scores.tolist() == pytest.approx([1, 2 / 3, 1 / 3, -1])


def test_no_place_depends_on_how_many_are_asked_for(found: Callable[[int], Ranking]) -> None:
    for k in range(5):
        assert found(k).keys.tolist() == [1, 3, 2, 4][:k]
        assert found(k).scores.tolist() == found(9).scores[:k].tolist()


def test_who_found_a_chunk_is_still_told(found: Callable[[int], Ranking]) -> None:
    assert found(1).found_by == {"lexical": {1: 0.9}}


def test_nothing_found_is_nothing_embedded(make_store: Any, fixed: Any, embedder: Any) -> None:
    table = embedder({})
    assert len(MMR(fixed([]), make_store(), table).retrieve(Query("q"), 5)) == 0
    assert table.seen == []


@pytest.mark.parametrize("wrong", [{"fetch": 0}, {"balance": -0.1}, {"balance": 1.1}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any], make_store: Any, fixed: Any, embedder: Any) -> None:
    with pytest.raises(ValueError, match="fetch at least 1"):
        MMR(fixed([]), make_store(), embedder({}), **wrong)
