"""The lock on a library: one writes, and waits only for who holds it for a moment."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from decoct.errors import StoreBusyError
from decoct.index.embedded import EmbeddedStore, lock
from decoct.index.embedded.lock import WriteLock
from decoct_testing.store_corpus import make_entry, unit_rows


def test_a_writer_waits_for_one_who_only_passes(tmp_path: Path) -> None:
    reader, writer = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    reader.acquire(passing=True)
    taken = threading.Event()

    def write() -> None:
        with writer.held():
            taken.set()

    waiting = threading.Thread(target=write)
    waiting.start()
    assert not taken.wait(0.05)
    reader.release()
    assert taken.wait(400)
    waiting.join()


def test_nobody_waits_for_a_writer_and_who_passes_waits_for_nobody(tmp_path: Path) -> None:
    first, second = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    with first.held():
        for passing in (True, False):
            with pytest.raises(StoreBusyError, match="another handle in this process"):
                second.acquire(passing=passing)
    first.acquire(passing=True)
    with pytest.raises(StoreBusyError):
        second.acquire(passing=True)
    first.release()


def test_one_who_passes_for_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "MOMENT", 0.03)
    first, second = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    first.acquire(passing=True)
    with pytest.raises(StoreBusyError):
        second.acquire()
    first.release()
    with second.held():
        assert (tmp_path / lock.NOTE).read_text().strip().isdigit()
    assert (tmp_path / lock.NOTE).read_text() == ""


def test_a_reader_of_an_empty_library_takes_no_lock(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as reader:
        assert len(reader.lexical("river", 5)) == len(reader.nearest(unit_rows(1)[0], 5)) == 0
        assert not (tmp_path / "write.lock").exists()
        with EmbeddedStore.open(tmp_path, settings={}) as writer:
            writer.put([make_entry("a", ["river"])])
            assert len(reader.lexical("river", 5)) == 1
