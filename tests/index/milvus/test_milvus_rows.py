"""Reading and searching in Milvus's rows without a server: what is seen of a document, how words are scored, names and filters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from milvus_tables import Tables

from decoct.data import Chunk, Range, Span
from decoct.errors import CorpusError, DamagedStoreError, ProvenanceError, StoreError
from decoct.index.base import ChunkPlace, DocumentInfo
from decoct.index.entries import digest_of
from decoct_milvus import collections, connection, reading, searching, store, writing
from decoct_milvus.connection import Connection
from decoct_milvus.location import located
from decoct_testing.store_corpus import make_entry

pytest.importorskip("pymilvus")

A = replace(
    make_entry("a", ["river", "river stone"], seed=1, metadata={"year": 2020}, digest="aa11"),
    mentions=((5, 9), (9,)),
    names=((7, 1.0),),
)
B = replace(
    make_entry("b", ["stone"], seed=2, metadata={"year": 2021, "kind": "letter"}),
    mentions=((9,),),
    names=((7, 0.5), (8, 1.0)),
)
SETTINGS = {"embedder": "hand", "language": "en"}


@pytest.fixture
def at() -> Any:
    made: Any = Tables()
    writing.put(made, collections.Numbers(), [A, B], SETTINGS)
    return made


def keys_of(at: Any) -> tuple[int, int]:
    """The first keys of a and b: the numbers under which they stand."""
    a, b = (reading.row_of(at, one, ["number"]) for one in ("a", "b"))
    assert a is not None
    assert b is not None
    return a["number"], b["number"]


# -- reading -----------------------------------------------------------------------------------------------------
def test_documents_and_chunks_come_back_as_they_were_put(at: Any) -> None:
    a, b = keys_of(at)
    assert reading.document(at, "a") == A.document
    assert reading.chunks(at, [b, 3, a + 1]) == [
        Chunk(Span("b", 0, 5), "stone", "", b),
        Chunk(Span("a", 6, 17), "river stone", "", a + 1),
    ]
    assert reading.places(at, [a + 1, 3, b]) == [ChunkPlace("a", 1), None, ChunkPlace("b", 0)]
    assert reading.extents(at, [a + 1, 3]).tolist() == [[a, a + 2], [0, 0]]
    assert reading.traits(at, [b, 3]) == [b"traits of stone", b""]
    assert reading.infos(at, ["b", "nobody", "a"])[1] == DocumentInfo("a", "", "/corpus.jsonl#a", 17, 2, {"year": 2020})
    for entry in (A, B):
        found = reading.entry(at, entry.document.id)
        assert found is not None
        assert digest_of(found) == digest_of(entry)


def test_a_text_of_several_parts_is_cut_out_of_those_it_touches(at: Any) -> None:
    text = "".join(chr(0x61 + n % 26) for n in range(2 * collections.PART)) + "ü😀"
    writing.put(at, collections.Numbers(), [make_entry("l", [text])], SETTINGS)
    for start, end in [(0, 1), (collections.PART - 40, collections.PART + 40), (5, len(text))]:
        assert reading.span_text(at, Span("l", start, end)) == text[start:end]
    with pytest.raises(ProvenanceError, match="past the document's"):
        reading.span_text(at, Span("l", 0, len(text) + 1))


@pytest.mark.parametrize("doc_id", ["nobody", "a\0", "\ud800"])
def test_an_unknown_document_is_told(at: Any, doc_id: str) -> None:
    for look_up in (lambda: reading.document(at, doc_id), lambda: reading.span_text(at, Span(doc_id, 0, 1))):
        with pytest.raises(CorpusError, match="no document"):
            look_up()
    assert reading.entry(at, doc_id) is None


def test_a_lost_part_is_told(at: Any) -> None:
    a, _ = keys_of(at)
    at.remove("parts", "document", [a])
    for look_up in (lambda: reading.document(at, "a"), lambda: reading.chunks(at, [a])):
        with pytest.raises(DamagedStoreError, match="'a' has lost a part"):
            look_up()


def test_chunks_that_no_documents_row_names_are_not_there(at: Any) -> None:
    """As an interrupted writing leaves them, or one that is being replaced."""
    a, b = keys_of(at)
    at.remove("documents", "key", [collections.term("a")])
    assert reading.chunks(at, [a, b]) == reading.chunks(at, [b])
    assert reading.places(at, [a]) == [None]
    assert searching.passing(at, [a, b], {}).tolist() == [False, True]
    assert searching.mentioned_in(at, [9], 9, 1).keys.tolist() == [b]
    at.found = [a, b]
    assert searching.lexical(at, "stone", 9, {}).keys.tolist() == [b]
    status = reading.status(at, {})
    assert (status.documents, status.chunks, status.names) == (1, 1, 3)


# -- words and vectors -------------------------------------------------------------------------------------------
def test_words_are_scored_by_the_formula_whatever_milvus_gave(at: Any) -> None:
    """As in the embedded store's test: three chunks of 4/3 words on average; river stands in two of them."""
    a, b = keys_of(at)
    at.found = [b, a + 1, a]
    found = searching.lexical(at, "river", 9, {})
    assert found.keys.tolist() == [a, a + 1]
    assert found.scores.tolist() == pytest.approx([0.4700036 * 1.1139241, 0.4700036 * 0.8301887], abs=1e-5)
    assert searching.lexical(at, "river river", 1, {}).scores.tolist() == pytest.approx(
        [2 * 0.4700036 * 1.1139241], abs=1e-5
    )
    assert [len(searching.lexical(at, question, k, {})) for question, k in (("river", 0), ("", 5), ("bridge", 5))] == [
        0,
        0,
        0,
    ]


def test_ties_are_by_key_and_more_are_asked_for_than_wanted(at: Any) -> None:
    a, b = keys_of(at)
    at.found = [b, a]
    assert searching._ranking([(b, 0.5), (a, 0.5)], 2).keys.tolist() == sorted([a, b])
    vector = np.asarray(A.vectors[0])
    assert searching.nearest(at, vector, 1, {}).keys.tolist() == [a]
    assert at.asked[-1]["limit"] == searching.WIDER + searching.MORE
    with pytest.raises(StoreError, match="has 3 numbers, the library's have 12"):
        searching.nearest(at, vector[:3], 1, {})


def test_how_many_chunks_hold_a_stem(at: Any) -> None:
    counts, chunks = searching.frequencies(at, ["river", "stone", "x"])
    assert (counts.tolist(), chunks) == ([2, 2, 0], 3)
    empty: Any = Tables(chunks=False)
    assert searching.frequencies(empty, ["x"])[1] == 0
    assert searching.languages(empty) == ("en",)
    assert searching.languages(at) == ("en",)


def test_in_a_file_words_are_counted_in_one_reading(at: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """milvus-lite looks at every row for each `text_match`: ten words of a question would be ten readings."""
    asked = ["river", "stone", "x", "river"]
    counts, chunks = searching.frequencies(at, asked)
    at.location = located(f"milvus-lite://{tmp_path}/library.db")
    readings = []
    whole = at.all

    def read(table: str, condition: str, columns: list[str]) -> list[dict[str, Any]]:
        readings.append(table)
        return list(whole(table, condition, columns))

    monkeypatch.setattr(at, "all", read)
    monkeypatch.setattr(at, "count", lambda *given: pytest.fail(f"counted by the server: {given}"))
    in_file, of_file = searching.frequencies(at, asked)
    assert (in_file.tolist(), of_file) == (counts.tolist(), chunks)
    assert readings == ["chunks"]


@pytest.mark.parametrize("count", [0, 5, 8, 13])
def test_in_a_file_every_row_is_read_once(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_ROWS", 4)
    asked = []

    def query(name: str, *, limit: int, offset: int, **_: object) -> list[dict[str, int]]:
        asked.append(offset)
        return [{"key": key} for key in range(offset, min(offset + limit, count))]

    at = object.__new__(Connection)
    at.location, at.client = located(f"milvus-lite://{tmp_path}/library.db"), SimpleNamespace(query=query)
    assert [row["key"] for row in at.all("chunks", "key >= 0", ["key"])] == list(range(count))
    assert len(asked) == count // 4 + 1  # a page that is not full is the last


# -- filters and names -------------------------------------------------------------------------------------------
def test_a_filter_is_numbers_of_the_values_that_pass(at: Any) -> None:
    a, b = keys_of(at)
    later = {"year": (Range(((">", "2020"),)),)}
    assert searching.condition_of(at, later) == [[collections.term("year", "2021")]]
    assert searching.condition_of(at, {"year": ("1999", Range((("<", "0"),)))}) == [[collections.term("year", "1999")]]
    assert searching.condition_of(at, {"n\0": ("x",)}) is None
    assert searching.condition_of(at, {"year": ()}) is None
    assert searching.expression([]) == ""
    at.found = [a, a + 1, b]
    assert searching.lexical(at, "stone", 9, later).keys.tolist() == [b]
    assert searching.passing(at, [a, b, 3], {**later, "kind": ("letter",)}).tolist() == [False, True, False]
    assert searching.metadata_keys(at) == ["kind", "year"]


def test_names_are_counted_and_frequent_ones_left_out(at: Any) -> None:
    a, b = keys_of(at)
    found = searching.mentioned_in(at, [9, 5, 4], 2, 1)
    assert (found.names.tolist(), found.keys.tolist(), found.counts) == ([5], [a], {9: 3, 5: 1, 4: 0})
    named = searching.chunks_known_by(at, [8, 7], 2)
    assert (named.names.tolist(), named.strengths.tolist()) == ([7, 7, 7, 8], [1.0, 1.0, 0.5, 1.0])
    assert named.keys.tolist() == [a, a + 1, b, b]
    assert searching.chunks_known_by(at, [7, 8], 1).names.tolist() == [8]
    assert searching.mentioned_in(at, [], 9, 1).counts == {}


def test_names_of_more_rows_than_milvus_gives_at_once_are_read_by_name(
    at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = searching.mentioned_in(at, [5, 9], 9, 1)
    monkeypatch.setattr(searching, "MOST_ROWS", 2)
    again = searching.mentioned_in(at, [5, 9], 9, 1)
    assert (again.names.tolist(), again.keys.tolist()) == (whole.names.tolist(), whole.keys.tolist())


# -- the store ---------------------------------------------------------------------------------------------------
def test_a_store_lists_and_checks_every_document(at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PAGE", 1)
    opened = store.MilvusStore(at, SETTINGS)
    assert [one.id for one in opened.documents()] == ["a", "b"]
    assert [one.id for one in opened.documents({"year": ("2021",)})] == ["b"]
    assert list(opened.documents({"year": ()})) == []
    assert opened.with_digests(["aa", "no", 'a"%']) == {"aa": ("a",)}
    assert opened.digests(["a", "nobody", "x\0"]) == {"a": "aa11"}
    told: list[tuple[int, int]] = []
    (checked,) = opened.verify(lambda done, of: told.append((done, of)))
    assert (checked.checked, checked.damaged, told) == (2, (), [(1, 2), (2, 2)])
    next(row for row in at.tables["chunks"] if row["key"] == keys_of(at)[1])["mentions"] = [1]
    (checked,) = opened.verify()
    assert checked.damaged == ("b",)
    assert opened.delete(["a", "a", "nobody"]) == 1
    assert [one.id for one in opened.documents()] == ["b"]
