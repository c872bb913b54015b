"""What stands in PostgreSQL's tables after putting and deleting, and what each look-up reads of it, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from decoct.data import Chunk, Document, Span
from decoct.errors import CorpusError, DamagedStoreError, ProvenanceError, StaleIndexError, StoreError
from decoct.index.base import ChunkPlace, DocumentInfo, Entry
from decoct.index.entries import digest_of
from decoct_postgresql import names, opening, reading, schema, store, writing
from decoct_postgresql.connections import Connections
from decoct_testing.store_corpus import make_entry, unit_rows

pytestmark = pytest.mark.services

SETTINGS = {"embedder": "hand", "language": "en"}
A = replace(
    make_entry("a", ["river", "stone wall"], seed=1, title="Alpha", metadata={"year": 2020}, digest="aa11"),
    mentions=((5, 9), (9,)),
    names=((7, 1.0),),
)
B = replace(make_entry("b", ["bridge"], seed=2, digest="ab22"), mentions=((9,),), names=((7, 0.5), (8, 1.0)))


@pytest.fixture
def library(url: str) -> Iterator[Connections]:
    """A library of documents a (number n, chunks n << 20 and the next) and b (n + 1)."""
    connections = opening.connected(url)
    opening.prepare(connections, create=True)
    connections.write(lambda at: writing.put(at, [A, B], SETTINGS, connections.location))
    yield connections
    connections.close()


def sums(library: Connections, table: str, what: str, value: str = "value") -> dict[object, int]:
    statement = f"SELECT {what}, sum({value})::bigint FROM {table} GROUP BY {what} HAVING sum({value}) <> 0"
    return dict(library.read(lambda at: at.execute(statement).fetchall()))


def _rows(at: Any, table: str) -> list[Any]:
    found: list[Any] = at.execute(f"SELECT * FROM {table}").fetchall()
    return found


def firsts(library: Connections) -> tuple[int, int]:
    """The first keys of a and b."""
    a, b = (int(library.read(partial(reading.chunk_keys, doc_id=one))[0]) for one in ("a", "b"))
    return a, b


# -- writing -----------------------------------------------------------------------------------------------------
def test_what_is_counted_over_the_library_is_exact_and_taken_back(library: Connections) -> None:
    assert sums(library, "tallies", "what") == {
        "documents": 2, "chunks": 3, "words": 2 + 3 + 1, "language en": 2, "sequence": 1,
    }  # fmt: skip
    assert sums(library, "words", "word", "chunks") == {"alpha": 2, "river": 1, "stone": 1, "wall": 1, "bridg": 1}
    assert sums(library, "names", "name", "chunks") == {5: 1, 9: 3}
    assert sums(library, "names", "name", "documents") == {7: 2, 8: 1}
    assert library.write(lambda at: writing.delete(at, ["a", "a", "nobody", "x\0"])) == 1
    assert sums(library, "tallies", "what") == {
        "documents": 1,
        "chunks": 1,
        "words": 1,
        "language en": 1,
        "sequence": 2,
    }
    assert sums(library, "words", "word", "chunks") == {"bridg": 1}
    assert sums(library, "names", "name", "chunks") == {9: 1}
    assert library.write(lambda at: writing.delete(at, ["a"])) == 0
    assert sums(library, "tallies", "what")["sequence"] == 2


def test_a_new_document_is_put_without_a_look_at_the_others(library: Connections) -> None:
    """What only replacing has to read is not read: over a large library that was most of what an ingest cost."""

    def scans_of(entry: Entry) -> dict[str, int]:
        def put(at: Any) -> dict[str, int]:
            writing.put(at, [entry], SETTINGS, library.location)
            statement = "SELECT relname, seq_scan + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()"
            return dict(at.execute(statement).fetchall())

        found = library.write(put)
        return {name: found[name] for name in ("chunks", "lexical", "mentions", "known_as", "texts", "metadata")}

    assert not any(scans_of(make_entry("c", ["new"], seed=3)).values())
    assert all(scans_of(A).values())


def test_deleting_everything_leaves_no_row(library: Connections) -> None:
    library.write(lambda at: writing.delete(at, ["a", "b"]))
    for table in ("documents", "texts", "chunks", "vectors", "lexical", "metadata", "mentions", "known_as"):
        assert library.read(partial(_rows, table=table)) == []


def test_a_replaced_document_gets_keys_that_were_never_used(library: Connections) -> None:
    before = firsts(library)
    library.write(lambda at: writing.put(at, [A], SETTINGS, library.location))
    after = firsts(library)
    assert after[0] > max(before)
    assert after[1] == before[1]
    assert all(key % (1 << schema.PLACES) == 0 for key in after)


def test_other_lengths_or_settings_are_refused_until_the_library_is_empty(library: Connections) -> None:
    short = Entry(Document("c", "river"), (Chunk(Span("c", 0, 5), "river"),), unit_rows(1, dimension=5), "d")
    with pytest.raises(StoreError, match="5 dimensions, the library's have 12"):
        library.write(lambda at: writing.put(at, [short], SETTINGS, library.location))
    with pytest.raises(StoreError, match="others beside it have 12"):
        library.write(lambda at: writing.put(at, [A, short], SETTINGS, library.location))
    with pytest.raises(StaleIndexError, match="embedder 'hand', not 'new'"):
        library.write(lambda at: writing.put(at, [B], {"embedder": "new"}, library.location))
    assert library.read(opening.settings) == SETTINGS
    library.write(lambda at: writing.delete(at, ["a", "b"]))
    library.write(lambda at: writing.put(at, [short], {"embedder": "new"}, library.location))
    assert library.read(opening.settings) == {"embedder": "new"}


# -- reading -----------------------------------------------------------------------------------------------------
def test_documents_chunks_and_listings(library: Connections) -> None:
    a, b = firsts(library)
    assert library.read(lambda at: reading.document(at, "a")) == A.document
    assert library.read(lambda at: reading.chunks(at, [b, 1, a + 1])) == [
        Chunk(Span("b", 0, 6), "bridge", "", b),
        Chunk(Span("a", 6, 16), "stone wall", "Alpha", a + 1),
    ]
    assert library.read(lambda at: reading.listing(at, {}, None, 1)) == [
        DocumentInfo("a", "Alpha", "/corpus.jsonl#a", 16, 2, {"year": 2020})
    ]
    assert [one.id for one in library.read(lambda at: reading.listing(at, {}, "a", 9))] == ["b"]
    assert library.read(lambda at: reading.digests(at, ["b", "nobody", "\ud800"])) == {"b": "ab22"}
    assert library.read(lambda at: reading.with_digests(at, ["a", "b"])) == {"a": ("a", "b")}


def test_a_text_of_several_parts_is_cut_out_of_those_it_touches(library: Connections) -> None:
    text = "".join(chr(0x61 + n % 26) for n in range(3 * schema.PART - 7)) + "ü\0😀"
    library.write(
        lambda at: writing.put(
            at, [Entry(Document("l", text), (), np.empty((0, 12), np.float32), "d")], SETTINGS, library.location
        )
    )
    for start, end in [(0, 1), (schema.PART - 1, schema.PART + 1), (schema.PART, 2 * schema.PART), (5, len(text))]:
        assert library.read(partial(reading.span_text, span=Span("l", start, end))) == text[start:end]
    with pytest.raises(ProvenanceError, match="past the document's"):
        library.read(lambda at: reading.span_text(at, Span("l", 0, len(text) + 1)))
    library.write(lambda at: at.execute("DELETE FROM texts WHERE part = 1"))
    with pytest.raises(DamagedStoreError, match="has lost characters"):
        library.read(lambda at: reading.document(at, "l"))


@pytest.mark.parametrize("doc_id", ["nobody", "a\0", "\ud800"])
def test_an_unknown_document_is_told(library: Connections, doc_id: str) -> None:
    with pytest.raises(CorpusError, match="no document"):
        library.read(partial(reading.document, doc_id=doc_id))
    with pytest.raises(CorpusError, match="no document"):
        library.read(partial(reading.span_text, span=Span(doc_id, 0, 1)))
    assert library.read(lambda at: reading.entry(at, doc_id)) is None
    assert library.read(lambda at: reading.chunk_keys(at, doc_id)).tolist() == []


def test_what_is_told_of_a_key_that_does_not_exist(library: Connections) -> None:
    a, b = firsts(library)
    keys = [a + 1, a + 2, 3, b]  # a has no third chunk, and nobody has number 0
    assert library.read(lambda at: reading.places(at, keys)) == [ChunkPlace("a", 1), None, None, ChunkPlace("b", 0)]
    assert library.read(lambda at: reading.extents(at, keys)).tolist() == [[a, a + 2], [0, 0], [0, 0], [b, b + 1]]
    assert library.read(lambda at: reading.traits(at, keys)) == [b"traits of stone wall", b"", b"", b"traits of bridge"]
    assert library.read(lambda at: reading.signatures(at, keys))[1:3].tolist() == [[0] * 8] * 2
    assert library.read(lambda at: reading.passing(at, keys, {})).tolist() == [True, False, False, True]
    assert library.read(lambda at: reading.passing(at, keys, {"year": ("2020",)})).tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_an_entry_comes_back_with_the_digest_that_was_kept(library: Connections) -> None:
    for entry in (A, B):
        found = library.read(partial(reading.entry, doc_id=entry.document.id))
        assert found is not None
        assert digest_of(found) == digest_of(entry)
        assert library.read(partial(reading.kept_sum, doc_id=entry.document.id)) == digest_of(entry)
    status = library.read(reading.status)
    assert (status.documents, status.chunks, status.names, status.sequence, status.settings) == (2, 3, 4, 1, SETTINGS)


# -- names -------------------------------------------------------------------------------------------------------
def test_a_frequent_name_is_counted_and_its_chunks_left_out(library: Connections) -> None:
    a, b = firsts(library)
    found = library.read(lambda at: names.mentioned_in(at, [9, 5, 4], 2, 1))
    assert (found.names.tolist(), found.keys.tolist(), found.counts) == ([5], [a], {9: 3, 5: 1, 4: 0})
    found = library.read(lambda at: names.mentioned_in(at, [9, 5], 3, 3))
    assert found.keys.tolist() == [a, a + 1, b]


def test_who_is_known_by_a_name_is_told_with_every_chunk_and_how_surely(library: Connections) -> None:
    a, b = firsts(library)
    found = library.read(lambda at: names.chunks_known_by(at, [8, 7], 2))
    assert found.names.tolist() == [7, 7, 7, 8]
    assert found.keys.tolist() == [a, a + 1, b, b]
    assert found.strengths.tolist() == [1.0, 1.0, 0.5, 1.0]
    assert library.read(lambda at: names.chunks_known_by(at, [8, 7], 1)).keys.tolist() == [b]
    assert library.read(lambda at: names.chunks_known_by(at, [4], 9)).keys.tolist() == []


# -- opening -----------------------------------------------------------------------------------------------------
def test_a_library_is_made_once_and_removed_with_its_companions(url: str) -> None:
    assert opening.stored_settings(url) is None
    with store.PostgreSQLStore.open(url, settings=SETTINGS) as first:
        assert opening.stored_settings(url) is None  # nothing was ever put in it
        first.put([A])
        companion = first.companion("cards")
    store.PostgreSQLStore.open(companion, settings={}).close()
    assert opening.stored_settings(url) == SETTINGS
    opening.remove(url)
    opening.remove(url)
    with pytest.raises(StoreError, match="there is no library"):
        store.PostgreSQLStore.open(companion, settings={}, create=False)


def test_an_old_extension_is_told_with_the_version_that_is_needed(
    library: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_LEAST_PGVECTOR", (99, 1))
    with pytest.raises(StoreError, match=r"pgvector is of version .*, 99\.1 is needed"):
        opening.prepare(library, create=True)


def test_a_migration_is_all_or_nothing(library: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    def halfway(at: Any) -> None:
        at.execute("ALTER TABLE documents ADD COLUMN half text")
        raise StoreError("stopped halfway")

    newest = len(schema.MIGRATIONS)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, halfway])
    with pytest.raises(StoreError, match="halfway"):
        opening.prepare(library, create=True)
    assert library.read(lambda at: schema.version(at, library.location)) == newest
    assert library.read(lambda at: reading.document(at, "a")) == A.document


def test_a_library_of_the_first_version_is_read_on(library: Connections) -> None:
    def older(at: Any) -> None:
        at.execute("ALTER TABLE chunks DROP COLUMN place")
        at.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")

    library.write(older)
    opening.prepare(library, create=False)
    assert library.read(lambda at: schema.version(at, library.location)) == len(schema.MIGRATIONS)
    a, b = firsts(library)
    assert [one.text for one in library.read(lambda at: reading.chunks(at, [a, b]))] == ["river", "bridge"]


def test_a_listing_of_several_pages_misses_and_repeats_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PAGE", 2)
    with store.PostgreSQLStore.open(url, settings=SETTINGS) as opened:
        opened.put([make_entry(f"d{n}", ["river"], seed=n) for n in range(5)])
        assert [one.id for one in opened.documents()] == [f"d{n}" for n in range(5)]
        told: list[tuple[int, int]] = []
        (checked,) = opened.verify(lambda done, of: told.append((done, of)))
        assert (checked.checked, checked.damaged) == (5, ())
        assert told == [(n, 5) for n in range(1, 6)]
        opened._connections.write(lambda at: at.execute("UPDATE documents SET digest = 'x' WHERE id = 'd3'"))
        (checked,) = opened.verify()
        assert checked.damaged == ("d3",)
