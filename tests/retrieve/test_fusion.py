"""Fusion, against values worked by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Query, Ranking
from decoct.retrieve.fusion import Hybrid, convex, rrf
from decoct.retrieve.ranking import by_key

A = [(1, 9.0), (2, 7.0), (3, 5.0)]
B = [(3, 0.9), (1, 0.5), (4, 0.1)]


def test_rrf_by_hand(fixed: Any) -> None:
    found = Hybrid((fixed(A, "a"), fixed(B, "b")), method="rrf").retrieve(Query("q"), 9)
    # chunk 1 is first and second, 3 third and first, 2 second only, 4 third only
    assert by_key(found) == {
        1: pytest.approx(1 / 61 + 1 / 62),
        3: pytest.approx(1 / 63 + 1 / 61),
        2: pytest.approx(1 / 62),
        4: pytest.approx(1 / 63),
    }
    assert found.keys.tolist() == [1, 3, 2, 4]
    assert found.found_by == {"a": {1: 9.0, 2: 7.0, 3: 5.0}, "b": {3: 0.9, 1: 0.5, 4: 0.1}}


def test_rrf_weights(fixed: Any) -> None:
    found = Hybrid((fixed(A), fixed(B)), method="rrf", weights=(2.0, 0.5)).retrieve(Query("q"), 1)
    assert by_key(found) == {1: pytest.approx(2 / 61 + 0.5 / 62)}


def test_convex_by_hand(fixed: Any) -> None:
    # min-max of A: 1, .5, 0; of B: 1, .5, 0
    found = Hybrid((fixed(A, "a"), fixed(B, "b")), method="convex", weights=(3.0, 1.0)).retrieve(Query("q"), 9)
    assert by_key(found) == {
        1: pytest.approx(0.75 * 1 + 0.25 * 0.5),
        2: pytest.approx(0.75 * 0.5),
        3: pytest.approx(0.25 * 1),
        4: pytest.approx(0.0),
    }
    assert found.keys.tolist() == [1, 2, 3, 4]


def test_two_of_one_kind_keep_their_scores(fixed: Any) -> None:
    found = Hybrid((fixed(A), fixed(B), fixed(B))).retrieve(Query("q"), 9)
    assert list(found.found_by) == ["fixed", "fixed-2", "fixed-3"]
    assert found.found_by["fixed-2"][3] == 0.9


def test_what_stands_deeper_follows_by_its_best_place(fixed: Any) -> None:
    hybrid = Hybrid((fixed(A, "a"), fixed([(3, 0.9), (4, 0.5), (1, 0.1)], "b")), depth=1)
    found = hybrid.retrieve(Query("q"), 5)
    # fused are chunks 1 and 3, each the only one of its list; then come 2 and 4, both in the next place of a list
    assert found.keys.tolist() == [1, 3, 2, 4]
    assert found.scores.tolist() == [0.5, 0.5, -1, -1]
    assert found.found_by == {"a": {1: 9.0, 2: 7.0, 3: 5.0}, "b": {1: 0.1, 3: 0.9, 4: 0.5}}
    assert hybrid.retrieve(Query("q"), 1).keys.tolist() == [1]


def test_nothing_found(fixed: Any) -> None:
    assert len(Hybrid((fixed([]), fixed([]))).retrieve(Query("q"), 5)) == 0
    assert Hybrid((fixed([]), fixed(B))).retrieve(Query("q"), 5).keys.tolist() == [3, 1, 4]


@pytest.mark.parametrize("weights", [(1.0,), (1.0, -1.0), (0.0, 0.0)])
def test_wrong_weights(fixed: Any, weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        Hybrid((fixed(A), fixed(B)), weights=weights)
    with pytest.raises(ValueError, match="at least one"):
        Hybrid(())


LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=10), min_size=1, max_size=4)


@given(LISTS, st.integers(1, 40))
def test_every_chunk_once_whoever_found_it(lists: list[list[int]], k: int) -> None:
    import numpy as np

    rankings = [
        Ranking(
            np.array(keys, np.int64), np.linspace(1, 0, len(keys), dtype=np.float32), {str(n): dict.fromkeys(keys, 1.0)}
        )
        for n, keys in enumerate(lists)
    ]
    for fused in (rrf(rankings, [1.0] * len(lists), k), convex(rankings, [1.0] * len(lists), k)):
        found = fused.keys.tolist()
        assert len(found) == len(set(found)) == min(k, len(set().union(*lists)))
        for n, keys in enumerate(lists):
            assert set(fused.found_by.get(str(n), {})) == set(keys) & set(found)
