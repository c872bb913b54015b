"""Names by number: counted, found by chunk and by document, and taken back."""

import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from library_in_memory import library, rows

from decoct.index.embedded import names
from decoct.index.embedded.border import UndecodableError
from decoct_testing.store_corpus import make_entry

EVERY = 1000

# Chunks 1 and 2 are of document 1, chunk 3 of document 2.
FIRST = replace(make_entry("a", ["river", "stone"]), mentions=((5, 9), (9,)), names=((7, 1.0),))
SECOND = replace(make_entry("b", ["bridge"]), mentions=((9,),), names=((7, 0.5), (8, 1.0)))

COUNTS = "SELECT id, chunks, documents FROM names ORDER BY id"


@pytest.fixture
def filled() -> sqlite3.Connection:
    return library(FIRST, SECOND)


def test_a_name_counts_the_chunks_and_documents_that_use_it(filled: sqlite3.Connection) -> None:
    assert rows(filled, COUNTS) == [(5, 1, 0), (7, 0, 2), (8, 0, 1), (9, 3, 0)]


def test_a_frequent_name_is_counted_and_its_chunks_left_out(filled: sqlite3.Connection) -> None:
    found = names.mentioned_in(filled, [9, 5, 4], most=2, least=1)
    assert (found.names.tolist(), found.keys.tolist()) == ([5], [1])
    assert found.counts == {9: 3, 5: 1, 4: 0}


def test_bounds_of_how_many_mention_a_name_are_included(filled: sqlite3.Connection) -> None:
    found = names.mentioned_in(filled, [5, 9], most=3, least=3)
    assert (found.names.tolist(), found.keys.tolist()) == ([9, 9, 9], [1, 2, 3])
    assert names.mentioned_in(filled, [9], most=2, least=1).keys.tolist() == []
    assert names.mentioned_in(filled, [9], most=EVERY, least=4).keys.tolist() == []


def test_who_is_known_by_a_name_is_told_with_every_chunk_and_how_surely(filled: sqlite3.Connection) -> None:
    found = names.chunks_known_by(filled, [8, 7], most=2)
    assert found.names.tolist() == [7, 7, 7, 8]
    assert found.keys.tolist() == [1, 2, 3, 3]
    assert found.strengths.tolist() == [1.0, 1.0, 0.5, 1.0]


def test_a_name_of_too_many_documents_is_passed_over(filled: sqlite3.Connection) -> None:
    found = names.chunks_known_by(filled, [7, 8], most=1)
    assert (found.names.tolist(), found.keys.tolist(), found.strengths.tolist()) == ([8], [3], [1.0])


def test_names_that_nobody_has_find_nothing(filled: sqlite3.Connection) -> None:
    assert names.mentioned_in(filled, [], most=EVERY, least=1).counts == {}
    nobody = names.chunks_known_by(filled, [4], most=EVERY)
    assert (len(nobody.names), len(nobody.keys), len(nobody.strengths)) == (0, 0, 0)
    assert nobody.strengths.dtype == np.float32


def test_a_document_without_chunks_is_known_but_has_nothing_to_find() -> None:
    connection = library(replace(make_entry("a", []), names=((7, 1.0),)))
    assert rows(connection, COUNTS) == [(7, 0, 1)]
    assert names.chunks_known_by(connection, [7], most=EVERY).keys.tolist() == []


def test_a_name_said_twice_in_a_chunk_counts_once() -> None:
    connection = library(replace(make_entry("a", ["river river"]), mentions=((5, 5),)))
    assert rows(connection, COUNTS) == [(5, 1, 0)]
    assert names.mentioned_in(connection, [5], most=1, least=1).keys.tolist() == [1]


def test_a_name_goes_with_its_last_use(filled: sqlite3.Connection) -> None:
    names.remove(filled, 1, 1, 3)
    assert rows(filled, COUNTS) == [(7, 0, 1), (8, 0, 1), (9, 1, 0)]
    assert names.mentioned_in(filled, [5, 9], most=EVERY, least=1).keys.tolist() == [3]
    assert names.chunks_known_by(filled, [7], most=EVERY).keys.tolist() == [3]


def test_packed_names_that_cannot_be_read_are_told_as_such(filled: sqlite3.Connection) -> None:
    filled.execute("UPDATE chunks SET mentions = x'0102' WHERE key = 2")
    with pytest.raises(UndecodableError, match="cannot be read"):
        names.remove(filled, 1, 1, 3)


numbers = st.lists(st.integers(-3, 3), max_size=4).map(tuple)


@settings(max_examples=40)
@given(st.lists(st.lists(numbers, max_size=3), max_size=4), st.data())
def test_taking_everything_back_leaves_no_row(documents: list[list[tuple[int, ...]]], data: st.DataObject) -> None:
    entries = [
        replace(
            make_entry(f"d{at}", ["river"] * len(mentions)),
            mentions=tuple(mentions),
            names=tuple((name, 1.0) for name in data.draw(numbers)),
        )
        for at, mentions in enumerate(documents)
    ]
    connection = library(*entries)
    ranges = connection.execute("SELECT number, first_key, first_key + chunks FROM documents").fetchall()
    for number, first, past in data.draw(st.permutations(ranges)):
        names.remove(connection, number, first, past)
    assert [rows(connection, f"SELECT * FROM {table}") for table in ("names", "mentions", "known_as")] == [[], [], []]
