"""What is committed and not in the indexes yet is searched beside them, by whoever reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from library_in_memory import library

from decoct import trace
from decoct.errors import StoreBusyError, StoreError
from decoct.index.embedded import EmbeddedStore, waiting
from decoct.index.embedded import opened as opened_library
from decoct.index.embedded.changes import Change
from decoct.index.embedded.opened import CurrentWords
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_same import same_store


class Pair:
    """A handle that writes and leaves its indexes behind, one that reads beside it, and what both should hold."""

    def __init__(self, folder: Path) -> None:
        self.writer, self.model = EmbeddedStore.open(folder, settings={}), MemoryStore()
        self.reader = EmbeddedStore.open(folder, settings={})

    def put(self, *entries: object) -> None:
        for one in (self.writer, self.model):
            one.put(list(entries))  # type: ignore[arg-type]

    def delete(self, *ids: str) -> None:
        for one in (self.writer, self.model):
            one.delete(ids)


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    made = Pair(tmp_path)
    derived = made.writer._opened.derived
    with derived._lock.held():  # as a writer that has not caught up yet
        monkeypatch.setattr(derived, "wrote", lambda chunks: None)
        yield made
        made.reader.close()
    made.writer.close()


def test_the_first_documents_are_found_before_there_is_an_index(pair: Pair) -> None:
    assert len(pair.reader.lexical("river", 5)) == len(pair.reader.nearest(unit_rows(1)[0], 5)) == 0
    with trace.recording() as record:
        for entry in corpus(12):
            pair.put(entry)
            same_store(pair.reader, pair.model)
    assert not record.fallbacks


def test_whatever_is_put_replaced_or_removed_is_seen_at_once(pair: Pair) -> None:
    pair.put(*corpus(20))
    pair.writer._opened.derived.catch_up()
    same_store(pair.reader, pair.model)
    for n in range(10):
        pair.put(
            make_entry(f"doc-{n:03}", ["river stone new", f"garden fresh{n}"], seed=100 + n, metadata={"year": 2030})
        )
        pair.delete(f"doc-{n + 10:03}")
        same_store(pair.reader, pair.model)
        for where in ({"year": ("2030",)}, {"year": ("2000", "2001")}):
            asked = ("river garden", 50, where)
            spans = {chunk.span for chunk in pair.reader.chunks(pair.reader.lexical(*asked).keys)}
            assert spans == {chunk.span for chunk in pair.model.chunks(pair.model.lexical(*asked).keys)}
            near = unit_rows(1, seed=7)[0], 50, where
            spans = {chunk.span for chunk in pair.reader.chunks(pair.reader.nearest(*near).keys)}
            assert spans == {chunk.span for chunk in pair.model.chunks(pair.model.nearest(*near).keys)}


def test_a_replaced_document_stands_where_it_stood(pair: Pair) -> None:
    pair.put(*corpus(20))
    pair.writer._opened.derived.catch_up()
    question, vector = "stone bridge river garden", unit_rows(1, seed=3)[0]

    def order() -> list[list[str]]:
        found = pair.reader.lexical(question, 30), pair.reader.nearest(vector, 30)
        return [[str(chunk.span) for chunk in pair.reader.chunks(one.keys)] for one in found]

    before, scores = order(), pair.reader.lexical(question, 30).scores
    pair.put(*corpus(20)[3:9])
    assert order() == before
    assert pair.reader.lexical(question, 30).scores == pytest.approx(scores, rel=1e-5)


def test_words_of_waiting_chunks_are_counted_spelt_and_spoken(pair: Pair) -> None:
    pair.put(*corpus(20))
    pair.writer._opened.derived.catch_up()
    reader = pair.reader
    pair.put(
        make_entry("new", ["Die Brücken über den Fluss wurden im Winter erneuert und sind wieder offen.", "a zeppelin"])
    )
    known = {"de", "en"}
    assert set(reader.languages()) == known
    counts, every = reader.frequencies(["zeppelin", "river"])
    assert counts.tolist() == [1, pair.model.frequencies(["river"])[0][0]]
    assert every == pair.model.status().chunks
    assert reader.near_words("zepelin", 1, 5).tolist() == [reader.chunk_keys("new")[1]]
    assert not len(reader.near_words("zppln", 1, 5))


def test_a_document_without_chunks_waits_for_nothing(pair: Pair) -> None:
    pair.put(make_entry("empty", []), make_entry("a", ["river"]))
    assert len(pair.reader.lexical("river", 5)) == len(pair.reader.nearest(unit_rows(1)[0], 5)) == 1
    with pytest.raises(StoreError, match="12 dimensions"):
        pair.reader.nearest(np.zeros(5, np.float32), 5)


def test_what_is_too_much_is_told(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an index the search goes on with it, and says so; without one it waits for a while, and says why."""
    monkeypatch.setattr(waiting, "MOST", 3)
    monkeypatch.setattr(opened_library, "_LOOK", 0.0)
    pair.put(make_entry("a", ["river", "stone"]))
    pair.writer._opened.derived.catch_up()
    pair.put(make_entry("b", ["river", "stone", "bridge", "garden"]))
    with trace.recording() as record:
        assert pair.reader.lexical("river", 5).keys.tolist() == [1]
    assert record.fallbacks["store.lagging"] == 1
    monkeypatch.setattr(opened_library, "PATIENCE", 0.0)
    with EmbeddedStore.open(pair.reader._folder, settings={}) as fresh:
        monkeypatch.setattr(fresh._opened.derived.lexical, "load", lambda **_: None)
        with pytest.raises(StoreBusyError, match="being built"):
            fresh.lexical("river", 5)


def test_what_was_counted_is_kept_while_it_waits() -> None:
    connection = library(make_entry("a", ["river", "stone river"]), make_entry("b", ["bridge"]))
    made: list[int] = []

    def counted(_: object, change: Change) -> int:
        made.append(change.document)
        return change.document

    kept = waiting.Kept(counted)
    a, b = Change(1, 1, 2), Change(2, 3, 1)
    assert kept.of(connection, [a]) == [1]
    assert kept.of(connection, [a, b, Change(3, 4, 0)]) == [1, 2]
    assert kept.of(connection, [b]) == [2]
    assert kept.of(connection, [a]) == [1]  # made again: nobody kept it
    assert made == [1, 2, 1]


def test_a_waiting_chunk_is_scored_by_the_numbers_of_the_index() -> None:
    connection = library(make_entry("a", ["river", "stone river"]))
    one = waiting.words_of(connection, Change(1, 1, 2))
    known = waiting.Statistics(chunks=100, held={"river": 10}, mean=4.0)
    found = waiting.by_words([one], ["river", "river"], known, {})
    idf = np.log(1 + 90.5 / 10.5)
    expected = [2 * idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / 4)) for length in (1, 2)]
    assert found.scores == pytest.approx(expected)
    alone = waiting.by_words([one], ["stone"], waiting.Statistics(0, {}, None), {})
    assert alone.scores == pytest.approx([np.log(1 + 1.5 / 1.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))])
    assert not len(waiting.by_words([], ["stone"], known, {}))


def test_without_an_index_the_waiting_are_all_there_is() -> None:
    connection = library(make_entry("a", ["river stone"]))
    words = CurrentWords(None, None, [waiting.words_of(connection, Change(1, 1, 1))])  # type: ignore[arg-type]
    assert words.frequencies(["river", "sand"])[0].tolist() == [1, 0]
    assert words.near_words("rivr", 1, 5).tolist() == [1]
    assert CurrentWords(None, None).languages() == ("en",)  # type: ignore[arg-type]
