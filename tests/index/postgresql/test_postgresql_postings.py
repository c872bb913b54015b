"""Postings of words in PostgreSQL: the same ranking with and without, whatever was put, replaced or removed since they were made."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from decoct import trace
from decoct.data import Range, Ranking
from decoct.errors import StoreError
from decoct.index.base import Entry, Where
from decoct_postgresql import PostgreSQLStore, bm25, nearest, postings, words, writing
from decoct_postgresql.connections import Connections
from decoct_postgresql.location import located
from decoct_postgresql.schema import PLACES
from decoct_postgresql.testing import PostgreSQLServer
from decoct_testing.store_corpus import make_entry

pytestmark = pytest.mark.services

VOCABULARY = [f"w{n:x}" for n in range(400)]
FILTERS: list[Where] = [{}, {"year": ("2003",)}, {"year": (Range(((">=", "2005"),)),)}, {"year": ("1999",)}]


def entry(number: int, *, version: int = 0) -> Entry:
    """A document of one to six chunks of words that follow Zipf's law, so that the first stand in nearly every chunk."""
    chance = random.Random(number * 1000 + version)
    shares = [1 / (n + 1) for n in range(len(VOCABULARY))]
    pieces = [
        " ".join(chance.choices(VOCABULARY, shares, k=chance.randint(5, 90))) for _ in range(chance.randint(1, 6))
    ]
    return make_entry(f"d{number}", pieces, seed=number, metadata={"year": 2000 + number % 10}, digest=f"{version}")


def questions() -> Iterator[str]:
    """Rare, middling and frequent words, one twice, one unknown; and frequent words alone."""
    chance = random.Random(3)
    for _ in range(25):
        yield " ".join([*chance.choices(VOCABULARY, k=4), *chance.choices(VOCABULARY[:6], k=4), "w0", "unknown"])
    yield from ("w0 w1 w2", "w1 w1", "w18f", "unknown", "")


@pytest.fixture
def store(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgreSQLStore]:
    monkeypatch.setattr(postings, "LEAST", 100)
    monkeypatch.setattr(postings, "AT_ONCE", 150)
    monkeypatch.setattr(words, "FEW", 20)
    with PostgreSQLStore.open(url, settings={}) as opened:
        yield opened


def rankings(store: PostgreSQLStore) -> list[Ranking]:
    return [
        store.lexical(question, k, where) for question in questions() for k in (1, 10, 60, 5000) for where in FILTERS
    ]


def check_same_without(store: PostgreSQLStore) -> None:
    """Keys and scores are those that a search without postings finds."""
    found = rankings(store)
    connections = store._connections

    def kept(at: Any) -> str:
        ((value,),) = at.execute("SELECT value FROM meta WHERE name = 'postings'").fetchall()
        at.execute("DELETE FROM meta WHERE name = 'postings'")
        return str(value)

    value = connections.write(kept)
    for ours, expected in zip(found, rankings(store), strict=True):
        assert ours.keys.tolist() == expected.keys.tolist()
        assert ours.scores.tolist() == expected.scores.tolist()
    connections.write(lambda at: at.execute("INSERT INTO meta VALUES ('postings', %s)", (value,)))


def test_the_ranking_is_the_same_with_postings(store: PostgreSQLStore) -> None:
    store.put([entry(n) for n in range(120)])
    assert store._connections.read(postings.end) == 0
    store.refresh()
    last = max(int(store.chunk_keys(f"d{n}")[-1]) for n in range(120))
    assert store._connections.read(postings.end) == ((last >> PLACES) + 1) << PLACES
    check_same_without(store)


def test_the_ranking_is_the_same_with_documents_that_came_changed_or_went_since(store: PostgreSQLStore) -> None:
    store.put([entry(n) for n in range(120)])
    store.refresh()
    end = store._connections.read(postings.end)
    store.put([entry(n) for n in range(120, 130)])
    store.put([entry(n, version=1) for n in range(0, 120, 9)])
    store.delete([f"d{n}" for n in range(1, 120, 9)])
    store.refresh()  # too little has changed
    assert store._connections.read(postings.end) == end
    check_same_without(store)
    store.delete([f"d{n}" for n in range(130)])
    assert all(len(found) == 0 for found in rankings(store))


def rows(store: PostgreSQLStore) -> list[tuple[str, int, bytes]]:
    return list(store._connections.read(lambda at: at.execute("SELECT word, part, data FROM postings").fetchall()))


def test_young_documents_get_postings_of_their_own_and_much_that_is_gone_has_all_made_anew(
    store: PostgreSQLStore,
) -> None:
    store.put([entry(n) for n in range(60)])
    store.refresh()
    before = rows(store)
    store.put([entry(n) for n in range(60, 130)])
    store.refresh()
    after = rows(store)
    assert set(before) < set(after)
    check_same_without(store)
    store.delete([f"d{n}" for n in range(0, 130, 2)])
    store.refresh()
    chunks = {key for _, _, data in rows(store) for key in np.frombuffer(data, ">i8,>i4")["f0"].tolist()}
    alive = {key for n in range(1, 130, 2) for key in store.chunk_keys(f"d{n}").tolist()}
    assert chunks == alive
    check_same_without(store)


def test_without_their_number_postings_are_not_read_and_made_anew(store: PostgreSQLStore) -> None:
    store.put([entry(n) for n in range(60)])
    store.refresh()
    before = rows(store)
    store._connections.write(lambda at: at.execute("DELETE FROM meta WHERE name = 'postings'"))
    assert store._connections.read(postings.end) == 0
    store.refresh()
    assert [(word, part, len(data)) for word, part, data in sorted(rows(store))] == [
        (word, part, len(data)) for word, part, data in sorted(before)
    ]
    check_same_without(store)


def test_a_posting_tells_length_and_count(store: PostgreSQLStore) -> None:
    store.put([make_entry("a", ["tree " * 300 + "leaf leaf root"] + ["leaf"] * 99, seed=1)])
    store.refresh()
    key = int(store.chunk_keys("a")[0])
    found = {
        (word, int(length_count) >> 8, int(length_count) & 255)
        for word, _, data in rows(store)
        for at, length_count in np.frombuffer(data, ">i8,>i4").tolist()
        if at == key
    }
    # 303 words, kept as 280 (in steps of 32), and 255 positions at most.
    assert found == {("tree", 280, 255), ("leaf", 280, 2), ("root", 280, 1)}


def test_how_often_a_word_stands_is_read_from_a_tsvector(store: PostgreSQLStore) -> None:
    """Up to the most that it can hold; and 0 of a word that it lacks."""
    store.put([make_entry("a", ["leaf"], seed=1)])

    def found(at: Any) -> list[int]:
        counts = []
        for count in range(256):
            words = f"'leaf':{','.join(map(str, range(1, count + 1)))}" if count else "'root':1"
            at.execute("UPDATE lexical SET words = %s::tsvector, length = 1", (words,))
            query, values = bm25.scored({"leaf": 1 / (bm25.K1 + 1)}, 1.0, "true", ())
            ((_, score),) = at.execute(query, values).fetchall()
            counts.append(round(bm25.K1 * score / (1 - score)))
        return counts

    assert store._connections.write(found) == list(range(256))


class SlowWriter:
    """Puts one document and commits only when it is told to."""

    def __init__(self, connections: Connections, entry: Entry) -> None:
        self._connections, self._entry = connections, entry
        self._begun, self._go_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: connections.write(self._put))

    def __enter__(self) -> SlowWriter:
        self._thread.start()
        assert self._begun.wait(400)
        return self

    def _put(self, at: Any) -> None:
        writing.put(at, [self._entry], {}, self._connections.location)
        self._begun.set()
        assert self._go_on.wait(400)

    def go_on(self) -> None:
        self._go_on.set()
        self._thread.join(400)

    def __exit__(self, *error: object) -> None:
        self.go_on()


def test_a_document_put_while_postings_are_made_is_found(store: PostgreSQLStore) -> None:
    """One whose number was given before, and that is committed after: they wait for it."""
    store.put([entry(n) for n in range(60)])
    with SlowWriter(store._connections, make_entry("late", ["zebra"], seed=1)) as writer:
        store.put([make_entry("early", ["zebra"], seed=2)])  # a higher number, committed first
        refreshing = threading.Thread(target=store.refresh)
        refreshing.start()
        refreshing.join(0.5)
        assert refreshing.is_alive()
        writer.go_on()
        refreshing.join(400)
    assert store._connections.read(postings.end)
    assert {chunk.span.doc_id for chunk in store.chunks(store.lexical("zebra", 5).keys)} == {"late", "early"}
    check_same_without(store)


def test_a_writer_that_hangs_is_not_waited_for(store: PostgreSQLStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "PATIENCE", "100ms")
    store.put([entry(n) for n in range(60)])
    with SlowWriter(store._connections, make_entry("late", ["zebra"], seed=1)), trace.recording() as told:
        store.refresh()
        store.put([make_entry("early", ["zebra"], seed=2)])
    assert told.fallbacks == {"store.postings_put_off": 1}
    assert store._connections.read(postings.end) == 0
    store.refresh()
    assert store._connections.read(postings.end)
    check_same_without(store)


def test_two_make_postings_once(store: PostgreSQLStore, url: str) -> None:
    store.put([entry(n) for n in range(120)])
    with PostgreSQLStore.open(url, settings={}) as other:
        both = [threading.Thread(target=one.refresh) for one in (store, other) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join(400)
    check_same_without(store)
    assert sum(len(data) // 12 for _, _, data in rows(store)) == sum(
        store.frequencies(sorted({word for word, _, _ in rows(store)}))[0].tolist()
    )


def test_postings_are_made_whole_or_not_at_all(store: PostgreSQLStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put([entry(n) for n in range(120)])
    monkeypatch.setattr(postings, "_PACKED", f"int8send(key / (key - {store.chunk_keys('d90')[0]}))")
    with pytest.raises(StoreError, match="division by zero"):
        store.refresh()
    assert store._connections.read(postings.end) == 0
    assert store._connections.read(lambda at: at.execute("SELECT to_regclass('postings')").fetchone()) == (None,)
    monkeypatch.undo()
    assert len(store.lexical("w0", 5)) == 5


def test_who_may_read_words_may_read_postings_and_who_may_not_make_them_goes_without(
    server: PostgreSQLServer, url: str, store: PostgreSQLStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ingests and does not own the library may not make the graph either."""
    monkeypatch.setattr(nearest, "EXACT", 100)
    library = located(url).library
    store.put([entry(n) for n in range(120)])
    server.execute(
        "CREATE ROLE writer LOGIN PASSWORD 'writer'", f'GRANT USAGE ON SCHEMA "{library}" TO writer',
        f'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "{library}" TO writer',
        f'GRANT USAGE ON ALL SEQUENCES IN SCHEMA "{library}" TO writer',
    )  # fmt: skip
    address = f"postgresql://writer:writer@127.0.0.1:{server.port}/postgres?library={library}"
    with PostgreSQLStore.open(address, settings={}) as other:
        with trace.recording() as told:
            other.refresh()
        assert told.fallbacks == {"store.graph_refused": 1, "store.postings_refused": 1}
        assert len(other.lexical("w0", 5)) == 5
        store.refresh()
        assert other.lexical("w0 w18", 50).keys.tolist() == store.lexical("w0 w18", 50).keys.tolist()
        other.put([entry(n) for n in range(120, 240)])
        with trace.recording() as told:
            other.refresh()
        assert not told.fallbacks
        assert other._connections.read(postings.end) > int(other.chunk_keys("d239")[-1])
    check_same_without(store)
