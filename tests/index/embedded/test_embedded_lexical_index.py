"""The lexical index by itself, on scores worked out by hand; and bringing it to the state of the tables.

The hand's figures: three chunks "river", "river stone" and "stone" have 4/3 words on average. A word in two of three chunks weighs
ln(1 + 1.5/2.5) = 0.4700; found once in a chunk of one word it counts 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3/4)) = 1.1139 times as much,
in one of two words 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3/2)) = 0.8302.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from library_in_memory import library

from decoct.data import Metadata
from decoct.errors import StoreError
from decoct.index.embedded import changes, fields, writing
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.changes import Searchable
from decoct.index.embedded.lexical import LexicalIndex, LexicalView
from decoct_testing.store_corpus import make_entry

WEIGHT, ALONE, OF_TWO = 0.4700036, 1.1139241, 0.8301887


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    found = LexicalIndex(tmp_path / "lexical", "lib")
    yield found
    found.close()


def committed(index: LexicalIndex, *texts: str, sequence: int = 1, language: str = "en") -> LexicalView:
    """The view of an index that holds `texts` as chunks 1, 2 … of document 1."""
    index.add(1, {}, [Searchable(key, text, language) for key, text in enumerate(texts, 1)])
    index.commit(sequence, len(texts))
    return loaded(index)


def loaded(index: LexicalIndex) -> LexicalView:
    view = index.load()
    assert view is not None
    return view


# -- scores and order --------------------------------------------------------------------------------------------
def test_scores_are_those_of_the_formula(index: LexicalIndex) -> None:
    view = committed(index, "river", "river stone", "stone")
    found = index.search(view, "river", 9, {})
    assert found.keys.tolist() == [1, 2]
    assert found.scores.tolist() == pytest.approx([WEIGHT * ALONE, WEIGHT * OF_TWO], abs=1e-5)


def test_words_add_up_and_one_asked_twice_counts_twice(index: LexicalIndex) -> None:
    view = committed(index, "river", "river stone", "stone")
    both = index.search(view, "river stone", 9, {})
    assert both.keys.tolist() == [2, 1, 3]
    assert both.scores.tolist() == pytest.approx([2 * WEIGHT * OF_TWO, WEIGHT * ALONE, WEIGHT * ALONE], abs=1e-5)
    twice = index.search(view, "river river", 9, {})
    assert twice.scores[0] == pytest.approx(2 * WEIGHT * ALONE, abs=1e-5)


def test_ties_are_by_key_however_many_there_are_and_in_which_order_they_came(index: LexicalIndex) -> None:
    keys = [*range(100, 50, -1), *range(1, 51)]
    index.add(1, {}, [Searchable(key, "river stone") for key in keys])
    index.commit(1, len(keys))
    found = index.search(loaded(index), "river", 4, {})
    assert found.keys.tolist() == [1, 2, 3, 4]
    assert len(set(found.scores.tolist())) == 1


@pytest.mark.parametrize(("question", "k"), [("river", 0), ("river", -1), ("", 5), ("?!", 5), ("harbour", 5)])
def test_nothing_is_found_for_nothing(index: LexicalIndex, question: str, k: int) -> None:
    assert len(index.search(committed(index, "river"), question, k, {})) == 0


def test_how_many_chunks_hold_a_stem_and_how_many_there_are(index: LexicalIndex) -> None:
    counts, chunks = index.frequencies(
        committed(index, "rivers river", "river stones", "bridge"), ["river", "stone", "x"]
    )
    assert (counts.tolist(), chunks) == ([2, 1, 0], 3)


# -- filters and languages ---------------------------------------------------------------------------------------
def test_a_filter_keeps_every_key_with_one_of_its_values_and_changes_no_score(index: LexicalIndex) -> None:
    long = "x" * fields.LONGEST_TERM
    years: list[Metadata] = [{"year": 2020, "draft": True}, {"year": 2021, "t": long}, {"year": 2020}]
    for number, metadata in enumerate(years, 1):
        index.add(number, metadata, [Searchable(number, "river")])
    index.commit(1, 3)
    view = loaded(index)
    free = index.search(view, "river", 9, {})
    kept = index.search(view, "river", 9, {"year": ("2020", "1999")})
    assert kept.keys.tolist() == [1, 3]
    assert kept.scores.tolist() == free.scores[[0, 2]].tolist()
    assert index.search(view, "river", 9, {"year": ("2020",), "draft": ("true",)}).keys.tolist() == [1]
    assert index.search(view, "river", 9, {"t": (long,)}).keys.tolist() == [2]
    assert len(index.search(view, "river", 9, {"year": ("2020",), "t": ()})) == 0


def test_a_question_is_stemmed_as_the_documents_were(index: LexicalIndex) -> None:
    assert index.languages(committed(index, "Brücken", language="de")) == ("de",)
    assert index.search(loaded(index), "Brücke", 5, {}).keys.tolist() == [1]


def test_an_unknown_language_is_not_stemmed_and_an_empty_index_asked_in_english(index: LexicalIndex) -> None:
    index.commit(1, 0)
    assert index.languages(loaded(index)) == ("en",)
    assert index.languages(committed(index, "sanat", sequence=2, language="xx")) == ("none",)


# -- writing -----------------------------------------------------------------------------------------------------
def test_a_document_is_taken_out_by_its_number(index: LexicalIndex) -> None:
    committed(index, "river", "stone")
    index.add(2, {}, [Searchable(3, "river")])
    index.remove(1)
    index.commit(2, 1)
    assert index.search(loaded(index), "river stone", 9, {}).keys.tolist() == [3]


def test_work_repeated_after_a_crash_adds_nothing_twice(tmp_path: Path, index: LexicalIndex) -> None:
    committed(index, "river", "stone")
    index.close()
    again = LexicalIndex(tmp_path / "lexical", "lib")
    assert again.search(committed(again, "river", "stone", sequence=2), "river", 9, {}).keys.tolist() == [1]
    again.close()


def test_what_was_not_committed_is_not_found(index: LexicalIndex) -> None:
    committed(index, "river")
    index.add(2, {}, [Searchable(5, "bridge")])
    index.abandon()
    index.remove(9)
    index.commit(2, 1)
    assert len(index.search(loaded(index), "bridge", 5, {})) == 0


def test_an_index_that_holds_another_number_of_chunks_than_it_says_is_not_loaded(index: LexicalIndex) -> None:
    index.add(1, {}, [Searchable(1, "river")])
    index.commit(1, 2)
    assert index.load() is None


def test_another_librarys_index_is_not_loaded(tmp_path: Path, index: LexicalIndex) -> None:
    committed(index, "river")
    assert LexicalIndex(tmp_path / "lexical", "other").load() is None
    assert LexicalIndex(tmp_path / "nothing", "lib").load() is None


def test_an_older_view_stays_for_a_reader_and_not_for_the_writer(index: LexicalIndex, tmp_path: Path) -> None:
    view = committed(index, "river")
    index.release()
    (tmp_path / "lexical" / "decoct.json").unlink()
    assert index.load() is view
    assert index.load(exact=True) is None
    assert index.view() is None


def test_clearing_starts_from_nothing(index: LexicalIndex) -> None:
    committed(index, "river")
    index.clear()
    assert index.load() is None
    assert len(index.search(committed(index, "stone", sequence=2), "river", 5, {})) == 0


# -- catching up -------------------------------------------------------------------------------------------------
def found_in(index: LexicalIndex, question: str) -> list[int]:
    return [int(key) for key in index.search(loaded(index), question, 99, {}).keys]


A, B = make_entry("a", ["river", "stone"]), make_entry("b", ["bridge"])


@pytest.fixture
def caught_up(index: LexicalIndex) -> sqlite3.Connection:
    connection = library(A, B)
    assert index.catch_up(connection, keep_writer=True)
    return connection


def test_a_first_catching_up_builds_and_the_next_has_nothing_to_do(
    index: LexicalIndex, caught_up: sqlite3.Connection
) -> None:
    assert found_in(index, "river bridge") == [1, 3]
    view = index.view()
    assert not index.catch_up(caught_up, keep_writer=True)
    assert index.view() is view


def test_what_came_and_went_is_written_without_building_anew(
    index: LexicalIndex, caught_up: sqlite3.Connection
) -> None:
    writing.put(caught_up, [make_entry("a", ["river violin"]), make_entry("c", ["violin"])], {})
    writing.delete(caught_up, ["b"])
    assert not index.catch_up(caught_up, keep_writer=False)
    assert sorted(found_in(index, "river bridge violin stone")) == [4, 5]
    assert loaded(index).sequence == 3


def test_an_index_older_than_the_log_is_built_anew(index: LexicalIndex, caught_up: sqlite3.Connection) -> None:
    for n in range(2):
        writing.put(caught_up, [make_entry(f"n{n}", ["violin"])], {})
    writing.prune(caught_up, 2)
    assert index.catch_up(caught_up, keep_writer=True)
    assert found_in(index, "violin") == [4, 5]


def test_an_index_that_holds_another_number_of_chunks_than_the_library_is_built_anew(
    index: LexicalIndex, caught_up: sqlite3.Connection, tmp_path: Path
) -> None:
    index.remove(2)
    index.commit(1, 2)  # of the same state, and whole
    index.close()
    again = LexicalIndex(tmp_path / "lexical", "lib")
    assert again.catch_up(caught_up, keep_writer=False)
    assert found_in(again, "bridge") == [3]
    again.close()


class Damaged(LexicalIndex):
    """An index in which nothing can be written `times` times."""

    times = 1

    def commit(self, sequence: int, chunks: int) -> None:
        if self.times:
            self.times -= 1
            raise DamagedIndexError("a file is in the way")
        super().commit(sequence, chunks)


def test_damage_found_while_writing_is_mended_once(
    index: LexicalIndex, caught_up: sqlite3.Connection, tmp_path: Path
) -> None:
    index.close()
    writing.put(caught_up, [make_entry("c", ["violin"])], {})
    damaged = Damaged(tmp_path / "lexical", "lib")
    assert damaged.catch_up(caught_up, keep_writer=False)
    assert found_in(damaged, "violin river") == [1, 4]
    damaged.times = 2
    damaged.clear()
    with pytest.raises(DamagedIndexError, match="in the way"):
        damaged.catch_up(caught_up, keep_writer=False)
    damaged.close()


def test_a_failure_halfway_is_dropped_and_the_next_try_is_whole(
    index: LexicalIndex, caught_up: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing.put(caught_up, [replace(B, document=replace(B.document, id="c"), chunks=(), vectors=B.vectors[:0])], {})
    writing.put(caught_up, [make_entry("d", ["violin"]), make_entry("e", ["violin"])], {})
    reads = changes.searchables

    def failing(of: sqlite3.Connection, change: changes.Change) -> tuple[Metadata, list[Searchable]]:
        if change == changes.Change(5, 5, 1):
            raise StoreError("the disk is full")
        return reads(of, change)

    with monkeypatch.context() as broken:
        broken.setattr(changes, "searchables", failing)
        with pytest.raises(StoreError, match="full"):
            index.catch_up(caught_up, keep_writer=True)
    assert found_in(index, "violin") == []
    assert not index.catch_up(caught_up, keep_writer=True)
    assert found_in(index, "violin") == [4, 5]
