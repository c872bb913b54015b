"""Order, cutting and scaling of scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Ranking
from decoct.retrieve.ranking import (
    better_places,
    by_key,
    continued,
    dealt,
    first_of,
    found_by_of,
    min_max,
    places,
    ranked,
)

SCORES = st.lists(st.floats(-5, 5, width=32), max_size=20)


def test_best_first_ties_by_key() -> None:
    found = ranked(np.array([7, 3, 5]), np.array([1.0, 1.0, 2.0], np.float32), 9, {"x": {3: 0.5, 9: 1.0}})
    assert found.keys.tolist() == [5, 3, 7]
    assert found.scores.tolist() == [2, 1, 1]
    assert found.found_by == {"x": {3: 0.5}}


def test_cut_narrows_found_by() -> None:
    whole = Ranking(np.array([4, 2]), np.array([2.0, 1.0], np.float32), {"a": {4: 1.0}, "b": {2: 1.0}})
    assert first_of(whole, 2) is whole
    assert by_key(first_of(whole, 1)) == {4: 2.0}
    assert first_of(whole, 1).found_by == {"a": {4: 1.0}}
    assert len(first_of(whole, 0)) == 0
    assert found_by_of(whole.found_by, np.array([1])) == {}


def test_deeper_chunks_follow_by_their_best_place_in_any_list() -> None:
    lists = [Ranking(np.array(keys), np.array([3.0, 2.0, 1.0], np.float32)) for keys in ([1, 2, 3], [1, 3, 2])]
    head = Ranking(np.array([1]), np.array([1.0], np.float32))
    found = continued(head, lists, 1, 5, {})
    # 2 and 3 are each the first beyond the head in one list and the second in the other.
    assert found.keys.tolist() == [1, 2, 3]
    assert found.scores.tolist() == [1.0, -1.0, -1.0]
    assert continued(head, lists, 1, 2, {}).keys.tolist() == [1, 2]


def test_min_max_by_hand() -> None:
    assert min_max(np.array([2, 4, 3], np.float32)).tolist() == [0, 1, 0.5]
    assert min_max(np.array([3, 3], np.float32)).tolist() == [1, 1]
    assert len(min_max(np.empty(0, np.float32))) == 0


@given(SCORES, st.integers(0, 25))
def test_ranked_is_sorted_and_a_prefix(scores: list[float], k: int) -> None:
    keys = np.arange(len(scores))[::-1].copy()
    whole = ranked(keys, np.array(scores, np.float32), len(scores), {})
    assert [(-s, key) for key, s in by_key(whole).items()] == sorted((-s, key) for key, s in by_key(whole).items())
    assert ranked(keys, np.array(scores, np.float32), k, {}).keys.tolist() == whole.keys.tolist()[:k]


@given(SCORES.filter(bool))
def test_min_max_stays_within_0_and_1(scores: list[float]) -> None:
    scaled = min_max(np.array(scores, np.float32))
    assert scaled.min() >= 0
    assert scaled.max() == pytest.approx(1)


@given(SCORES)
def test_places_are_those_of_the_ranking(scores: list[float]) -> None:
    keys = np.arange(len(scores))[::-1].copy()
    found = places(keys, np.array(scores, np.float32))
    assert keys[np.argsort(found)].tolist() == ranked(keys, np.array(scores, np.float32), len(scores), {}).keys.tolist()


def test_the_better_of_two_places_behind_a_head() -> None:
    assert better_places(np.array([0, 3, 1, 2]), np.array([3, 0, 2, 1]), 1).tolist() == [-1, 0, 1, 1]
    assert better_places(np.array([0, 3, 1, 2]), np.array([3, 0, 2, 1]), 2).tolist() == [-2, 0, -1, 1]
    assert better_places(np.array([0, 3, 1, 2]), np.array([3, 2, 1, 0]), 1, stretch=1.5).tolist() == [-1, 2, 1, 0]


def test_scores_are_dealt_out_in_an_order() -> None:
    assert dealt(np.array([0.5, 3.0, 1.0], np.float32), np.array([2, 0, 1])).tolist() == [1.0, 0.5, 3.0]
