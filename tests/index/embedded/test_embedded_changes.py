"""The net of the log since an index last caught up, and the chunks as the lexical index takes them."""

from dataclasses import replace

import pytest
from library_in_memory import library

from decoct.index.embedded import changes, reading, writing
from decoct.index.embedded.border import UndecodableError
from decoct.index.embedded.changes import Change, Searchable
from decoct_testing.store_corpus import make_entry

A, B = make_entry("a", ["river", "stone"]), make_entry("b", ["bridge"])


def test_an_index_that_has_nothing_takes_every_document() -> None:
    assert changes.changes_since(library(A, B), None) == changes.Changes(
        1, True, (), (Change(1, 1, 2), Change(2, 3, 1))
    )
    assert changes.changes_since(library(), None) == changes.Changes(0, True, (), ())


def test_only_the_net_since_then_is_to_be_done() -> None:
    connection = library(A, B)
    writing.put(connection, [make_entry("a", ["new"])], {})  # 2: document 1 goes, document 3 comes
    writing.delete(connection, ["a"])  # 3: and goes again
    writing.put(connection, [make_entry("c", ["last"])], {})  # 4
    since = changes.changes_since(connection, 1)
    assert (since.sequence, since.afresh) == (4, False)
    assert since.removed == (Change(1, 1, 2), Change(3, 4, 1))
    assert since.added == (Change(4, 5, 1),)
    assert changes.changes_since(connection, 3).removed == ()
    assert changes.changes_since(connection, 4) == changes.Changes(4, False, (), ())


@pytest.mark.parametrize(("held", "afresh"), [(0, True), (1, False), (2, False), (3, True)])
def test_an_index_older_than_the_log_or_ahead_of_the_library_starts_again(held: int, afresh: bool) -> None:
    connection = library(A)
    writing.put(connection, [B], {})
    writing.prune(connection, 1)
    assert changes.changes_since(connection, held).afresh is afresh


def test_a_chunk_is_searched_by_its_own_title_or_its_documents_and_its_text() -> None:
    titled = replace(A.chunks[1], title="Walls")
    connection = library(replace(make_entry("a", ["river", "stone"], title="Alpha"), chunks=(A.chunks[0], titled)))
    metadata, found = changes.searchables(connection, Change(1, 1, 2))
    assert found == [Searchable(1, "Alpha\nriver", "en"), Searchable(2, "Walls\nstone", "en")]
    assert metadata == {}


def test_the_words_are_stemmed_as_the_library_says() -> None:
    german = make_entry("a", ["Die Brücken über den Fluss wurden im Winter erneuert und sind jetzt wieder offen."])
    assert changes.searchables(library(german), Change(1, 1, 1))[1][0].language == "de"
    told = library()
    writing.put(told, [german], {"language": "en"})
    assert changes.searchables(told, Change(1, 1, 1))[1][0].language == "en"


def test_metadata_that_cannot_be_read_are_damage() -> None:
    connection = library(A)
    connection.execute("UPDATE documents SET metadata = '[1'")
    with pytest.raises(UndecodableError, match="searchable"):
        changes.searchables(connection, Change(1, 1, 2))


def test_a_library_built_anew_has_another_name_for_its_files() -> None:
    connection = library(A)
    name, generation = changes.identity(connection)
    assert (changes.library(connection), generation) == (name, 0)
    connection.execute("UPDATE meta SET value = 2 WHERE name = 'generation'")
    assert changes.library(connection) == f"{name}.2"
    connection.execute("DELETE FROM meta WHERE name = 'library'")
    with pytest.raises(UndecodableError, match="its name is lost"):
        changes.library(connection)


def test_vectors_come_in_the_order_of_keys_from_the_first_to_before_the_last() -> None:
    connection = library(A, B)
    assert [key for key, *_ in changes.stored_rows(connection, 2, 3)] == [2]
    found = list(changes.stored_rows(connection, 0, 99))
    assert [(key, len(vector), len(mark)) for key, vector, mark, _ in found] == [(1, 24, 8), (2, 24, 8), (3, 24, 8)]
    assert [traits for *_, traits in found] == reading.traits(connection, [1, 2, 3])
