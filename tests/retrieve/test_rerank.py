"""Reranking by a scorer that says what it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from decoct.data import Floats, Query
from decoct.retrieve.ranking import by_key
from decoct.retrieve.rerank import Rerank
from decoct.trace import recording
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry

FOUND = [(1, 0.9), (2, 0.5), (3, 0.1)]


@dataclass(frozen=True)
class TableScorer:
    table: Mapping[str, float]
    seen: list[str] = field(default_factory=list, compare=False)

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        self.seen.extend(texts)
        return np.array([self.table[text.splitlines()[-1]] for text in texts], np.float32)


@pytest.fixture
def store(make_store: Any) -> Any:
    return make_store(("a b c", [(0, 1), (2, 3), (4, 5)], [[1, 0]] * 3), titles=["T"])


def test_the_scorer_alone(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": -3.0, "b": 1.0, "c": 5.0})
    found = Rerank(fixed(FOUND, "dense"), scorer, store).retrieve(Query("q"), 9)
    assert by_key(found) == {3: 1.0, 2: 0.5, 1: 0.0}
    assert found.found_by == {"dense": {1: 0.9, 2: 0.5, 3: 0.1}, "rerank": {1: -3.0, 2: 1.0, 3: 5.0}}
    assert scorer.seen == ["T\na", "T\nb", "T\nc"]


def test_the_scorer_reads_the_headings_above(fixed: Any) -> None:
    store = MemoryStore()
    entry = make_entry("one", ["a", "b"], title="T")
    store.put([replace(entry, chunks=(replace(entry.chunks[0], place="Oil › Filters"), entry.chunks[1]))])
    scorer = TableScorer({"a": 0.0, "b": 1.0})
    Rerank(fixed([(1, 0.9), (2, 0.5)]), scorer, store).retrieve(Query("q"), 9)
    assert scorer.seen == ["T\nOil › Filters\na", "T\nb"]


def test_mixed_by_hand(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": 0.0, "b": 1.0, "c": 0.5})
    found = Rerank(fixed(FOUND), scorer, store, weight=0.75).retrieve(Query("q"), 9)
    # retriever by min-max: 1, .5, 0
    assert by_key(found) == {
        2: pytest.approx(0.75 * 1 + 0.25 * 0.5),
        3: pytest.approx(0.75 * 0.5),
        1: pytest.approx(0.25),
    }


def test_what_is_not_judged_stays_behind(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": 0.0, "b": 1.0})
    found = Rerank(fixed(FOUND), scorer, store, depth=2).retrieve(Query("q"), 3)
    assert found.keys.tolist() == [2, 1, 3]
    assert len(scorer.seen) == 2
    assert Rerank(fixed(FOUND), scorer, store, depth=2).retrieve(Query("q"), 1).keys.tolist() == [2]


def test_chunks_deleted_meanwhile(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": 1.0, "b": 2.0})
    found = Rerank(fixed([(7, 0.9), (1, 0.5), (2, 0.1)]), scorer, store).retrieve(Query("q"), 9)
    assert found.keys.tolist() == [2, 1, 7]
    assert found.found_by["rerank"] == {1: 1.0, 2: 2.0}
    assert Rerank(fixed([(7, 0.9)]), scorer, store).retrieve(Query("q"), 9).keys.tolist() == [7]
    assert len(Rerank(fixed([]), scorer, store).retrieve(Query("q"), 9)) == 0


def test_a_score_that_is_no_number(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": float("-inf"), "b": 1.0, "c": 2.0})
    with recording() as trace:
        found = Rerank(fixed(FOUND), scorer, store).retrieve(Query("q"), 9)
    assert by_key(found) == {3: 1.0, 1: 0.0, 2: 0.0}
    assert trace.fallbacks == {"rerank.not_a_number": 1}


@pytest.mark.parametrize("settings", [{"weight": -0.1}, {"weight": 2.0}, {"depth": 0}, {"head": 0}])
def test_wrong_settings(store: Any, fixed: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"weight|depth|head"):
        Rerank(fixed(FOUND), TableScorer({}), store, **settings)


def test_behind_its_head_a_chunk_stands_by_the_better_of_its_two_places(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": 0.0, "b": 0.1, "c": 1.0})
    alone = Rerank(fixed(FOUND), scorer, store).retrieve(Query("q"), 9)
    assert alone.keys.tolist() == [3, 2, 1]
    found = Rerank(fixed(FOUND), scorer, store, head=1).retrieve(Query("q"), 9)
    # the first is the scorer's; 1, which the retriever has first, comes before 2, which both have second
    assert found.keys.tolist() == [3, 1, 2]
    assert found.scores.tolist() == alone.scores.tolist()
    assert found.found_by["rerank"] == alone.found_by["rerank"]


def test_behind_the_head_three_chunks_come_by_the_retriever_for_two_by_the_scorer(make_store: Any, fixed: Any) -> None:
    words = "abcdefgh"
    store = make_store((" ".join(words), [(2 * i, 2 * i + 1) for i in range(8)], [[1, 0]] * 8))
    scorer = TableScorer({word: float(i) for i, word in enumerate(words)})  # the other way round
    ranking = [(i + 1, 1 - i / 10) for i in range(8)]
    found = Rerank(fixed(ranking), scorer, store, head=1).retrieve(Query("q"), 9)
    assert found.keys.tolist() == [8, 1, 2, 7, 3, 4, 6, 5]


def test_what_is_not_judged_stays_behind_a_head_too(store: Any, fixed: Any) -> None:
    scorer = TableScorer({"a": 0.0, "b": 1.0})
    found = Rerank(fixed(FOUND), scorer, store, depth=2, head=1).retrieve(Query("q"), 3)
    assert found.keys.tolist() == [2, 1, 3]
