"""Building a library anew: what it keeps, what stands in its way, and that no write is lost."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.errors import (
    CorpusError,
    DamagedStoreError,
    StaleIndexError,
    StoreBusyError,
    StoreError,
    UnknownLibraryError,
)
from decoct.index.embedded import database, opening
from decoct.ingest import Ingest, Report
from decoct.rebuild import rebuild
from decoct.retrieve.cards.build import Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct_testing.hash_embedder import HashEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as library:
        library.add([Document("a", "One river."), Document("b", "Two rivers.")])
    return tmp_path / "lib"


def test_what_is_not_named_stays_and_a_trailing_slash_is_nothing(folder: Path) -> None:
    assert rebuild(f"{folder}/", embedder=HashEmbedder()).added == 2
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert json.loads(library.status().settings["chunker"])["use"] == "sentence"
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


def test_a_library_from_before_chunks_had_places_tells_once_how_to_get_them(folder: Path) -> None:
    file = sqlite3.connect(folder / "library.db")
    file.executescript(
        "DELETE FROM settings WHERE name = 'places'; ALTER TABLE chunks DROP COLUMN place; PRAGMA user_version = 2;"
    )
    file.close()
    told = []
    for text in ("", "Three.", "Four."):
        with Library.open(folder, embedder=HashEmbedder()) as library:
            told.append(library.add([Document("c", text)] if text else []).notes)
    assert [len(notes) for notes in told] == [0, 1, 0]
    assert "--rebuild" in told[1][0]
    assert rebuild(folder, embedder=HashEmbedder()).notes == []


def test_beside_a_writer_it_is_refused_since_writes_would_be_lost(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.add(Document("c", "Three."))
        with pytest.raises(StoreBusyError):
            rebuild(folder, embedder=HashEmbedder())
        library.add(Document("d", "Four."))
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "b", "c", "d"]


def interrupted(folder: Path, **options: object) -> None:
    """A rebuild that stops after its first batch."""

    def stop(report: Report) -> None:
        if report.added:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(folder, embedder=HashEmbedder(), progress=stop, **options)  # type: ignore[arg-type]


def test_what_an_interrupted_rebuild_left_is_used_or_thrown_away(folder: Path) -> None:
    interrupted(folder, chunker="fixed")  # of other settings
    assert rebuild(folder, embedder=HashEmbedder()).added == 2
    interrupted(folder)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.delete("b")
        library.add(Document("c", "Three rivers."))
    report = rebuild(folder, embedder=HashEmbedder())
    assert (report.added, report.unchanged) == (1, 1)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "c"]
        assert library.status().generation == 2
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


def test_what_else_lies_beside_the_library_is_thrown_away_or_left(folder: Path) -> None:
    with Library.open(folder.with_name("lib.rebuild"), embedder=HashEmbedder()) as library:  # not of this library
        library.add(Document("x", "A stranger."))
    folder.with_name("lib.old").mkdir()  # the user's own
    assert rebuild(folder, embedder=HashEmbedder()).added == 2
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "b"]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["lib", "lib.old"]


def test_a_document_that_cannot_be_stored_again_is_not_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Ingest._digest

    def refused(self: Ingest, document: Document) -> str:
        if document.id == "a":
            raise CorpusError("it is refused")
        return real(self, document)

    monkeypatch.setattr(Ingest, "_digest", refused)
    with pytest.raises(StoreError, match=r"stays as it was: a cannot be stored again \(it is refused\)"):
        rebuild(folder, embedder=HashEmbedder())
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["a", "b"]


def test_a_damaged_text_does_not_become_a_sound_one(folder: Path) -> None:
    file = sqlite3.connect(folder / "library.db")
    file.execute("UPDATE texts SET text = 'One raver.' WHERE text = 'One river.'")
    file.commit()
    file.close()
    with pytest.raises(DamagedStoreError, match="of a the text or title is not what was stored"):
        rebuild(folder, embedder=HashEmbedder())
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.delete("a")
        library.add(Document("a", "One river."))
    assert rebuild(folder, embedder=HashEmbedder()).added == 2


@pytest.mark.parametrize("exchange", [True, False])
def test_a_handle_goes_on_with_the_new_library(folder: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    if not exchange:
        monkeypatch.setattr(opening, "_exchanged", lambda *_: False)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        before = library.search("river", 5)
        old = library.store.chunk_keys("a").tolist()
        listing = library.documents()
        next(listing)
        assert rebuild(folder, embedder=HashEmbedder()).added == 2
        assert library.store.chunks(old) == []  # its keys are nobody's now
        assert not library.store.vectors(old).any()
        assert [hit.chunk.text for hit in library.search("river", 5)] == [hit.chunk.text for hit in before]
        assert [info.id for info in library.documents()] == ["a", "b"]
        assert library.status().generation == 1
        library.add(Document("c", "Three rivers."))
        library.delete("a")
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert [info.id for info in library.documents()] == ["b", "c"]
        assert len(library.search("rivers", 5)) == 2
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


@pytest.mark.parametrize("first", ["put", "delete", "search", "document", "status", "documents"])
def test_whatever_comes_first_sees_the_new_library(folder: Path, first: str) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.search("river", 5)
        rebuild(folder, embedder=HashEmbedder())
        with Library.open(folder, embedder=HashEmbedder()) as other:
            other.add(Document("a", "A new river."))
        if first == "put":
            assert library.add(Document("a", "One river.")).replaced == 1
        elif first == "delete":
            assert library.delete("a") == 1
        elif first == "search":
            assert "A new river." in {hit.chunk.text for hit in library.search("river", 5)}
        elif first == "document":
            assert library.document("a").text == "A new river."
        elif first == "status":
            assert library.status().generation == 1
        else:
            assert [info.characters for info in library.documents()] == [12, 11]


def test_a_handle_goes_on_where_other_settings_are_taken(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.search("river", 5)
        rebuild(folder, embedder=HashEmbedder(), chunker="fixed")
        assert len(library.search("river", 5)) == 2
        rebuild(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 30})
        assert library.add(Document("c", "Three rivers.")).added == 1
        assert json.loads(library.status().settings["chunker"])["tokens"] == 30
        assert json.loads(library.build)[1]["tokens"] == 30


def test_a_handle_that_was_asked_to_be_of_other_settings_is_stale(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as library:
        rebuild(folder, embedder=HashEmbedder(), chunker="fixed")
        for _ in range(2):
            with pytest.raises(StaleIndexError, match="was built with chunker"):
                library.search("river", 5)
            with pytest.raises(StaleIndexError):
                library.add(Document("c", "Three."))
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert library.status().documents == 2


def test_a_handle_of_a_library_that_is_gone_is_stale(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 0.05)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        folder.rename(folder.with_name("moved"))
        time.sleep(2 * database.FRESH)
        with pytest.raises(StaleIndexError, match="removed or moved"):
            library.document("a")
        with Library.open(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as other:
            other.add(Document("a", "Another library."))
        with pytest.raises(StaleIndexError, match="another library"):
            library.document("a")
        with pytest.raises(StaleIndexError, match="another library"):
            library.delete("a")
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert library.document("a").text == "Another library."


def test_threads_ask_on_while_the_library_is_built_anew(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        library.search("river", 5)
        done = threading.Event()

        def ask() -> int:
            rounds = 0
            while not done.is_set() or rounds < 20:
                assert {hit.chunk.text for hit in library.search("river", 5)} <= {"One river.", "Two rivers."}
                assert library.document("a").text == "One river."
                rounds += 1
            return rounds

        with ThreadPoolExecutor(3) as pool:
            asking = [pool.submit(ask) for _ in range(3)]
            for _ in range(3):
                assert rebuild(folder, embedder=HashEmbedder()).added == 2
            done.set()
            assert all(one.result() >= 20 for one in asking)


def test_without_a_library_there_is_nothing_to_rebuild(tmp_path: Path) -> None:
    with pytest.raises(UnknownLibraryError, match="no library"):
        rebuild(tmp_path / "none")


def test_cards_go_along(folder: Path) -> None:
    def cards_of(embedder: HashEmbedder) -> tuple[list[str], int]:
        with Library.open(folder, embedder=embedder) as library:
            cards = library.cards.opened().cards
            texts = [cards.document(info.id).text for info in cards.documents()]
            return texts, Build(library.store, cards, embedder, Rules()).estimate().documents

    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = library.cards.writable().cards
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
    before, _ = cards_of(HashEmbedder())
    assert rebuild(folder, embedder=HashEmbedder(), chunker="fixed").failures == []
    assert cards_of(HashEmbedder()) == (before, 0)  # and nothing is to be made again
    assert rebuild(folder, embedder=HashEmbedder(32)).failures == []
    assert cards_of(HashEmbedder(32)) == (before, 0)


def test_cards_that_only_a_model_can_make_are_named(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = library.cards.writable().cards
        Build(
            library.store, cards, library.embedder, Rules(questions=3)
        ).run()  # other settings stand for another generator
        cards.close()
    (failure,) = rebuild(folder, embedder=HashEmbedder(32)).failures
    assert (failure.source, failure.code) == ("cards", "stale-index")
    assert "decoct cards build" in failure.reason
    with Library.open(folder, embedder=HashEmbedder(32)) as library:
        assert library.status().documents == 2


def test_a_card_of_an_older_text_stays_one(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        cards = library.cards.writable().cards
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
        library.add(Document("b", "Three rivers."))
    rebuild(folder, embedder=HashEmbedder(), chunker="fixed")
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert library.cards.opened().outdated(["a", "b"]) == ["b"]
