"""`decoct copy`: everything arrives, an interrupted copy goes on, what does not arrive is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decoct import Document, Library
from decoct.cli.app import app
from decoct.copying import CopyReport, copy_library
from decoct.data import Floats
from decoct.errors import ConfigError, DamagedStoreError, StaleIndexError, UnknownLibraryError
from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore
from decoct.index.entries import digest_of
from decoct_postgresql.testing import PostgreSQLServer, postgresql_server
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry
from decoct_testing.store_same import same_store

SETTINGS = {"embedder": "x", "language": "en"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with EmbeddedStore.open(tmp_path / "from", settings=SETTINGS) as store:
        store.put(corpus(40))
    return tmp_path / "from"


def model() -> MemoryStore:
    made = MemoryStore(SETTINGS)
    made.put(corpus(40))
    return made


def test_everything_arrives(source: Path, tmp_path: Path) -> None:
    report = copy_library(source, tmp_path / "to")
    assert (report.copied, report.unchanged, report.others) == (40, 0, [])
    with EmbeddedStore.open(tmp_path / "to", settings=SETTINGS, create=False) as store:
        same_store(store, model())
        assert dict(store.status().settings) == SETTINGS
        ids = [entry.document.id for entry in corpus(40)]
        assert list(map(digest_of, store.entries(ids))) == list(map(digest_of, corpus(40)))
    again = copy_library(source, tmp_path / "to")
    assert (again.copied, again.unchanged) == (0, 40)


def test_a_library_is_not_copied_among_other_files(source: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mill.md").write_text("The mill.")
    with pytest.raises(ConfigError, match=r"holds mill\.md and no library"):
        copy_library(source, tmp_path / "docs")
    assert [one.name for one in (tmp_path / "docs").iterdir()] == ["mill.md"]
    (tmp_path / "empty").mkdir()
    assert copy_library(source, tmp_path / "empty").copied == 40


def test_an_interrupted_copy_goes_on(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.copying.BATCH_CHARACTERS", 1000)

    def interrupt(report: CopyReport) -> None:
        if report.done >= 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_library(source, tmp_path / "to", interrupt)
    with EmbeddedStore.open(tmp_path / "to", settings={}) as store:
        done = store.status().documents
    assert 15 <= done < 40
    report = copy_library(source, tmp_path / "to")
    assert (report.copied, report.unchanged) == (40 - done, done)


def test_what_differs_is_copied_again_and_what_is_only_there_is_told(source: Path, tmp_path: Path) -> None:
    copy_library(source, tmp_path / "to")
    (changed,) = (entry for entry in corpus(40) if entry.document.id == "doc-007")
    with EmbeddedStore.open(tmp_path / "to", settings={}) as store:  # the same digest of the source, another vector
        store.put([make_entry("other", ["river"]), _with_vectors(changed, -changed.vectors)])
    report = copy_library(source, tmp_path / "to")
    assert (report.copied, report.unchanged, report.others) == (1, 39, ["other"])


def _with_vectors(entry: Entry, vectors: Floats) -> Entry:
    return replace(entry, vectors=vectors)


def test_what_does_not_arrive_is_damage(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put = EmbeddedStore.put

    def losing(self: EmbeddedStore, entries: Sequence[Entry]) -> None:
        put(self, [_with_vectors(entry, 0.9 * entry.vectors) for entry in entries])

    monkeypatch.setattr(EmbeddedStore, "put", losing)
    with pytest.raises(DamagedStoreError, match="doc-000"):
        copy_library(source, tmp_path / "to")


def test_what_cannot_be_copied_is_told(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownLibraryError, match="no library"):
        copy_library(tmp_path / "nowhere", tmp_path / "to")
    with pytest.raises(ConfigError, match="to itself"):
        copy_library(source, tmp_path / "from" / ".." / "from")
    with EmbeddedStore.open(tmp_path / "to", settings={"embedder": "other"}) as store:
        store.put([make_entry("a", ["river"])])
    with pytest.raises(StaleIndexError):
        copy_library(source, tmp_path / "to")


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_cards_and_what_structures_read_go_along(tmp_path: Path) -> None:
    with Library.open(tmp_path / "from") as library:
        library.add([Document("a", "We propose a method that moves German verbs before decoding.", "Verbs")])
    run("cards", "build", "--library", tmp_path / "from")
    parts = tmp_path / "from" / "structures" / "some" / "parts.db"
    parts.parent.mkdir(parents=True)
    import sqlite3

    with sqlite3.connect(parts) as connection:
        connection.execute("CREATE TABLE parts (document)")
    told = json.loads(run("copy", tmp_path / "from", tmp_path / "to", "--json"))
    assert told["copied"] == 1
    assert told["companions"]["cards"]["copied"] == 1
    assert told["structures"] == ["some"]
    assert (tmp_path / "to" / "structures" / "some" / "parts.db").is_file()
    shown = run("cards", "show", "a", "--library", tmp_path / "to")
    assert shown == run("cards", "show", "a", "--library", tmp_path / "from")
    assert "0 documents, 1 were there unchanged" in run("copy", tmp_path / "from", tmp_path / "to")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQLServer]:
    with postgresql_server() as running:
        yield running


@pytest.mark.services
def test_there_and_back_again(source: Path, tmp_path: Path, server: PostgreSQLServer) -> None:
    """From a folder to PostgreSQL and from there to another folder: the same in every digest."""
    with Library.open(tmp_path / "library") as library:
        library.add(
            [Document(f"d{n}", f"The bridge of year {n} was opened by Ada Lovelace.", f"Bridge {n}") for n in range(5)]
        )
    run("cards", "build", "--library", tmp_path / "library")
    for place, name in ((source, "plain"), (tmp_path / "library", "with_cards")):
        there = copy_library(place, server.url(name))
        back = copy_library(server.url(name), tmp_path / name)
        assert (there.copied, back.copied) == (there.documents, there.documents)
        assert copy_library(place, tmp_path / name).copied == 0
    assert back.companions["cards"].copied == 5
    with Library.open(tmp_path / "library") as one, Library.open(server.url("with_cards")) as other:
        for recipe in ("default", "hybrid"):
            question = "Who opened the bridge?"
            assert one.context(question, 200, recipe).text == other.context(question, 200, recipe).text
