"""Backup and restore of a library, while it is written."""

from __future__ import annotations

import io
import os
import tarfile
import threading
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.backup import back_up, restore
from decoct.errors import ConfigError, UnknownLibraryError


def notes(first: int, last: int) -> list[Document]:
    return [Document(f"note-{n}", f"Bridge {n} was opened in {1900 + n}.") for n in range(first, last)]


def test_a_backup_answers_as_the_library_did(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Library.open(tmp_path / "library") as library:
        library.add(notes(0, 20))
        (tmp_path / "library" / "originals").mkdir()
        (tmp_path / "library" / "originals" / "a.pdf").write_bytes(b"%PDF-")
        assert back_up(tmp_path / "library", tmp_path / "kept" / "a.tar.gz") == 20  # while it is open for writing
        asked = [hit.chunk for hit in library.search("bridge 7")]
    assert restore(tmp_path / "kept" / "a.tar.gz", tmp_path / "again") == 20
    with Library.open(tmp_path / "again", create=False) as again:
        assert [hit.chunk for hit in again.search("bridge 7")] == asked
    assert not caplog.records  # was: two warnings that an index was missing or damaged; a backup holds none
    assert (tmp_path / "again" / "originals" / "a.pdf").read_bytes() == b"%PDF-"
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["a.tar.gz"]


def test_a_backup_beside_a_writer_is_one_committed_state(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        library.add(notes(0, 1))
        done = threading.Event()

        def write() -> None:
            for n in range(1, 30):
                library.add(notes(n, n + 1))
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        counts: list[tuple[int, Path]] = []
        while not done.is_set():
            file = tmp_path / f"{len(counts)}.tar"
            counts.append((back_up(tmp_path / "library", file), file))
        writer.join()
    count, file = counts[len(counts) // 2]
    assert restore(file, tmp_path / "again") == count
    with Library.open(tmp_path / "again", create=False) as again:
        assert {info.id for info in again.documents()} == {f"note-{n}" for n in range(count)}


def test_nothing_is_written_over_and_damaged_files_are_refused(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        library.add(notes(0, 3))
    back_up(tmp_path / "library", tmp_path / "a.tar")
    with pytest.raises(ConfigError, match="there already"):
        back_up(tmp_path / "library", tmp_path / "a.tar")
    with pytest.raises(ConfigError, match="already"):
        restore(tmp_path / "a.tar", tmp_path / "library")
    with pytest.raises(ConfigError, match=r"a\.tar or a\.tar\.gz, not a\.zip"):
        back_up(tmp_path / "library", tmp_path / "a.zip")
    with pytest.raises(UnknownLibraryError, match="no library"):
        back_up(tmp_path / "nothing", tmp_path / "b.tar")
    (tmp_path / "text.tar").write_text("no archive")
    with pytest.raises(ConfigError, match=r"that `decoct backup` wrote$"):
        restore(tmp_path / "text.tar", tmp_path / "new")
    whole = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match="not a whole backup"):
        restore(tmp_path / "cut.tar", tmp_path / "new")
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        entry = tarfile.TarInfo("../outside")
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(ConfigError, match="not a whole backup"):
        restore(tmp_path / "evil.tar", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "outside").exists()


def test_what_a_killed_backup_left_is_swept(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        library.add(notes(0, 3))
    gone, running, named = (
        tmp_path / ".backup-999999999-x",
        tmp_path / f".backup-{os.getpid()}-x",
        tmp_path / ".backup-mine-x",
    )
    for folder in (gone, running, named):
        folder.mkdir()
        (folder / "library.db").write_text("half")
    back_up(tmp_path / "library", tmp_path / "a.tar")
    assert [folder.exists() for folder in (gone, running, named)] == [False, True, True]


def test_a_backup_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut could leave the name on an empty file."""
    with Library.open(tmp_path / "library") as library:
        library.add(notes(0, 3))
    file, synced, named = tmp_path / "a.tar", list[tuple[int, int]](), list[tuple[int, int]]()
    sync, replace = os.fsync, Path.replace

    def fsync(number: int) -> None:
        synced.append((os.fstat(number).st_ino, os.fstat(number).st_size))
        sync(number)

    def put(self: Path, target: Path) -> Path:
        if target == file:
            named.append((self.stat().st_ino, self.stat().st_size))
            assert named[0] in synced
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", put)
    assert back_up(tmp_path / "library", file) == 3
    assert len(named) == 1
