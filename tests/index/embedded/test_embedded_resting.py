"""The write lock is given back when nothing was written for a moment, and searches go on while the disk is full."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from decoct import trace
from decoct.errors import StoreBusyError
from decoct.index.embedded import EmbeddedStore, derived
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_same import same_store


def opened(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.open(folder, settings={})


def soon_put(store: EmbeddedStore, name: str) -> None:
    """Put as soon as the lock is free."""
    deadline = time.monotonic() + 400
    while True:
        try:
            store.put([make_entry(name, ["river"])])
        except StoreBusyError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        else:
            return


WRITER = """
import sys
from decoct.index.embedded import EmbeddedStore
from decoct_testing.store_corpus import make_entry
with EmbeddedStore.open(sys.argv[1], settings={}, create=False) as store:
    store.put([make_entry(sys.argv[2], ["river stone"])])
"""


def test_a_second_program_writes_beside_one_that_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "DELAY", 0.1)
    with opened(tmp_path) as store:
        model = MemoryStore()
        for n in range(3):
            for one in (store, model):
                one.put([make_entry(f"mine{n}", ["river"])])
            deadline = time.monotonic() + 400
            while subprocess.run(
                [sys.executable, "-c", WRITER, tmp_path, f"theirs{n}"], capture_output=True, check=False
            ).returncode:
                assert time.monotonic() < deadline
            model.put([make_entry(f"theirs{n}", ["river stone"])])
            same_store(store, model)
    with opened(tmp_path) as store:
        same_store(store, model)


def test_the_default_is_a_moment(tmp_path: Path) -> None:
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.put(corpus(2))
        soon_put(second, "x")
        assert first.status().documents == 3
    assert derived.DELAY < 5


def test_a_session_holds_the_lock_from_its_beginning_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "DELAY", 0.05)
    with opened(tmp_path) as first, opened(tmp_path) as second:
        with first.session():
            with pytest.raises(StoreBusyError), second.session():
                raise AssertionError("two writers")
            first.put([make_entry("a", ["river"])])
            for _ in range(4):
                time.sleep(0.1)
                with pytest.raises(StoreBusyError):
                    second.put(corpus(1))
            deadline = time.monotonic() + 300  # others find meanwhile what was written
            while not len(second.lexical("river", 5)) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(second.lexical("river", 5)) == 1
        soon_put(second, "b")
        soon_put(first, "c")
    with opened(tmp_path) as store:
        assert [info.id for info in store.documents()] == ["a", "b", "c"]


def test_the_busy_message_tells_our_own_process_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "DELAY", 600)
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.put(corpus(1))
        with pytest.raises(StoreBusyError, match=rf"another handle in this process \(pid {os.getpid()}\)"):
            second.put(corpus(1))
        told = subprocess.run(
            [sys.executable, "-c", WRITER, tmp_path, "x"], capture_output=True, text=True, check=False
        ).stderr
        assert f"being written by another process (pid {os.getpid()})" in told


def test_threads_and_handles_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "DELAY", 0.02)
    with opened(tmp_path) as first, opened(tmp_path) as second:

        def work(store: EmbeddedStore, name: str) -> None:
            for n in range(6):
                soon_put(store, f"{name}{n}")
                time.sleep(0.03)

        threads = [
            threading.Thread(target=work, args=(store, name))
            for store, name in ((first, "a"), (first, "b"), (second, "c"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with opened(tmp_path) as store:
        assert store.status().documents == 18
        assert len(store.lexical("river", 50)) == len(store.nearest(unit_rows(1)[0], 50)) == 18
        assert not [one for one in store.verify() if one.damaged]


def run(code: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)


def test_while_nothing_can_be_written_searches_go_on(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put(corpus(10))
    done = run(
        """
        import resource, sys
        from decoct import trace
        from decoct.errors import StoreError
        from decoct.index.embedded import EmbeddedStore, derived
        from decoct_testing.store_corpus import corpus, make_entry, unit_rows
        derived.DELAY = 600
        store = EmbeddedStore.open(sys.argv[1], settings={})
        vector, words = unit_rows(1)[0], "river stone bridge garden"
        before = len(store.lexical(words, 500)), len(store.nearest(vector, 500))
        store.put([make_entry("new", ["river stone"])])        # committed, not indexed yet
        store.delete(["doc-001"])
        gone = 5
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))      # now no file can grow
        for _ in range(2):
            with trace.recording() as record:
                found = store.chunks(store.lexical(words, 500).keys), store.chunks(store.nearest(vector, 500).keys)
            assert all("new" in {chunk.span.doc_id for chunk in part} for part in found)
            assert all(chunk.span.doc_id != "doc-001" for part in found for chunk in part)
            print(sorted(record.fallbacks.items()))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
        import os; os._exit(0)
        """,
        tmp_path,
    )
    first, second = done.stdout.splitlines() or ["", done.stderr]
    assert first == "[('store.catch_up_failed', 1)]", done.stderr
    assert second == "[]"  # not tried at every search
    with opened(tmp_path) as store, trace.recording() as record:
        assert [chunk.span.doc_id for chunk in store.chunks(store.lexical("river", 500).keys)].count("new") == 1
        assert not record.fallbacks


def test_a_full_disk_is_searched_by_whoever_comes(tmp_path: Path) -> None:
    """On a file system of its own, in a name space of its own, where that is allowed; filled to the last byte."""
    code = """
        import os, sys
        from pathlib import Path
        from decoct.errors import StoreError
        from decoct.index.embedded import EmbeddedStore
        from decoct_testing.store_corpus import corpus, make_entry, unit_rows
        folder = Path(sys.argv[1])
        def found(store):
            return len(store.lexical("river stone bridge garden", 500)), len(store.nearest(unit_rows(1)[0], 500))
        with EmbeddedStore.open(folder / "lib", settings={}) as store:
            store.put(corpus(10))
        store = EmbeddedStore.open(folder / "lib", settings={})
        before = found(store)
        with open(folder / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        assert found(store) == before
        try:
            store.put([make_entry("big", [" ".join(["river"] * 900)] * 50)])
        except StoreError as error:
            print("refused", type(error).__name__)
        assert found(store) == before
        store.close()
        with EmbeddedStore.open(folder / "lib", settings={}) as other:    # everything to open it is missing
            assert found(other) == before, found(other)
        (folder / "filler").unlink()
        with EmbeddedStore.open(folder / "lib", settings={}) as other:
            other.put([make_entry("big", ["river"] * 50)])
            print(other.status().documents)
    """
    place = tmp_path / "disk"
    place.mkdir()
    (tmp_path / "code.py").write_text(textwrap.dedent(code))
    command = (
        f"mount -t tmpfs -o size=6m tmpfs {place} && echo mounted && exec {sys.executable} {tmp_path}/code.py {place}"
    )
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", command], capture_output=True, text=True, timeout=400, check=False
    )
    if not done.stdout.startswith("mounted"):
        pytest.skip("no file system can be mounted here")
    assert done.stdout.splitlines()[1:] == ["refused DiskFullError", "11"], done.stdout + done.stderr
