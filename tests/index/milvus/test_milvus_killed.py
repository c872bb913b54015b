"""Clients that are killed, and writers at once: every document is whole or not there, and nothing stays of what was broken off."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from test_milvus_faults import held, named, place

from decoct.errors import CorpusError
from decoct.index.base import Entry
from decoct.index.entries import digest_of
from decoct_milvus import MilvusStore, writing
from decoct_testing.store_corpus import make_entry

pytestmark = [pytest.mark.services, pytest.mark.timeout(1200)]
IDS, VERSIONS, KILLS = 12, 4, 6

WRITER = """
import sys
from test_milvus_killed import IDS, VERSIONS, entry_of
from decoct_milvus import MilvusStore
with MilvusStore.open(sys.argv[1], settings={}) as store:
    print("open", flush=True)
    version = int(sys.argv[2])
    while True:
        for number in range(IDS):
            store.put([entry_of(number, version % VERSIONS), entry_of(number + IDS, version % VERSIONS)])
        version += 1
"""


def entry_of(number: int, version: int) -> Entry:
    """One of the versions of a document: another number of chunks, other words, names and vectors."""
    chunks = ["river stone", "garden", "winter light", "copper"][: 1 + (number + version) % 4]
    mentions = tuple((f"m{version}",) for _ in chunks)
    seed = number * VERSIONS + version
    return make_entry(f"d{number}", chunks, seed=seed, digest=f"v{version}", names=(f"n{version}",), mentions=mentions)


EXPECTED = {(f"d{n}", f"v{v}"): digest_of(entry_of(n, v)) for n in range(2 * IDS) for v in range(VERSIONS)}


def check_whole(store: MilvusStore) -> int:
    """Every document is one of its versions, whole; how many there are."""
    ids = [info.id for info in store.documents()]
    for entry in store.entries(ids):
        assert digest_of(entry) == EXPECTED[entry.document.id, entry.digest]
    assert sum(len(store.chunk_keys(one)) for one in ids) == store.status().chunks
    return len(ids)


def test_kills_at_random_moments_leave_whole_documents(tmp_path: Path) -> None:
    rng = random.Random(5)
    location, stored = place(tmp_path), 0
    for kill in range(KILLS):
        client = subprocess.Popen(
            [sys.executable, "-c", WRITER, location, str(kill)],
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent, start_new_session=True,
        )  # fmt: skip
        assert client.stdout is not None
        assert client.stdout.readline() == "open\n"
        time.sleep(rng.uniform(0.2, 6))
        client.send_signal(signal.SIGKILL)
        client.wait()
        client.stdout.close()
        with MilvusStore.open(location, settings={}) as store:
            found = check_whole(store)
            assert found >= stored
            stored = found
    assert stored
    with MilvusStore.open(location, settings={}) as store:
        writing.sweep(store._at, age=-1)
        assert held(store) == named(store)
        for number in range(2 * IDS):  # and it is written on
            store.put([entry_of(number, 0)])
        assert check_whole(store) == 2 * IDS


def test_a_file_that_is_open_is_busy_to_other_programs(tmp_path: Path) -> None:
    with MilvusStore.open(place(tmp_path), settings={}) as store, MilvusStore.open(place(tmp_path), settings={}):
        store.put([entry_of(0, 0)])
        other = [sys.executable, "-c", WRITER, place(tmp_path), "0"]
        told = subprocess.run(other, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
        assert "StoreBusyError" in told.stderr
        assert check_whole(store) == 1


def test_writers_at_once_of_the_same_documents(tmp_path: Path) -> None:
    """Four threads put versions of the same documents while one reads."""
    wrong: list[BaseException] = []
    with MilvusStore.open(place(tmp_path), settings={}) as store:
        store.put([entry_of(0, 0)])
        done = threading.Event()

        def write(version: int) -> None:
            try:
                for number in random.Random(version).sample(range(8), 8):
                    store.put([entry_of(number, version)])
            except BaseException as error:  # noqa: BLE001 - told by the test
                wrong.append(error)

        def read() -> None:
            try:
                while not done.is_set():
                    for number in range(8):
                        try:
                            text = store.document(f"d{number}").text
                        except CorpusError:  # not there yet
                            continue
                        assert text in {entry_of(number, version).document.text for version in range(VERSIONS)}
            except BaseException as error:  # noqa: BLE001
                wrong.append(error)

        threads = [threading.Thread(target=write, args=(version,)) for version in range(VERSIONS)]
        reader = threading.Thread(target=read)
        for thread in (*threads, reader):
            thread.start()
        for thread in threads:
            thread.join()
        done.set()
        reader.join()
        assert wrong == []
        assert check_whole(store) == 8
        writing.sweep(store._at, age=-1)
        assert held(store) == named(store)
        assert writing.sweep(store._at, age=-1) == 0
