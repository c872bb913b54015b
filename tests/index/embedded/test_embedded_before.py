"""Libraries of the version before: they open, answer as before, and are brought up to date; where nothing can be written they are read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from decoct import trace
from decoct.index.embedded import EmbeddedStore, schema
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_same import same_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library as version 1 left it: no digests, no tally, no generation, and indexes without checksums or counts."""
    with EmbeddedStore.open(tmp_path / "lib", settings={"embedder": "x"}) as store:
        store.put(corpus())
        store.delete(["doc-003"])
    file = sqlite3.connect(tmp_path / "lib" / "library.db")
    file.executescript(
        "ALTER TABLE chunks DROP COLUMN place; DROP TABLE sums; "
        "DELETE FROM meta WHERE name IN ('generation', 'chunks', 'keys'); PRAGMA user_version = 1;"
    )
    file.close()
    for path, missing in (("lexical/decoct.json", "chunks"), ("vectors/manifest.json", "checks")):
        record = json.loads((tmp_path / "lib" / path).read_text())
        del record[missing]
        record["format"] = min(record["format"], 2)
        (tmp_path / "lib" / path).write_text(json.dumps(record))
    return tmp_path / "lib"


@pytest.fixture
def model() -> MemoryStore:
    found = MemoryStore()
    found.put(corpus())
    found.delete(["doc-003"])
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*.*")
        if path.suffix not in {".db-shm", ".db-wal", ".lock"}
    }


def test_it_answers_as_before_and_is_brought_up_to_date(folder: Path, model: MemoryStore) -> None:
    with EmbeddedStore.open(folder, settings={"embedder": "x"}) as store, trace.recording() as record:
        same_store(store, model)
        assert record.fallbacks.keys() == {"store.vectors_rebuilt"}  # the words' index is good
        assert {(one.damaged, one.behind) for one in store.verify()} == {((), 0)}
        for one in (store, model):
            one.put([make_entry("new", ["river stone"], seed=9)])
        same_store(store, model)
    file = sqlite3.connect(folder / "library.db")
    assert file.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    assert file.execute("SELECT count(*) FROM sums").fetchone() == (30,)
    file.close()
    assert json.loads((folder / "vectors" / "manifest.json").read_text())["checks"].keys() >= {
        "rows",
        "keys",
        "marks",
        "dead",
    }
    with EmbeddedStore.open(folder, settings={}) as store, trace.recording() as record:
        same_store(store, model)
        assert {(one.damaged, one.behind) for one in store.verify()} == {((), 0)}
    assert not record.fallbacks


def test_reading_only_it_is_read_as_it_is(folder: Path, model: MemoryStore) -> None:
    before = files(folder)
    with EmbeddedStore.open(folder, settings={}, read_only=True) as store:
        same_store(store, model)
        assert store.status().generation == 0
    assert files(folder) == before


@pytest.mark.parametrize("read_only", [True, False])
def test_chunks_stored_before_they_had_places_have_none(tmp_path: Path, read_only: bool) -> None:
    with EmbeddedStore.open(tmp_path / "lib", settings={}) as store:
        store.put(corpus())
        expected = [store.chunks(store.chunk_keys(info.id)) for info in store.documents()]
    file = sqlite3.connect(tmp_path / "lib" / "library.db")
    file.executescript("ALTER TABLE chunks DROP COLUMN place; PRAGMA user_version = 2;")
    file.close()
    with EmbeddedStore.open(tmp_path / "lib", settings={}, read_only=read_only) as store:
        assert [store.chunks(store.chunk_keys(info.id)) for info in store.documents()] == expected
        assert {one.damaged for one in store.verify()} == {()}


def test_documents_with_a_nul_in_their_id_can_still_be_told_apart(folder: Path) -> None:
    file = sqlite3.connect(folder / "library.db")
    file.execute("UPDATE documents SET id = ? WHERE id = 'doc-001'", ("doc-000\0b",))
    file.commit()
    file.close()
    with EmbeddedStore.open(folder, settings={}) as store:
        assert store.document("doc-000\0b").text != store.document("doc-000").text
        assert store.delete(["doc-000\0b"]) == 1
        assert store.document("doc-000").id == "doc-000"
        assert len(store.nearest(unit_rows(1)[0], 500)) == store.status().chunks
