"""A writing that breaks off anywhere leaves whole documents, and what it left is swept. Faults are told by type."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from decoct.errors import ConfigError, CorpusError, StaleIndexError, StoreError, StoreUnavailableError
from decoct.index.entries import digest_of
from decoct_milvus import MilvusStore, writing
from decoct_milvus.collections import Numbers
from decoct_milvus.connection import Connection, Row
from decoct_milvus.location import located
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry, unit_rows

pytestmark = pytest.mark.services


def place(folder: Path) -> str:
    return f"milvus-lite://{folder}/library.db"


OLD = make_entry("a", ["river stone", "garden"], seed=1, digest="old", names=("x",), mentions=(("m",), ()))
NEW = make_entry(
    "a", ["winter", "light", "copper river"], seed=2, digest="new", names=("y",), mentions=((), ("m",), ())
)


@pytest.mark.parametrize("after", range(1, 8))
def test_a_writing_that_breaks_off_leaves_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """At every step: two notes, parts, chunks, row of the document, removal of old parts and chunks."""
    with MilvusStore.open(place(tmp_path), settings={}) as store:
        store.put([OLD])
        steps = [0]

        def failing(name: str) -> None:
            real = getattr(Connection, name)

            def step(self: Connection, *given: object) -> None:
                steps[0] += 1
                if steps[0] == after:
                    raise KeyboardInterrupt
                real(self, *given)

            monkeypatch.setattr(Connection, name, step)

        for name in ("put", "remove"):
            failing(name)
        with pytest.raises(KeyboardInterrupt):
            store.put([NEW])
        monkeypatch.undo()
        (found,) = store.entries(["a"])
        assert digest_of(found) == digest_of({"old": OLD, "new": NEW}[found.digest])
        model = MemoryStore()
        model.put([OLD if found.digest == "old" else NEW])
        keys = set(store.chunk_keys("a").tolist())
        assert set(store.nearest(unit_rows(1)[0], 10).keys.tolist()) == keys
        for word in ("river", "garden", "winter"):
            assert len(store.lexical(word, 10)) == len(model.lexical(word, 10))
        store.put([make_entry("b", ["paper"])])  # another writing; what was left is too young to be swept
        # The first step is the note itself. A writing beside a note of another leaves its own too.
        assert writing.sweep(store._at, age=-1) == (2 if after > 1 else 0)
        assert held(store) == named(store)
        assert writing.sweep(store._at, age=-1) == 0


def held(store: MilvusStore) -> set[int]:
    """Of which writings there are parts or chunks."""
    tables = ("parts", "chunks")
    return {row["document"] for table in tables for row in store._at.rows(table, "document > 0", ["document"])}


def named(store: MilvusStore) -> set[int]:
    """Which writings a document's own row names."""
    return {row["number"] for row in store._at.rows("documents", "number > 0", ["number"])}


@pytest.mark.parametrize("before", ["parts", "chunks", "documents"])
def test_two_writers_of_one_document_leave_one_of_them_and_nothing_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """The second writes all of it while the first is on its way, so that neither knows what the other put."""
    with MilvusStore.open(place(tmp_path), settings={}) as store:
        store.put([make_entry("b", ["paper"])])
        real = Connection.put
        met: list[str] = []

        def step(self: Connection, table: str, rows: list[Row], at_once: int = 500) -> None:
            if table == before and not met:
                met.append(table)
                store.put([NEW])
            real(self, table, rows, at_once)

        monkeypatch.setattr(Connection, "put", step)
        store.put([OLD])
        monkeypatch.undo()
        assert met == [before]
        (found,) = store.entries(["a"])
        assert digest_of(found) == digest_of(OLD)  # whose row came last
        writing.sweep(store._at, age=-1)
        assert held(store) == named(store)
        assert len(named(store)) == 2


def test_a_library_of_a_newer_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(writing, "SCHEMA", writing.SCHEMA + 1)
        with MilvusStore.open(place(tmp_path), settings={}) as store:
            store.put([OLD])
    with pytest.raises(StoreError, match="written by a newer Decoct"):
        MilvusStore.open(place(tmp_path), settings={})


def test_a_library_of_another_embedder(tmp_path: Path) -> None:
    with MilvusStore.open(place(tmp_path), settings={"embedder": "one"}) as store:
        store.put([make_entry("a", ["river"])])
        with pytest.raises(StaleIndexError, match="embedder 'one', not 'other'"):
            MilvusStore.open(place(tmp_path), settings={"embedder": "other"})
        with pytest.raises(StoreError, match="3 numbers"):
            store.nearest(np.ones(3, np.float32), 2)


def test_what_milvus_cannot_hold_is_told(tmp_path: Path) -> None:
    with MilvusStore.open(place(tmp_path), settings={}) as store:
        with pytest.raises(CorpusError, match="more than Milvus keeps"):
            store.put([make_entry("a", ["river"], title="t" * 70_000)])
        assert list(store.documents()) == []


def test_an_unreachable_server() -> None:
    with pytest.raises(StoreUnavailableError, match="reached") as told:
        MilvusStore.open("milvus://me:hidden@127.0.0.1:1/x", settings={})
    assert "hidden" not in str(told.value)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("milvus://h/a-b", "cannot name a library"),
        ("milvus://h/x?vectors=all", "neither exact nor hnsw"),
        ("milvus://h/x?password=hidden", "mean nothing: password"),
        ("milvus-lite:///tmp/library", "ends with .db"),
    ],
)
def test_an_address_that_cannot_be_read(address: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as error:
        located(address)
    assert "hidden" not in str(error.value)


def test_an_address_comes_back() -> None:
    place = located("milvus://me:hid%40den@db:19531/notes?tls=true&database=d")
    assert (place.uri, place.library, place.token, place.database) == ("https://db:19531", "notes", "me:hid@den", "d")
    assert located(place.address) == place
    assert "den" not in f"{place} {place!r}"
    file = located("milvus-lite:///a/b%20c.db?library=x")
    assert located(file.address) == file


def test_numbers_are_never_given_twice() -> None:
    numbers = Numbers()
    given = [numbers.next(1 << 18) for _ in range(40)]  # more than fit into a second
    assert all(later - earlier >= 1 << 18 for earlier, later in pairwise(given))
