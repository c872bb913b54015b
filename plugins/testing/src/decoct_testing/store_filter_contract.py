"""What every store must pass on filters and on the texts that tell documents apart: part of `StoreContract`."""

from __future__ import annotations

import pytest

from decoct.data import Range, Span
from decoct.errors import CorpusError
from decoct.index.base import Store, Where
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_fixtures import StoreFixtures
from decoct_testing.store_same import same_ranking


class StoreFilterContract(StoreFixtures):
    """The promises of `decoct.index.filters`, one test each; the fixtures are `StoreContract`'s."""

    def test_filters_are_inside_the_search(self, store: Store, model: MemoryStore) -> None:
        """`k` results when `k` exist, however few documents pass."""
        for one in (store, model):
            one.put(corpus(60))
        query = unit_rows(1, seed=5)[0]
        wheres: list[Where] = [
            {"kind": ("letter",)}, {"year": ("2001", "2002"), "kind": ("report",)}, {"part": ("p9",)}, {"part": ("none",)},
            {"absent": ("x",)}, {"kind": ()}, {}, {"kind": ("let\0ter", "\ud800")}, {"kind\0": ("letter",)},
            {"year": (Range(((">=", "2002"),)),)}, {"year": (Range(((">", "2000"), ("<", "2002"))), "2003"), "kind": ("report",)},
            {"kind": (Range((("<=", "p"),)),)}, {"part": (Range(((">=", "2000"),)),)},
        ]  # fmt: skip
        for where in wheres:
            for ours, theirs, error in (
                (store.lexical("river garden", 20, where), model.lexical("river garden", 20, where), self.score_error),
                (store.nearest(query, 20, where), model.nearest(query, 20, where), self.vector_error),
            ):
                same_ranking(store, ours, model, theirs, error)

    def test_a_nul_is_refused_and_cuts_nothing(self, store: Store) -> None:
        """Not in an id, a metadata key or value; and asking with one never reaches what stands before it."""
        store.put([make_entry("a", ["river"], metadata={"k": "v"})])
        for id_, metadata in (("a\0b", {}), ("b", {"k\0": "v"}), ("b", {"k": "v\0x"})):
            with pytest.raises(CorpusError, match="NUL"):
                store.put([make_entry(id_, ["stone"], metadata=metadata)])
        assert store.digests(["a\0b", "a\0"]) == {}
        assert store.delete(["a\0b", "a\0", "\ud800"]) == len(store.chunk_keys("a\0")) == 0
        with pytest.raises(CorpusError):
            store.document("a\0")
        with pytest.raises(CorpusError):
            store.text(Span("a\ud800", 0, 1))
        vector = unit_rows(1)[0]
        for where in ({"k": ("v\0x",)}, {"k": ("v\0",)}, {"k\0": ("v",)}, {"k": ("v\ud800",)}):
            assert len(store.lexical("river", 5, where)) == len(store.nearest(vector, 5, where)) == 0
            assert list(store.documents(where)) == []
        assert [info.id for info in store.documents({"k": ("v",)})] == ["a"]
        assert store.metadata_keys() == ["k"]
