"""Reading documents and chunks out of the tables, and whole entries as they were put."""

import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from library_in_memory import library
from random_entries import entries

from decoct.data import Chunk, Document, Link, Span
from decoct.errors import CorpusError, ProvenanceError
from decoct.index.base import ChunkPlace, DocumentInfo, Entry
from decoct.index.embedded import reading
from decoct.index.embedded.border import UndecodableError
from decoct.index.entries import digest_of
from decoct_testing.store_corpus import make_entry, unit_rows

HALF = "a\ud800"  # half a surrogate pair: no document can have it

# Keys 1 and 2 are of "a" (document 1), key 3 of "b" (document 2); "c" (document 3) has no chunk.
A = make_entry("a", ["river", "stone wall"], seed=1, title="Alpha", metadata={"year": 2020}, digest="aa11")
B = make_entry("b", ["bridge"], seed=2, metadata={"year": 2021, "kind": "letter"}, digest="ab22")
C = make_entry("c", [], metadata={"year": 2021}, digest="bb33")


@pytest.fixture
def filled() -> sqlite3.Connection:
    return library(A, B, C)


# -- numbers -----------------------------------------------------------------------------------------------------
def test_a_number_that_is_lost_is_told(filled: sqlite3.Connection) -> None:
    assert reading.number_of(filled, "sequence") == 1
    filled.execute("DELETE FROM meta WHERE name = 'sequence'")
    with pytest.raises(UndecodableError, match="its sequence is lost"):
        reading.number_of(filled, "sequence")


def test_the_tally_is_how_many_chunks_and_the_sum_of_their_keys(filled: sqlite3.Connection) -> None:
    assert reading.tally(filled) == (3, 1 + 2 + 3)
    filled.execute("DELETE FROM meta WHERE name = 'keys'")  # as in a library of the version before
    assert reading.tally(filled) == (3, 6)
    assert reading.tally(library()) == (0, 0)


def test_counts_are_of_documents_chunks_names_and_changes(filled: sqlite3.Connection) -> None:
    assert reading.counts(filled) == {"documents": 3, "chunks": 3, "names": 0, "sequence": 1, "generation": 0}
    assert reading.is_empty(library())
    assert not reading.is_empty(filled)
    assert reading.settings(filled) == {"embedder": "hand"}


# -- documents ---------------------------------------------------------------------------------------------------
def test_a_document_comes_back_as_it_was_put() -> None:
    document = Document(
        "d", "Heading\nsee [1]", "Title", "/x.md", {"n": 1, "f": 1.5, "b": True, "t": "ü"}, ("Dee",), ((0, 7),),
        (Link(12, 15, "http://x"),),
    )  # fmt: skip
    connection = library(Entry(document, (), np.empty((0, 12), np.float32), "digest"))
    assert reading.document(connection, "d") == document


def test_text_is_read_within_its_document_only(filled: sqlite3.Connection) -> None:
    assert reading.span_text(filled, Span("a", 6, 16)) == "stone wall"
    with pytest.raises(ProvenanceError, match="past the document's 16 characters"):
        reading.span_text(filled, Span("a", 6, 17))


@pytest.mark.parametrize("doc_id", ["nobody", HALF])
def test_an_unknown_document_is_told_with_what_lists_them(filled: sqlite3.Connection, doc_id: str) -> None:
    with pytest.raises(CorpusError, match="decoct documents list"):
        reading.document(filled, doc_id)
    with pytest.raises(CorpusError, match="no document"):
        reading.span_text(filled, Span(doc_id, 0, 1))
    assert reading.chunk_keys(filled, doc_id).tolist() == []
    assert reading.digests(filled, [doc_id, "b"]) == {"b": "ab22"}


def test_a_page_of_a_listing_goes_on_after_an_id_and_keeps_the_filter(filled: sqlite3.Connection) -> None:
    assert reading.listing(filled, {}, None, 1) == [
        DocumentInfo("a", "Alpha", "/corpus.jsonl#a", 16, 2, {"year": 2020})
    ]
    assert [one.id for one in reading.listing(filled, {}, "a", 9)] == ["b", "c"]
    assert [one.id for one in reading.listing(filled, {"year": ("2021",)}, None, 9)] == ["b", "c"]
    assert [one.id for one in reading.listing(filled, {"year": ("2021",), "kind": ("letter",)}, None, 9)] == ["b"]
    assert reading.listing(filled, {"year": ()}, None, 9) == []


def test_documents_are_found_by_how_their_digests_begin(filled: sqlite3.Connection) -> None:
    assert reading.with_digests(filled, ["a"]) == {"a": ("a", "b")}
    assert reading.with_digests(filled, ["aa", "bb", "cc"]) == {"aa": ("a",), "bb": ("c",)}
    assert reading.with_digests(filled, []) == {}


def test_metadata_that_is_no_json_is_told_as_unreadable(filled: sqlite3.Connection) -> None:
    filled.execute("UPDATE documents SET metadata = '{' WHERE id = 'a'")
    with pytest.raises(UndecodableError):
        reading.document(filled, "a")
    with pytest.raises(UndecodableError):
        reading.listing(filled, {}, None, 9)


# -- chunks ------------------------------------------------------------------------------------------------------
def test_chunks_come_in_the_order_asked_and_the_gone_are_left_out(filled: sqlite3.Connection) -> None:
    found = reading.chunks(filled, [3, 99, 2, 3])
    bridge, wall = Chunk(Span("b", 0, 6), "bridge", "", 3), Chunk(Span("a", 6, 16), "stone wall", "Alpha", 2)
    assert found == [bridge, wall, bridge]


def test_a_chunk_keeps_a_title_of_its_own_even_an_empty_one() -> None:
    entry = make_entry("a", ["river", "stone", "wall"], title="Alpha")
    titles = ("Alpha", "", "Walls")
    own = tuple(replace(chunk, title=title) for chunk, title in zip(entry.chunks, titles, strict=True))
    assert tuple(one.title for one in reading.chunks(library(replace(entry, chunks=own)), [1, 2, 3])) == titles


def test_what_is_told_of_a_key_that_does_not_exist(filled: sqlite3.Connection) -> None:
    keys = [2, 99, 3]
    assert reading.places(filled, keys) == [ChunkPlace("a", 1), None, ChunkPlace("b", 0)]
    assert reading.owners(filled, keys).tolist() == [1, -1, 2]
    assert reading.extents(filled, keys).tolist() == [[1, 3], [0, 0], [3, 4]]
    assert reading.traits(filled, keys) == [b"traits of stone wall", b"", b"traits of bridge"]
    assert reading.existing(filled, keys) == {2, 3}
    vectors, marks = reading.vectors(filled, keys), reading.signatures(filled, keys)
    assert vectors.tolist() == [unit_rows(2, 1)[1].tolist(), [0.0] * 12, unit_rows(1, 2)[0].tolist()]
    assert A.signatures is not None
    assert marks[:2].tolist() == [A.signatures[1].tolist(), [0] * 8]


def test_no_keys_have_the_shape_of_none() -> None:
    connection = library()
    assert reading.extents(connection, []).shape == (0, 2)
    assert reading.vectors(connection, [1]).shape == (1, 0)
    assert reading.signatures(connection, []).shape == (0, 0)
    assert reading.key_ranges(connection, {}).shape == (0, 2)


def test_the_ranges_of_a_filter_are_those_of_documents_with_chunks(filled: sqlite3.Connection) -> None:
    assert reading.key_ranges(filled, {}).tolist() == [[1, 2], [3, 1]]
    assert reading.key_ranges(filled, {"year": ("2021",)}).tolist() == [[3, 1]]
    assert sorted(reading.numbers(filled, {"year": ("2021",)}).tolist()) == [2, 3]
    assert reading.numbers(filled, {"year": (HALF, "a\0")}).tolist() == []


def test_keys_are_taken_as_an_array_or_as_numbers() -> None:
    assert reading.integers(np.array([3, 1], np.int64)) == [3, 1]
    numbers: list[int] = list(np.array([3, 1], np.int64))
    assert [(one, type(one)) for one in reading.integers(numbers)] == [(3, int), (1, int)]


# -- whole entries -----------------------------------------------------------------------------------------------
def test_entries_come_in_the_order_asked_and_the_unknown_are_left_out(filled: sqlite3.Connection) -> None:
    found = reading.entries(filled, ["c", "nobody", HALF, "a"])
    assert [entry.document for entry in found] == [C.document, A.document]
    assert [digest_of(entry) for entry in found] == [digest_of(C), digest_of(A)]
    assert [chunk.key for chunk in found[1].chunks] == [1, 2]


def test_an_entry_without_signatures_comes_back_without() -> None:
    bare = replace(A, signatures=None, traits=())
    (found,) = reading.entries(library(bare), ["a"])
    assert found.signatures is None
    assert digest_of(found) == digest_of(bare)


@settings(max_examples=30)
@given(st.lists(entries(), max_size=4, unique_by=lambda entry: entry.document.id))
def test_every_entry_comes_back_as_it_was_put(put: list[Entry]) -> None:
    connection = library(*put)
    found = reading.entries(connection, [entry.document.id for entry in put])
    assert [digest_of(entry) for entry in found] == [digest_of(entry) for entry in put]
