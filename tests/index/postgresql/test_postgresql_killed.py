"""`kill -9` of the client and of the server in the middle of writing, and many writers at once: nothing is half there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import writing

from decoct.errors import StoreUnavailableError
from decoct.index.base import Entry
from decoct.index.entries import digest_of
from decoct_postgresql import PostgreSQLStore
from decoct_postgresql.testing import PostgreSQLServer
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry, unit_rows
from decoct_testing.store_same import same_store

pytestmark = pytest.mark.services


def noted(journal: Path) -> tuple[int, bool]:
    """The last operation begun, and whether it was told done; -1 before the first."""
    lines = journal.read_text().splitlines() if journal.exists() else []
    what, number = lines[-1].split() if lines else ("done", "-1")
    return int(number), what == "done"


def model_of(seed: int, operations: int) -> MemoryStore:
    """What a library must hold after so many operations."""
    model = MemoryStore()
    for number in range(operations):
        puts, deletes = writing.operation(seed, number)
        if puts:
            model.put(puts)
        else:
            model.delete(deletes)
    return model


def check_whole(url: str, journal: Path, seed: int) -> None:
    """The library holds everything up to the last operation told done; the one begun after it whole or not at all."""
    last, done = noted(journal)
    with PostgreSQLStore.open(url, settings=writing.SETTINGS) as store:
        assert not [one for one in store.verify() if one.damaged]
        stored = {info.id: store.digests([info.id])[info.id] for info in store.documents()}
        without, with_last = model_of(seed, last), model_of(seed, last + 1)
        expected = with_last if done or stored == _digests(with_last) else without
        assert stored == _digests(expected)
        same_store(store, expected)


def _digests(model: MemoryStore) -> dict[str, str]:
    return {info.id: model.digests([info.id])[info.id] for info in model.documents()}


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_client_leaves_whole_operations(url: str, tmp_path: Path, seed: int) -> None:
    journal = tmp_path / "journal"
    PostgreSQLStore.open(url, settings=writing.SETTINGS).close()
    writer = subprocess.Popen([sys.executable, writing.__file__, url, str(journal), str(seed)])
    until = time.monotonic() + 300
    while noted(journal)[0] < 6:
        assert writer.poll() is None
        assert time.monotonic() < until, noted(journal)
        time.sleep(0.05)
    time.sleep(random.Random(seed).random() / 2)  # somewhere in the middle
    writer.kill()
    writer.wait()
    _wait_for_the_last_client(url)
    check_whole(url, journal, seed)


def _wait_for_the_last_client(url: str) -> None:
    """Return when the server has noticed that its client is gone, and rolled back."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    until = time.monotonic() + 300
    with psycopg.connect(url.partition("?")[0], autocommit=True) as asked:
        while (left := asked.execute(others).fetchone()) != (0,):
            assert time.monotonic() < until, left
            time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGINT])
def test_a_server_that_goes_down_is_told_and_keeps_what_was_committed(
    server: PostgreSQLServer, url: str, tmp_path: Path, how: signal.Signals
) -> None:
    """The client gets a typed error that says what to do; open again or not, it goes on when the server is back."""
    store = PostgreSQLStore.open(url, settings=writing.SETTINGS)
    committed: list[int] = []
    failure: list[StoreUnavailableError] = []

    def write() -> None:
        number = 0
        try:
            while True:
                puts, deletes = writing.operation(7, number)
                if puts:
                    store.put(puts)
                else:
                    store.delete(deletes)
                committed.append(number)
                number += 1
        except StoreUnavailableError as error:
            failure.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    while len(committed) < 6 and thread.is_alive():
        time.sleep(0.02)
    server.stop(how)
    thread.join(400)
    assert failure[0].retryable
    with pytest.raises(StoreUnavailableError, match=r"reached|broke"):
        store.document("d1")
    server.start()
    journal = tmp_path / "journal"
    journal.write_text(f"begin {len(committed)}\n")
    check_whole(url, journal, 7)
    store.put([make_entry("after", ["river"])])  # the same handle goes on
    assert store.document("after").text == "river"
    store.close()


def test_many_writers_lose_nothing(url: str) -> None:
    """Eight writers of the same and of different documents: each document is one writer's whole version, and all counts are exact."""
    versions: dict[str, Entry] = {}

    def entry(writer: int, n: int, doc_id: str) -> Entry:
        one = make_entry(
            doc_id, [f"river writer{writer} round{n}", f"stone writer{writer} round{n}"], seed=writer * 100 + n, title=f"w{writer}",
            names=("shared", f"own{writer}"), mentions=(("x",), (f"y{writer}",)), digest=f"{writer} {n}", metadata={"writer": writer},
        )  # fmt: skip
        versions[f"{doc_id} {writer} {n}"] = one
        return one

    def write(writer: int) -> None:
        with PostgreSQLStore.open(url, settings={"embedder": "x"}) as store:
            chance = random.Random(writer)
            for n in range(6):
                ids = [f"shared{k}" for k in chance.sample(range(4), 3)] + [f"own{writer}-{n}"]
                store.put([entry(writer, n, doc_id) for doc_id in ids])
                if chance.random() < 0.3:
                    store.delete([f"shared{chance.randrange(4)}"])

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(write, writer) for writer in range(8)]:
            future.result()
    model = MemoryStore()
    with PostgreSQLStore.open(url, settings={"embedder": "x"}) as store:
        for info in store.documents():
            (found,) = store.entries([info.id])
            put = versions[f"{info.id} {found.digest}"]
            assert digest_of(found) == digest_of(put)
            model.put([put])
        assert len([info for info in store.documents() if info.id.startswith("own")]) == 48
        same_store(store, model)
        assert store.lexical("river writer3", 10).scores == pytest.approx(
            model.lexical("river writer3", 10).scores, abs=2e-3
        )
        assert len(store.nearest(unit_rows(1)[0], 1000)) == store.status().chunks
