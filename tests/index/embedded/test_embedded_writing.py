"""Putting and deleting in the tables: what is refused, what is numbered anew, what is logged, and the digests kept beside."""

import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from library_in_memory import library, rows

from decoct.data import Chunk, Document, Span
from decoct.errors import CorpusError, DecoctError, ProvenanceError, StoreError
from decoct.index.base import Entry
from decoct.index.embedded import columns, reading, sums, writing
from decoct_testing.store_corpus import make_entry, unit_rows

GOOD = make_entry(
    "a", ["river", "stone"], title="Alpha", metadata={"year": 2020}, names=("Alpha",), mentions=(("x",), ())
)
LOG = "SELECT sequence, document, first_key, chunks, added FROM changes ORDER BY number"


# -- what is refused ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        (
            replace(GOOD, document=replace(GOOD.document, text="other text.")),
            ProvenanceError,
            "does not equal its text",
        ),
        (replace(GOOD, document=replace(GOOD.document, id="b")), ProvenanceError, "does not equal its text"),
        (replace(GOOD, vectors=unit_rows(3)), StoreError, r"2 chunks but vectors of shape \(3, 12\)"),
        (replace(GOOD, vectors=unit_rows(2)[0]), StoreError, r"vectors of shape \(12,\)"),
        (replace(GOOD, vectors=np.full((2, 12), np.inf, np.float32)), StoreError, "not finite; check the embedder"),
        (replace(GOOD, mentions=((),)), StoreError, "2 chunks but mentions for 1"),
        (replace(GOOD, traits=(b"",) * 3), StoreError, "2 chunks but traits for 3"),
        (replace(GOOD, signatures=np.zeros((1, 8), np.uint8)), StoreError, "2 chunks but 1 signatures"),
        (replace(make_entry("a\0", []), chunks=()), CorpusError, "NUL"),
        (make_entry("a", [], metadata={"k": "\0"}), CorpusError, "NUL"),
    ],
)
def test_an_entry_that_breaks_the_contract_is_refused(wrong: Entry, error: type[DecoctError], told: str) -> None:
    with pytest.raises(error, match=told):
        writing.check([make_entry("good", ["river"]), wrong])


def test_a_document_too_long_to_be_numbered_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_PARTS", 3)
    longest = Document("a", "x" * 2 * columns.PART)
    assert writing.check([Entry(longest, (), np.empty((0, 12), np.float32), "d")])
    with pytest.raises(StoreError, match="too long \\(2,001 characters\\); split it"):
        writing.check([Entry(replace(longest, text=longest.text + "x"), (), np.empty((0, 12), np.float32), "d")])


def test_of_two_entries_with_one_id_the_later_stays() -> None:
    checked = writing.check([GOOD, make_entry("b", []), make_entry("a", ["other"])])
    assert [(entry.document.id, entry.document.text) for entry in checked] == [("a", "other"), ("b", "")]


def test_all_vectors_and_all_signatures_of_a_library_have_one_length() -> None:
    connection = library(GOOD)
    short = Entry(Document("b", "river"), (Chunk(Span("b", 0, 5), "river"),), unit_rows(1, dimension=5), "d")
    with pytest.raises(StoreError, match=r"'b' has vectors of 5 dimensions, the library's have 12"):
        writing.put(connection, [short], {})
    unmarked = replace(make_entry("b", ["river"]), signatures=None)
    with pytest.raises(StoreError, match="0 signature bytes, the library's have 8"):
        writing.put(connection, [unmarked], {})
    with pytest.raises(StoreError, match="5 dimensions"):  # also within one put
        writing.put(library(), [GOOD, short], {})


def test_a_document_without_chunks_says_nothing_of_lengths() -> None:
    empty = Entry(Document("e", ""), (), np.empty((0, 3), np.float32), "d")
    connection = library(empty)
    writing.put(connection, [GOOD], {})
    assert reading.vectors(connection, [1]).shape == (1, 12)


def test_an_emptied_library_takes_other_settings_and_lengths() -> None:
    connection = library(GOOD)
    writing.delete(connection, ["a"])
    writing.put(connection, [replace(make_entry("b", ["river"]), signatures=None)], {"chunker": "new"})
    assert reading.settings(connection) == {"chunker": "new"}
    assert reading.signatures(connection, [3]).shape == (1, 0)


# -- numbers and the log -----------------------------------------------------------------------------------------
def test_a_replaced_document_gets_numbers_that_were_never_used() -> None:
    connection = library(GOOD, make_entry("b", ["bridge"]))
    writing.put(connection, [make_entry("a", ["new"])], {})
    assert rows(connection, "SELECT id, number, first_key, chunks FROM documents ORDER BY id") == [
        ("a", 3, 4, 1),
        ("b", 2, 3, 1),
    ]
    assert writing.delete(connection, ["a"]) == 1
    writing.put(connection, [make_entry("c", ["last"])], {})
    assert reading.chunk_keys(connection, "c").tolist() == [5]
    assert (writing.last(connection, "chunks"), writing.last(connection, "documents")) == (5, 4)
    assert writing.last(library(), "chunks") == 0


def test_each_change_is_logged_with_its_transaction() -> None:
    connection = library(GOOD)
    writing.put(connection, [make_entry("a", ["new"]), make_entry("b", [])], {})
    writing.delete(connection, ["b"])
    assert rows(connection, LOG) == [
        (1, 1, 1, 2, 1),
        (2, 1, 1, 2, 0),
        (2, 2, 3, 1, 1),
        (2, 3, 4, 0, 1),
        (3, 3, 4, 0, 0),
    ]
    assert reading.tally(connection) == (1, 3)


def test_a_log_that_every_index_holds_is_forgotten_and_how_far_is_kept() -> None:
    connection = library(GOOD)
    writing.delete(connection, ["a"])
    writing.prune(connection, 1)
    assert [row[0] for row in rows(connection, LOG)] == [2]
    writing.prune(connection, 0)  # an index that lost its files: what was forgotten stays so
    assert reading.number_of(connection, "pruned") == 1


def test_deleting_tells_how_many_there_were_and_leaves_no_row() -> None:
    long = "wall " * 500  # in several parts
    connection = library(GOOD, make_entry("b", [long], metadata={"year": 2020, "t": True}))
    assert writing.delete(connection, ["nobody", "a", "b", "a", "half \ud800"]) == 2
    tables = ["documents", "texts", "chunks", "vectors", "metadata", "names", "mentions", "known_as", "sums"]
    assert {table: rows(connection, f"SELECT * FROM {table}") for table in tables} == {table: [] for table in tables}
    assert reading.tally(connection) == (0, 0)


# -- digests -----------------------------------------------------------------------------------------------------
def sums_of(connection: sqlite3.Connection, number: int) -> sums.Sums:
    found = sums.stored_sums(connection, number)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        ("UPDATE documents SET title = 'Alphb'", ("record",)),
        ("UPDATE documents SET digest = ''", ("record",)),
        ("UPDATE documents SET known_as = NULL", ("record",)),
        ("UPDATE texts SET text = 'riverXstone'", ("text",)),
        ("DELETE FROM texts", ("text",)),
        ("UPDATE chunks SET past = past - 1 WHERE key = 2", ("chunks",)),
        ("UPDATE chunks SET traits = x'00' WHERE key = 1", ("chunks",)),
        ("UPDATE chunks SET mentions = NULL", ("chunks",)),
        ("UPDATE vectors SET signature = zeroblob(8) WHERE key = 1", ("vectors",)),
        ("DELETE FROM vectors WHERE key = 2", ("vectors",)),
        ("UPDATE texts SET text = '' ; UPDATE vectors SET vector = x''", ("text", "vectors")),
        ("UPDATE settings SET value = 'other'", ()),
    ],
)
def test_a_digest_tells_which_part_was_changed(damage: str, parts: tuple[str, ...]) -> None:
    connection = library(GOOD)
    kept = sums_of(connection, 1)
    assert kept == sums.computed_sums(connection, 1)
    connection.executescript(damage)
    found = sums.computed_sums(connection, 1)
    assert tuple(part for part in sums.PARTS if kept[part] != found[part]) == parts


def test_the_same_document_has_the_same_digests_wherever_it_stands() -> None:
    connection = library(make_entry("before", ["one", "two", "three"]), GOOD)
    writing.put(connection, [GOOD], {})  # replaced by itself
    assert sums_of(connection, 3) == sums_of(library(GOOD), 1)
    assert sums.stored_sums(connection, 2) is None
    assert {part: len(digest) for part, digest in sums_of(connection, 3).items()} == dict.fromkeys(
        sums.PARTS, sums.SIZE
    )


def test_values_moved_from_one_column_to_the_next_read_differently() -> None:
    one, two = library(make_entry("a", [], title="ab")), library(make_entry("a", [], title="a"))
    two.execute("UPDATE documents SET source = 'b' || source")
    assert sums.computed_sums(one, 1)["record"] != sums.computed_sums(two, 1)["record"]
