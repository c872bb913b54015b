"""Readers (threads, another process, opened anew) beside whatever writes: nothing empty, nothing wrong, no error.

The short forms take a second each; `make test-slow` runs each for two minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from beside_reading import BRIDGES, LEAST, Counts, Readers, opened, told

from decoct import Library
from decoct.backup import back_up, restore
from decoct.errors import CorpusError
from decoct.rebuild import rebuild
from decoct_testing.hash_embedder import HashEmbedder

SHORT, LONG = 0.2, 120.0
Change = Callable[[int], object]


class Process:
    """The readers of another process."""

    def __init__(self) -> None:
        program = [sys.executable, str(Path(__file__).with_name("beside_reading.py"))]
        self.child = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(f"{line}\n")
        self.child.stdin.flush()

    def counts(self) -> Counts:
        assert self.child.stdout is not None
        return Counts(**json.loads(self.child.stdout.readline()))


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    made = Process()
    with made.child:  # closes its input, by which it ends
        yield made
    assert made.child.returncode == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
        library.add([told(n) for n in range(len(BRIDGES))])
    return tmp_path / "lib"


def met(folder: Path, process: Process, seconds: float, change: Change, least: int = 1) -> tuple[Counts, int]:
    """What readers of both processes met while `change` was made again and again, and how often it was."""
    process.say(f"start {folder}")
    readers = Readers(folder, seed=1)
    until, times = time.monotonic() + seconds, 0
    try:
        while time.monotonic() < until or times < least:
            times += 1
            change(times)
    finally:
        process.say("stop")
        counts = readers.stop()
        counts.add(process.counts())
    return counts, times


def undisturbed(counts: Counts) -> bool:
    found = asdict(counts)
    assert found == {"asked": counts.asked, "empty": 0, "wrong": [], "errors": []}
    return counts.asked >= 6 * LEAST


lengths = pytest.mark.parametrize(
    "seconds", [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=[pytest.mark.slow])]
)


@lengths
def test_beside_rebuilds_with_other_chunkers(folder: Path, process: Process, seconds: float) -> None:
    """Each second one with the settings of the one before."""

    def change(n: int) -> None:
        rebuild(folder, embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40 + n // 2 % 50})

    assert undisturbed(met(folder, process, seconds, change)[0])


@lengths
def test_beside_an_ingest_that_replaces_documents(folder: Path, process: Process, seconds: float) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as writer:

        def change(n: int) -> None:
            assert writer.add([told(one, n) for one in range(n % 3, len(BRIDGES), 3)]).replaced

        assert undisturbed(met(folder, process, seconds, change)[0])


@lengths
def test_beside_documents_that_are_deleted_and_added(folder: Path, process: Process, seconds: float) -> None:
    """Others than those that are asked for, and those that are asked for in one transaction each."""
    with Library.open(folder, embedder=HashEmbedder()) as writer:

        def change(n: int) -> None:
            extra = [told(one, n) for one in range(len(BRIDGES))]
            copies = [type(one)(f"copy of {one.id}", one.text, one.title) for one in extra]
            writer.add(copies)
            assert writer.delete(*(one.id for one in copies)) == len(copies)

        assert undisturbed(met(folder, process, seconds, change)[0])


@lengths
def test_beside_a_sync_that_prunes(tmp_path: Path, process: Process, seconds: float) -> None:
    files, folder = tmp_path / "files", tmp_path / "lib"
    files.mkdir()

    def write(version: int) -> None:
        for n in range(len(BRIDGES)):
            if (n + version) % 4 == 0 or version == 0:
                (files / told(n).id).write_text(told(n, version).text)

    write(0)
    with Library.open(folder, embedder=HashEmbedder()) as writer:
        writer.sync(files)

        def change(n: int) -> None:
            write(n)
            (files / "passing.txt").write_text(f"Something that was here for a while, {n}.")
            assert writer.sync(files, prune=True).replaced
            (files / "passing.txt").unlink()
            assert writer.sync(files, prune=True).removed == 1

        assert undisturbed(met(folder, process, seconds, change)[0])


@lengths
def test_beside_backups_of_a_library_that_is_written(
    folder: Path, process: Process, tmp_path: Path, seconds: float
) -> None:
    with Library.open(folder, embedder=HashEmbedder()) as writer:

        def change(n: int) -> None:
            writer.add([told(n % len(BRIDGES), n)])
            file = tmp_path / f"{n}.tar"
            assert back_up(folder, file) == len(BRIDGES)
            file.unlink()

        assert undisturbed(met(folder, process, seconds, change)[0])


@lengths
def test_a_restored_library_is_read_by_all_at_once(
    folder: Path, process: Process, tmp_path: Path, seconds: float
) -> None:
    """Its indexes are built by one of the readers, while the others read."""
    back_up(folder, tmp_path / "kept.tar")
    every, until, n = Counts(), time.monotonic() + seconds, 0
    while time.monotonic() < until or n < 2:
        n += 1
        place = tmp_path / f"restored-{n}"
        assert restore(tmp_path / "kept.tar", place) == len(BRIDGES)
        every.add(met(place, process, 0.0, lambda _: None, least=1)[0])
    assert undisturbed(every)


@lengths
def test_the_first_documents_of_a_library_are_found_when_they_are_there(tmp_path: Path, seconds: float) -> None:
    """Readers have it open while it is empty: they are told so, and find what was added from then on."""
    until, n = time.monotonic() + seconds, 0
    while time.monotonic() < until or n < 2:
        n += 1
        place, filled, every = tmp_path / f"new-{n}", threading.Event(), [Counts() for _ in range(3)]
        Library.open(place, embedder=HashEmbedder()).close()

        def read(counts: Counts, place: Path = place, filled: threading.Event = filled) -> None:
            with opened(place) as library:
                while not filled.is_set():
                    try:
                        asked = Counts()
                        asked.ask(library, 3, words=True)
                        counts.wrong += asked.wrong
                    except CorpusError as error:
                        assert "empty" in str(error)  # noqa: PT017 - it may be, or not
                    except Exception as error:  # noqa: BLE001 - whatever it is, a reader met it
                        counts.errors.append(f"{type(error).__name__}: {error}")
                for one in range(len(BRIDGES)):
                    counts.ask(library, one, words=True)

        threads = [threading.Thread(target=read, args=(counts,)) for counts in every]
        for thread in threads:
            thread.start()
        with Library.open(place, embedder=HashEmbedder()) as writer:
            writer.add([told(one) for one in range(len(BRIDGES))])
            filled.set()
            for thread in threads:
                thread.join()
        assert [asdict(counts) for counts in every] == [
            {"asked": len(BRIDGES), "empty": 0, "wrong": [], "errors": []} for _ in every
        ]
