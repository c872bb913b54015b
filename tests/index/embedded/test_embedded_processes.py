"""One writing process and reading ones beside it: whole documents, new ones soon, and a hand-over when the writer dies."""

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from decoct.errors import StoreBusyError
from decoct.index.embedded import EmbeddedStore
from decoct_testing.store_corpus import make_entry, unit_rows

WRITER = """
import sys, time
from decoct.index.embedded import EmbeddedStore, derived
from decoct_testing.store_corpus import make_entry, unit_rows
derived.DELAY = float(sys.argv[4])
store = EmbeddedStore.open(sys.argv[1], settings={"embedder": "x"})
for version in range(int(sys.argv[2])):
    word = f"version{version}"
    store.put([make_entry(f"d{n}", [f"{word} first", f"{word} second"], seed=version, names=(word,)) for n in range(3)])
    print(version, flush=True)
    time.sleep(float(sys.argv[3]))
time.sleep(60)
"""


@contextmanager
def writing(folder: Path, versions: int, pause: float, delay: float = 0.3) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(folder), str(versions), str(pause), str(delay)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def seen(store: EmbeddedStore) -> int:
    """The version that a reader sees; both chunks and the whole text of a document agree."""
    document = store.document("d1")
    versions = {line.split()[0] for line in document.text.split("\n")}
    assert len(versions) == 1
    found = store.chunks(store.lexical("first second", 100).keys)
    assert {chunk.span.doc_id for chunk in found} <= {"d0", "d1", "d2"}
    return int(document.text.split()[0].removeprefix("version"))


def test_readers_beside_a_writer_see_whole_documents_and_go_forward(tmp_path: Path) -> None:
    with writing(tmp_path, 30, 0.02), EmbeddedStore.open(tmp_path, settings={}) as store:

        def read(_: int) -> list[int]:
            return [seen(store) for _ in range(25)]

        with ThreadPoolExecutor(3) as pool:
            for versions in pool.map(read, range(3)):
                assert versions == sorted(versions)


def test_a_reader_finds_what_a_living_writer_wrote(tmp_path: Path) -> None:
    with writing(tmp_path, 5, 0.0) as process, EmbeddedStore.open(tmp_path, settings={}) as store:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(4)][-1] == "4\n"
        assert seen(store) == 4  # look-ups: at once
        deadline = time.monotonic() + 300
        while len(store.lexical("version4", 100)) < 6 and time.monotonic() < deadline:
            time.sleep(0.05)  # searches: within the writer's delay
        assert len(store.lexical("version4", 100)) == 6
        assert len(store.lexical("version3", 100)) == 0


def test_the_lock_goes_with_its_process(tmp_path: Path) -> None:
    with writing(tmp_path, 1, 0.0, delay=600) as process, EmbeddedStore.open(tmp_path, settings={}) as store:
        with pytest.raises(StoreBusyError, match=f"pid {process.pid}"):
            store.put([make_entry("mine", ["river"])])
        process.kill()
        process.wait()
        assert len(store.lexical("version0", 100)) == 6  # whoever searches first catches up
        store.put([make_entry("mine", ["river"])])
        assert len(store.lexical("river", 5)) == 1


def test_a_reader_keeps_its_footing_while_files_are_replaced(tmp_path: Path) -> None:
    # The writer of the crash test compacts, indexes and retrains all the time; only "try again" may come of it, and rarely.
    command = [
        sys.executable,
        str(Path(__file__).parent / "crashing.py"),
        tmp_path / "library",
        tmp_path / "journal",
        "9",
        "0",
    ]
    process = subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "journal").exists() or "done 3\n" not in (tmp_path / "journal").read_text():
            assert process.poll() is None
            time.sleep(0.01)
        rounds = busy = 0
        until = time.monotonic() + 3
        with EmbeddedStore.open(tmp_path / "library", settings={}) as store:
            while time.monotonic() < until:
                rounds += 1
                try:
                    store.nearest(unit_rows(1)[0], 100)
                    store.chunks(store.lexical("part", 100).keys)
                    store.status()
                except StoreBusyError:
                    busy += 1
        assert busy < rounds
    finally:
        process.kill()
        process.wait()
