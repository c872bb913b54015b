"""A library that somebody else exchanges or fills while it is open: readers go on, and are told where they cannot."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.backup import back_up, restore
from decoct.errors import CorpusError, StaleIndexError, StoreError
from decoct.index.embedded import EmbeddedStore, changes, opening, reading
from decoct.opening import Following, LibraryAsked
from decoct.rebuild import rebuild
from decoct_testing.hash_embedder import HashEmbedder

SENTENCES = {"use": "sentence", "tokens": 40}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(), chunker=SENTENCES) as library:
        library.add([Document("a", "One river."), Document("b", "Two rivers.")])
    return tmp_path / "lib"


def test_a_library_that_was_empty_is_taken_as_it_was_filled(tmp_path: Path) -> None:
    with Library.open(tmp_path) as reader:
        with pytest.raises(CorpusError, match="empty"):
            reader.search("river", 5)
        with Library.open(tmp_path, chunker="fixed") as writer:
            writer.add([Document("a", "One river."), Document("b", "Two rivers.")])
        assert len(reader.search("river", 5)) == 2
        assert reader.build == writer.build


def test_a_library_that_was_empty_and_must_be_otherwise_is_told(tmp_path: Path) -> None:
    with Library.open(tmp_path, embedder=HashEmbedder()) as reader:
        with Library.open(tmp_path, embedder=HashEmbedder(dimension=32)) as writer:
            writer.add(Document("a", "One river."))
        for _ in range(2):
            with pytest.raises(StaleIndexError, match="was built with embedder"):
                reader.search("river", 5)


def test_a_state_that_was_put_back_is_read_on(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "kept.tar")
    with Library.open(folder, embedder=HashEmbedder()) as reader:
        with Library.open(folder, embedder=HashEmbedder()) as writer:
            writer.add(Document("c", "Three rivers."))
        assert len(reader.search("rivers", 5)) == 3
        folder.rename(tmp_path / "old")
        restore(tmp_path / "kept.tar", folder)
        assert len(reader.search("rivers", 5)) == 2
        assert [info.id for info in reader.documents()] == ["a", "b"]


@pytest.mark.parametrize("method", ["search", "context", "ask"])
def test_a_question_that_was_taken_up_is_asked_of_the_library_that_is_built_then(
    folder: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    now = Library._now
    built: list[bool] = []

    def late(self: Library, ask: Callable[[], object]) -> object:
        if not built:
            built.append(True)
            rebuild(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 41})
        return now(self, ask)

    with Library.open(folder, embedder=HashEmbedder()) as reader:
        monkeypatch.setattr(Library, "_now", late)
        found = getattr(reader, method)("How many rivers?")
        assert built
        assert "river" in str(found)


def test_threads_that_ask_while_settings_change_find_everything(folder: Path) -> None:
    """Each rebuild takes another chunker, so that the library is opened again under its readers."""
    done = threading.Event()
    wrong: list[object] = []

    def ask() -> None:
        while not done.is_set():
            try:
                found = {hit.chunk.text for hit in library.search("river", 5)}
                text = library.document("a").text
            except Exception as error:  # noqa: BLE001 - whatever it is, no reader may see it
                wrong.append(error)
                return
            if found != {"One river.", "Two rivers."} or text != "One river.":
                wrong.append(found)

    with Library.open(folder, embedder=HashEmbedder()) as library:
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for n in range(4):
            rebuild(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 50 + n})
        done.set()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_an_error_of_a_library_that_stands_still_is_told_at_once(folder: Path) -> None:
    times = []

    def ask() -> None:
        times.append(1)
        raise StoreError("the disk is full")

    asked = LibraryAsked(folder, HashEmbedder())
    with Library.open(folder, embedder=HashEmbedder()) as library:
        found = asked.opened(create=False)
        with pytest.raises(StoreError, match="full"):
            Following(asked, found).now(library, ask)
        found.store.close()
    assert len(times) == 1


def test_a_library_is_opened_while_its_settings_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings are read of the old one, its files are those of the new one: it is looked at again."""
    real = LibraryAsked._opened
    changed: list[int] = []

    def late(self: LibraryAsked, stored: object, *, create: bool) -> object:
        if not changed:
            changed.append(1)
            rebuild(folder, embedder=HashEmbedder(), chunker="fixed")
        return real(self, stored, create=create)  # type: ignore[arg-type]

    monkeypatch.setattr(LibraryAsked, "_opened", late)
    with Library.open(folder, embedder=HashEmbedder()) as library:
        assert len(library.search("river", 5)) == 2


@pytest.mark.parametrize("tokens", [40, 41], ids=["same settings", "others"])
@pytest.mark.parametrize("part", ["stored_settings", "check_settings", "identity", "state"])
def test_a_library_is_opened_whatever_part_of_opening_it_is_exchanged_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, part: str, tokens: int
) -> None:
    """With the same settings too: what is read of the old one says nothing of the new one then, and is read again."""
    where, name = {
        "stored_settings": (reading, "settings"),
        "check_settings": (opening, "check_settings"),
        "identity": (changes, "identity"),
        "state": (EmbeddedStore, "state"),
    }[part]
    real, changed = getattr(where, name), list[int]()

    def late(*given: object) -> object:
        if not changed:
            changed.append(1)
            rebuild(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": tokens})
        return real(*given)

    monkeypatch.setattr(where, name, late)
    with Library.open(folder, embedder=HashEmbedder(), create=False) as library:
        assert changed
        assert len(library.search("river", 5)) == 2
        assert isinstance(library.store, EmbeddedStore)
        assert library.store.state().generation == 1


@pytest.mark.parametrize("at_look", [1, 2])
def test_a_library_between_two_renames_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch, at_look: int) -> None:
    """Where the system cannot exchange two folders, neither has its name for a moment: who opens it then finishes the exchange."""
    real, looks = opening.finish_interrupted, list[Path]()

    def late(at: Path) -> None:
        real(at)
        if at == folder:
            looks.append(at)
            if len(looks) == at_look:  # it was looked for, and goes only now
                beside.joinpath(opening.COMPLETE).touch()
                folder.rename(folder.with_name("lib.replaced"))

    with EmbeddedStore.open(folder, settings=opening.stored_settings(folder) or {}) as old:
        beside = old.begin_successor()
    with Library.open(beside, embedder=HashEmbedder(), chunker=SENTENCES) as new:
        new.add([Document("a", "One river."), Document("b", "Two rivers.")])
    monkeypatch.setattr(opening, "finish_interrupted", late)
    with Library.open(folder, embedder=HashEmbedder(), create=False) as library:
        assert len(looks) >= at_look
        assert len(library.search("river", 5)) == 2
        assert isinstance(library.store, EmbeddedStore)
        assert library.store.state().generation == 1


def test_a_library_that_is_removed_is_told(folder: Path) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as library:
        shutil.rmtree(folder)
        with pytest.raises(StaleIndexError, match="removed or moved"):
            library.search("river", 5)
