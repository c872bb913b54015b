"""What every store that keeps names must pass (`decoct.index.abilities.SupportsNames`): what links between passages stand on."""

from __future__ import annotations

import numpy as np

from decoct.index.abilities import SupportsNames
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, number
from decoct_testing.store_fixtures import StoreFixtures
from decoct_testing.store_same import pairs_of_stores, same_names


class NamesContract(StoreFixtures):
    """The promises of `SupportsNames`, one test each."""

    def test_an_empty_store_knows_no_names(self, store: SupportsNames) -> None:
        """Nothing is an answer, not an error."""
        assert store.traits([1]) == [b""]
        assert len(store.mentioned_in([number("river")], 5).keys) == 0
        assert len(store.named([number("river")], 5).keys) == 0
        assert store.status().names == 0

    def test_replacing_leaves_no_old_names(self, store: SupportsNames) -> None:
        """Neither as mentions nor as names of the document."""
        store.put([make_entry("a", ["river stone"], names=("old",), mentions=(("x",),))])
        store.put([make_entry("a", ["garden winter", "light"], names=("new",), mentions=(("y",), ()))])
        new = store.chunk_keys("a").tolist()
        assert set(store.mentioned_in([number("x"), number("y")], 5).names.tolist()) == {number("y")}
        assert store.named([number("old"), number("new")], 5).keys.tolist() == new
        assert store.status().names == 2

    def test_deleting_forgets_the_names(self, store: SupportsNames, model: MemoryStore) -> None:
        """What the others mention stays."""
        for one in (store, model):
            one.put(corpus())
            assert one.delete(["doc-003", "doc-010", "doc-011"]) == 3
        same_names(store, model)

    def test_a_filter_with_a_nul_passes_nothing(self, store: SupportsNames) -> None:
        """Nor does one that no text can be."""
        store.put([make_entry("a", ["river"], metadata={"k": "v"})])
        keys = store.chunk_keys("a")
        for where in ({"k": ("v\0x",)}, {"k": ("v\0",)}, {"k\0": ("v",)}, {"k": ("v\ud800",)}):
            assert not store.passing(keys, where).any()

    def test_names_are_counted(self, store: SupportsNames) -> None:
        """`most` counts chunks for mentions, documents for names; pairs ascend."""
        store.put(
            [
                make_entry("a", ["river", "stone"], names=("amazon", "water"), mentions=(("x", "y"), ("x",))),
                make_entry("b", ["paper"], names=("water",), mentions=(("x",),)),
            ]
        )
        (a1, a2), (b1,) = store.chunk_keys("a").tolist(), store.chunk_keys("b").tolist()
        x, y, z, water, amazon = map(number, ("x", "y", "z", "water", "amazon"))
        found = store.mentioned_in([x, y, z], 3)
        assert set(pairs_of_stores(found)) == {(x, a1), (x, a2), (x, b1), (y, a1)}
        assert pairs_of_stores(found) == sorted(pairs_of_stores(found))
        assert found.counts == {x: 3, y: 1, z: 0}
        assert pairs_of_stores(store.mentioned_in([x, y, z], 2)) == [(y, a1)]
        assert {name for name, _ in pairs_of_stores(store.mentioned_in([x, y, z], 3, least=2))} == {x}
        meant = store.named([water, amazon, z], 2)
        assert set(pairs_of_stores(meant)) == {(amazon, a1), (amazon, a2), (water, a1), (water, a2), (water, b1)}
        strengths = dict(zip(pairs_of_stores(meant), meant.strengths.tolist(), strict=True))
        assert (strengths[amazon, a1], strengths[water, a2], strengths[water, b1]) == (1.0, 0.5, 1.0)
        assert set(pairs_of_stores(store.named([water, amazon], 1))) == {(amazon, a1), (amazon, a2)}
        assert store.status().names == 4

    def test_what_came_with_a_chunk_comes_back(self, store: SupportsNames) -> None:
        """Traits, signatures, extents and filters by key, in the order asked; nothing for a key that is not there."""
        entry = make_entry("a", ["river", "stone"], seed=3, metadata={"year": 2001})
        store.put([entry, make_entry("b", ["paper"], seed=4)])
        (a1, a2), (b1,) = store.chunk_keys("a").tolist(), store.chunk_keys("b").tolist()
        gone = 10**12
        assert store.traits([b1, gone, a2]) == [b"traits of paper", b"", b"traits of stone"]
        assert entry.signatures is not None
        assert np.array_equal(store.signatures([a2, a1]), entry.signatures[::-1])
        assert not store.signatures([gone]).any()
        assert store.extents([a2, b1, a1, gone]).tolist() == [[a1, a2 + 1], [b1, b1 + 1], [a1, a2 + 1], [0, 0]]
        assert store.passing([a1, b1, gone], {"year": ("2001", "1999")}).tolist() == [True, False, False]
        assert store.passing([a1, gone], {}).tolist() == [True, False]

    def test_frequencies_count_chunks(self, store: SupportsNames) -> None:
        """By stem, over title and text."""
        store.put([make_entry("a", ["rivers river", "stone"], title="Stones"), make_entry("b", ["paper"])])
        found, total = store.frequencies(["river", "stone", "paper", "garden"])
        assert (found.tolist(), total) == ([1, 2, 1, 0], 3)
