"""Equations 5 to 10: the tie example, the identity of unions, and the filter as a retriever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Query
from decoct.trace import recording
from decoct_lab.retrieve.segments import content_words, segments
from decoct_lab.retrieve.syntactic import Syntactic, Ties, frequent, passing_passages, word_counts

COUNTS = np.array([5, 5, 5, 2, 1, 0])
WORDS = ["film", "director", "born", "rome", "of", "and", "in", "the", "1999"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("ties", "level", "expected"),
    [
        ("distinct", 3, [0, 1, 2, 3, 4]),  # the values 5, 2, 1
        ("entries", 3, [0, 1, 2]),  # the entries 5, 5, 5
        ("distinct", 1, [0, 1, 2]),
        ("entries", 4, [0, 1, 2, 3]),
        ("distinct", 9, [0, 1, 2, 3, 4]),  # 0 never passes
    ],
)
def test_equation_7(ties: Ties, level: int, expected: list[int]) -> None:
    assert np.flatnonzero(frequent(COUNTS, level, ties)).tolist() == expected


def test_a_worked_example() -> None:
    passages = ["A film. The film was shot.", "Its director was born in Rome.", "The sea.", "A film", "film film film"]
    # film: counts 2 0 0 1 3, the highest 2 distinct are 3 and 2; director, born: passage 1. In the original order, no scores.
    assert passing_passages("Where was the director of the film born?", passages, 2) == [0, 1, 4]
    assert passing_passages("Where was the director of the film born?", passages, 3) == [0, 1, 3, 4]


@given(TEXT, st.lists(TEXT, min_size=1, max_size=6), st.integers(1, 4), st.sampled_from(["distinct", "entries"]))
def test_segments_do_not_matter_to_unions(question: str, passages: list[str], level: int, ties: Ties) -> None:
    """Equations 8 to 10: P_valid equals the union over all words, however they are grouped and in whatever order."""
    words = dict.fromkeys(word for segment in segments(question) for word in content_words(segment))
    counts = word_counts([list(words)], passages)
    union = {j for word in words for j in np.flatnonzero(frequent(counts[word], level, ties)).tolist()}
    expected = sorted(union) if union else list(range(len(passages)))
    assert passing_passages(question, passages, level, ties) == expected


@given(TEXT, st.lists(TEXT, min_size=1, max_size=6))
def test_a_higher_level_keeps_more(question: str, passages: list[str]) -> None:
    kept = [set(passing_passages(question, passages, level)) for level in (1, 2, 3)]
    with_words = [k for k in kept if k]
    assert with_words == sorted(with_words, key=len)
    assert kept[0] <= kept[1] <= kept[2]
    assert set(passing_passages(question, passages, "auto")) <= set(passing_passages(question, passages, 5))


def test_nothing_matches() -> None:
    with recording() as trace:
        assert passing_passages("Who is it?", ["a", "b"]) == [0, 1]
        assert passing_passages("Who is it?", []) == []
    assert trace.fallbacks == {"syntactic.no_word": 1}


def test_the_level_is_chosen_so_that_each_segment_is_covered() -> None:
    passages = ["film film", "film of a director", "director director"]
    # At L = 1 passage 1 passes for neither word, although it alone holds both.
    assert passing_passages("film director", passages, 1) == [0, 2]
    with recording() as trace:
        assert passing_passages("film director", passages, "auto") == [0, 1, 2]
    assert trace.facts == {"syntactic.selectivity": 1.0, "syntactic.level": 2}


def test_the_filter_over_a_ranking(make_store: Any, fixed: Any) -> None:
    texts = ("the film", "a film film", "the sea", "of Rome")
    text = " ".join(texts)
    ranges = [(text.index(t), text.index(t) + len(t)) for t in texts]
    store = make_store((text, ranges, [[1, 0]] * 4), titles=["Hero"])
    inner = fixed([(3, 0.9), (2, 0.8), (1, 0.7), (4, 0.6)])
    found = Syntactic(inner, store, level=1).retrieve(Query("Which film?"), 10)
    assert found.keys.tolist() == [2]
    assert found.found_by == {"fixed": {2: 0.8}}
    assert Syntactic(inner, store, level=2).retrieve(Query("Which film?"), 10).keys.tolist() == [2, 1]
    assert Syntactic(inner, store, level=1, keep=1).retrieve(Query("Which film?"), 10).keys.tolist() == [3, 2]
    # Titles are read with the chunk: all four are of "Hero".
    assert len(Syntactic(inner, store, level=1).retrieve(Query("Hero"), 10)) == 4
    assert len(Syntactic(inner, store, level=1).retrieve(Query("Hero"), 3)) == 3


def test_a_level_below_one_is_refused(make_store: Any, fixed: Any) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Syntactic(fixed([]), make_store(), level=0)
