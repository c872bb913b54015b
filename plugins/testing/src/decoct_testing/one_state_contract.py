"""That what is found for one question is of one state of the store: part of `StoreContract`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from decoct.data import Query, Ranking
from decoct.index.base import Store
from decoct.index.one_state import in_one_state
from decoct.pipeline import Retrieval
from decoct_testing.store_corpus import make_entry
from decoct_testing.store_fixtures import StoreFixtures


@dataclass(slots=True)
class AskedBeside:
    """A retriever by words, after each of whose rankings one of the `changes` is made, until there are no more."""

    store: Store
    changes: Sequence[Callable[[], object]]
    times: int = 0

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The ranking, of the state before the change."""
        found = self.store.lexical(query.text, k)
        if self.times < len(self.changes):
            self.changes[self.times]()
        self.times += 1
        return found


class OneStateContract(StoreFixtures):
    """A question is many look-ups; a write between two of them must not be seen in its result."""

    def test_a_question_sees_one_state_of_the_library(self, store: Store) -> None:
        """A write between the ranking and the reading of its chunks takes nothing away: the question is asked again of what is there."""
        store.put([make_entry("a", ["river old"]), make_entry("b", ["river other"], seed=2)])
        changes = [lambda: store.put([make_entry("a", ["river new"])]), lambda: store.delete(["b"])]
        asked = AskedBeside(store, changes)
        retrieval = Retrieval(store, asked, 5)
        hits, one = in_one_state(
            store, lambda: retrieval.search(Query("river"), 5), lambda found: [hit.chunk.key for hit in found]
        )
        assert one
        assert [hit.chunk.text for hit in hits] == ["river new"]
        assert asked.times == 3
        hits, one = in_one_state(store, lambda: retrieval.search(Query("river"), 5), lambda _: [])
        assert (len(hits), one, asked.times) == (1, True, 4)
