"""What every store must pass. Subclass `StoreContract` in a test module and give the `store` fixture: an empty, writable store.

A store that has an ability of `decoct.index.abilities` subclasses the contract of that ability too (`ABILITIES` has them), and its backend
passes `BackendContract`:

    class TestMyStore(StoreContract, NamesContract): …

A backend whose vectors are stored less exactly than in half precision, or whose BM25 rounds more than tantivy's, widens `vector_error` or
`score_error`; nothing else is left to it. Expected rankings come from `MemoryStore`, which computes everything by brute force.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from decoct.data import Chunk, Document, Link, MetadataValue, Range, Span
from decoct.errors import ProvenanceError, StoreError, UnknownDocumentError
from decoct.index.abilities import (
    SupportsCompanions,
    SupportsEntries,
    SupportsLanguages,
    SupportsNames,
    SupportsNearWords,
    SupportsRefresh,
    SupportsReplacement,
    SupportsSessions,
    SupportsState,
    SupportsVerify,
)
from decoct.index.base import Entry, Store
from decoct_testing.memory_store import MemoryStore
from decoct_testing.one_state_contract import OneStateContract
from decoct_testing.store_abilities_contract import (
    CompanionsContract,
    EntriesContract,
    LanguagesContract,
    NearWordsContract,
    RefreshContract,
    ReplacementContract,
    SessionsContract,
    StateContract,
    VerifyContract,
)
from decoct_testing.store_corpus import DIMENSION, corpus, make_entry, unit_rows
from decoct_testing.store_filter_contract import StoreFilterContract
from decoct_testing.store_fixtures import StoreFixtures
from decoct_testing.store_names_contract import NamesContract
from decoct_testing.store_same import same_ranking, same_store

# Each optional ability and the contract that a store with it must pass besides.
ABILITIES: Mapping[type, type[StoreFixtures]] = {
    SupportsNames: NamesContract,
    SupportsLanguages: LanguagesContract,
    SupportsSessions: SessionsContract,
    SupportsRefresh: RefreshContract,
    SupportsState: StateContract,
    SupportsVerify: VerifyContract,
    SupportsReplacement: ReplacementContract,
    SupportsCompanions: CompanionsContract,
    SupportsEntries: EntriesContract,
    SupportsNearWords: NearWordsContract,
}


class StoreContract(StoreFilterContract, OneStateContract):
    """The promises of `decoct.index.base`, one test each."""

    def test_every_ability_is_put_to_its_contract(self, store: Store) -> None:
        """A store that can do more than every store must passes the contract of each ability, and of no other."""
        for ability, contract in ABILITIES.items():
            assert isinstance(store, ability) == isinstance(self, contract), (
                f"{type(store).__name__} and {ability.__name__}: its tests must "
                f"{'' if isinstance(store, ability) else 'not '}subclass {contract.__name__}"
            )

    # -- documents ------------------------------------------------------------------------------------------------
    def test_an_empty_store_answers_with_nothing(self, store: Store) -> None:
        """Nothing is an answer, not an error."""
        assert len(store.lexical("river", 5)) == 0
        assert len(store.nearest(unit_rows(1)[0], 5)) == 0
        assert store.chunks([1, 2]) == []
        assert store.digests(["a"]) == {}
        assert list(store.documents()) == []
        assert store.delete(["a"]) == len(store.chunk_keys("a")) == 0
        assert (store.status().documents, store.status().chunks) == (0, 0)

    def test_a_document_comes_back_as_it_was(self, store: Store) -> None:
        """Text of any script and length, metadata of every type, names, headings and links."""
        text = "Ünïcode 東京 🦜 e\u0301\x00\r\n" * 300
        document = Document(
            "päth/to 東京.md", text, "A “title”", "https://example.org/?a=b&c", {"n": 3, "x": 0.5, "b": True, "s": "5 %"},
            ("one", "zwei"), ((0, 7), (30, 40)), (Link(3, 9, "other.md#part"), Link(10, 12, "")), (1, 0),
        )  # fmt: skip
        chunk = Chunk(Span(document.id, 990, 1100), text[990:1100], document.title, place="Täglich › „Nie“")
        store.put([Entry(document, (chunk,), unit_rows(1), "d")])
        assert store.document(document.id) == document
        assert store.text(Span(document.id, 995, 3999)) == text[995:3999]
        assert store.text(Span(document.id, 0, len(text))) == text
        (back,) = store.chunks(store.chunk_keys(document.id))
        assert (back.span, back.text, back.title, back.place) == (chunk.span, chunk.text, chunk.title, chunk.place)

    def test_a_chunk_is_found_by_the_headings_above_it(self, store: Store) -> None:
        """They are searched with its words, and are no part of its text."""
        entry = make_entry("a", ["river stone", "river bridge"])
        above = tuple(
            replace(one, place=place) for one, place in zip(entry.chunks, ("", "Cold winter › Ice"), strict=True)
        )
        store.put([replace(entry, chunks=above)])
        (found,) = store.chunks(store.lexical("winter", 5).keys)
        assert (found.text, found.place) == ("river bridge", "Cold winter › Ice")

    def test_what_is_not_there_is_told(self, store: Store) -> None:
        """Unknown documents and spans past the end are errors with a reason."""
        store.put([make_entry("a", ["river"])])
        with pytest.raises(UnknownDocumentError, match="nowhere"):
            store.document("nowhere")
        with pytest.raises(ProvenanceError):
            store.text(Span("a", 2, 6))

    def test_listing_is_by_id_and_filtered(self, store: Store) -> None:
        """Ids in code-point order; filters compare as text and need every key."""
        store.put(corpus()[::-1])
        listed = list(store.documents())
        assert [info.id for info in listed] == [f"doc-{n:03}" for n in range(30)]
        assert listed[5].metadata == {"year": 2001, "kind": "report", "part": "p5"}
        assert listed[5].characters == len(store.document("doc-005").text)
        assert listed[5].chunks == len(store.chunk_keys("doc-005"))
        where = {"year": ("2001", "2003"), "kind": ("report",)}
        assert [info.id for info in store.documents(where)] == [f"doc-{n:03}" for n in range(30) if n % 2]
        assert list(store.documents({"year": ()})) == []
        assert list(store.documents({"nothing": ("x",)})) == []

    def test_a_filter_of_a_list_holds_where_one_of_its_texts_passes(self, store: Store) -> None:
        """Lists come back as lists, and are gone with their document."""
        tags: list[dict[str, MetadataValue]] = [
            {"tags": ["safety", "boats", "boats"]},
            {"tags": ["boats"]},
            {"tags": []},
            {},
        ]
        entries = [make_entry(name, ["river"]) for name in "abcd"]
        store.put(
            [
                replace(one, document=replace(one.document, metadata=kept))
                for one, kept in zip(entries, tags, strict=True)
            ]
        )
        assert store.document("a").metadata == {"tags": ["safety", "boats", "boats"]}
        for allowed, expected in ((("safety",), "a"), (("boats", "safety"), "ab"), ((Range(((">=", "c"),)),), "a")):
            where = {"tags": allowed}
            assert [info.id for info in store.documents(where)] == list(expected)
            found = store.chunks(store.lexical("river", 5, where).keys)
            assert sorted(chunk.span.doc_id for chunk in found) == list(expected)
        store.delete(["a"])
        assert list(store.documents({"tags": ("safety",)})) == []

    def test_digests_of_the_stored(self, store: Store) -> None:
        """Unknown ids are left out."""
        store.put([make_entry("a", ["river"], digest="one"), make_entry("b", ["stone"], digest="two")])
        assert store.digests(["b", "c", "a"]) == {"a": "one", "b": "two"}

    def test_documents_by_the_beginning_of_their_digest(self, store: Store) -> None:
        """Beginnings that no digest has are left out."""
        store.put(
            [make_entry(name, ["river"], digest=digest) for name, digest in [("b", "aa1"), ("a", "aa2"), ("c", "ab1")]]
        )
        assert store.with_digests(["aa", "ac"]) == {"aa": ("a", "b")}
        assert store.with_digests([]) == {}

    def test_a_document_may_have_no_chunks(self, store: Store) -> None:
        """It is listed and read, and never found."""
        empty = Entry(Document("a", "   "), (), np.zeros((0, DIMENSION), np.float32), "d")
        store.put([empty, make_entry("b", ["river"])])
        assert store.document("a").text == "   "
        assert len(store.nearest(unit_rows(1)[0], 5)) == 1

    # -- chunks ---------------------------------------------------------------------------------------------------
    def test_chunks_come_in_the_order_asked(self, store: Store) -> None:
        """Keys are in text order within a document; unknown keys are left out; vectors keep their rows."""
        store.put(corpus())
        keys = store.chunk_keys("doc-007")
        assert keys.dtype == np.int64
        assert sorted(keys.tolist()) == keys.tolist()
        asked = [int(keys[-1]), 10**12, int(keys[0])]
        found = store.chunks(asked)
        assert [chunk.key for chunk in found] == [asked[0], asked[2]]
        for chunk in found:
            assert chunk.text == store.text(chunk.span)
        expected = corpus()[7].vectors
        rows = store.vectors(asked)
        assert rows.dtype == np.float32
        assert rows[0] == pytest.approx(expected[-1], abs=self.vector_error)
        assert rows[2] == pytest.approx(expected[0], abs=self.vector_error)
        assert not rows[1].any()

    def test_chunks_are_placed_without_their_texts(self, store: Store) -> None:
        """The document and the place among its chunks, in the order asked; None for a key that is not there."""
        store.put([make_entry("a", ["river", "stone", "garden"]), make_entry("b", ["paper"])])
        (a1, a2, a3), (b1,) = store.chunk_keys("a").tolist(), store.chunk_keys("b").tolist()
        assert store.places([a3, 10**12, b1, a1, a2]) == [("a", 2), None, ("b", 0), ("a", 0), ("a", 1)]
        store.put([make_entry("a", ["winter", "light"])])
        assert store.places([a1, *store.chunk_keys("a").tolist()]) == [None, ("a", 0), ("a", 1)]
        assert store.places([]) == []

    # -- writing --------------------------------------------------------------------------------------------------
    def test_replacing_leaves_nothing_of_the_old(self, store: Store) -> None:
        """New keys, new words; the old ones are gone everywhere."""
        store.put([make_entry("a", ["river stone"], metadata={"v": 1})])
        old = store.chunk_keys("a")
        store.put([make_entry("a", ["garden winter", "light"], metadata={"v": 2})])
        new = store.chunk_keys("a")
        assert not set(old.tolist()) & set(new.tolist())
        assert store.chunks(old) == []
        assert len(store.lexical("river", 5)) == 0
        assert store.lexical("garden", 5).keys.tolist() == [new[0]]
        assert sorted(store.nearest(unit_rows(1)[0], 5).keys.tolist()) == new.tolist()
        assert list(store.documents({"v": ("1",)})) == []
        assert store.status().documents == 1

    def test_deleting_leaves_the_others(self, store: Store, model: MemoryStore) -> None:
        """Known ids are counted, unknown passed over; searches forget the removed."""
        for one in (store, model):
            one.put(corpus())
            assert one.delete(["doc-003", "nowhere", "doc-010", "doc-011"]) == 3
        same_store(store, model)

    def test_keys_are_never_used_again(self, store: Store) -> None:
        """Not even after the last chunk was removed."""
        store.put([make_entry("a", ["river", "stone"])])
        before = store.chunk_keys("a").tolist()
        store.delete(["a"])
        store.put([make_entry("b", ["river", "stone"])])
        assert min(store.chunk_keys("b").tolist()) > max(before)

    def test_the_later_of_two_entries_stays(self, store: Store) -> None:
        """Within one put as between two."""
        store.put([make_entry("a", ["river"]), make_entry("a", ["stone"])])
        assert store.document("a").text == "stone"
        assert store.status().chunks == 1

    def test_a_put_is_whole_or_nothing(self, store: Store) -> None:
        """One bad entry stores none of the batch."""
        store.put([make_entry("a", ["river"])])
        good = make_entry("b", ["stone"])
        bad = make_entry("c", ["paper", "market"])
        wrong = Chunk(Span("c", 1, 4), "xyz")
        for entry in (
            Entry(bad.document, bad.chunks, bad.vectors[:1], "d"),
            Entry(bad.document, (wrong, *bad.chunks[1:]), bad.vectors, "d"),
            Entry(bad.document, bad.chunks, bad.vectors, "d", (), ((),)),
        ):
            with pytest.raises((StoreError, ProvenanceError)):
                store.put([good, make_entry("a", ["other"]), entry])
        assert [info.id for info in store.documents()] == ["a"]
        assert store.document("a").text == "river"

    # -- searching ------------------------------------------------------------------------------------------------
    @pytest.mark.parametrize(
        "question", ["river", "Stones, and the GARDENS!", "winter winter light", "absent", "?!", ""]
    )
    def test_lexical_is_bm25(self, store: Store, model: MemoryStore, question: str) -> None:
        """Scores of the formula over title and text, stemmed; no words, no results."""
        for one in (store, model):
            one.put(corpus())
        for k in (0, 1, 7, 1000):
            same_ranking(store, store.lexical(question, k), model, model.lexical(question, k), self.score_error)

    def test_a_chunk_without_a_title_is_searched_by_its_documents(self, store: Store) -> None:
        """As chunkers of one's own may make them; it comes back without one."""
        titled = make_entry("a", ["nothing here"], title="Larry Alcala")
        store.put([replace(titled, chunks=(replace(titled.chunks[0], title=""),)), make_entry("b", ["other"])])
        found = store.lexical("alcala", 5)
        assert found.keys.tolist() == store.chunk_keys("a").tolist()
        assert [chunk.title for chunk in store.chunks(found.keys)] == [""]

    def test_a_chunk_is_found_by_the_path_of_its_file(self, store: Store, model: MemoryStore) -> None:
        """And a record, whose id is no path, not by its id."""
        page, record = make_entry("gate/signals.md", ["nothing here"]), make_entry("gate-4", ["other"])
        for one in (store, model):
            one.put([replace(page, document=replace(page.document, source="/data/gate/signals.md")), record])
            assert one.lexical("gate", 5).keys.tolist() == one.chunk_keys("gate/signals.md").tolist()

    def test_nearest_is_the_dot_product(self, store: Store, model: MemoryStore) -> None:
        """Best first."""
        for one in (store, model):
            one.put(corpus())
        for query in unit_rows(5, seed=77):
            for k in (0, 1, 7, 1000):
                same_ranking(store, store.nearest(query, k), model, model.nearest(query, k), self.vector_error)

    def test_ties_are_by_key(self, store: Store) -> None:
        """Equal texts and vectors rank in the order of their keys, also where `k` cuts among them."""
        for n in range(4):
            store.put([make_entry(f"{n}{m}", ["river stone"], seed=3) for m in range(5)])
        keys = sorted(int(key) for n in range(4) for m in range(5) for key in store.chunk_keys(f"{n}{m}"))
        for k in (3, 13, 20):
            assert store.lexical("river", k).keys.tolist() == keys[:k]
            assert store.nearest(unit_rows(1, seed=3)[0], k).keys.tolist() == keys[:k]

    # -- threads --------------------------------------------------------------------------------------------------
    def test_threads_read_beside_a_writer(self, store: Store) -> None:
        """Each look-up sees whole documents: all chunks of a document carry the mark of one version."""

        def version(n: int) -> Entry:
            return make_entry("a", [f"river mark{n}", f"stone mark{n}", f"garden mark{n}"], seed=n)

        def read(_: int) -> bool:
            keys = store.lexical("river stone garden", 10).keys
            texts = [chunk.text.split()[1] for chunk in store.chunks(keys)]
            whole = store.document("a").text
            return len(set(texts)) <= 1 and len({line.split()[1] for line in whole.split("\n")}) == 1

        store.put([version(0)])
        with ThreadPoolExecutor(4) as pool:
            readings = pool.map(read, range(40))
            for n in range(1, 8):
                store.put([version(n)])
            assert all(readings)
        assert store.document("a").text.count("mark7") == 3
