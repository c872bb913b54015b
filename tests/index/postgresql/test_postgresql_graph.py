"""How the graph of vectors is made: in memory of the size that it needs, and by one process where it cannot be shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from decoct import trace
from decoct_postgresql import nearest, opening, writing
from decoct_postgresql.connections import Connections
from decoct_testing.store_corpus import make_entry

pytestmark = pytest.mark.services

CHUNKS = 2_000


@pytest.fixture
def library(url: str) -> Iterator[Connections]:
    """Vectors whose graph takes 1.5 MB and more, of a server that gives 1 MB."""
    connections = opening.connected(f"{url}&options=-c%20maintenance_work_mem%3D1MB")
    opening.prepare(connections, create=True)
    entries = [make_entry(f"d{n}", [f"word{n} {place}" for place in range(20)], seed=n) for n in range(CHUNKS // 20)]
    connections.write(lambda at: writing.put(at, entries, {}, connections.location))
    yield connections
    connections.close()


def made(library: Connections) -> list[str]:
    """What the server says while it makes the graph. Its settings are the session's own again afterwards."""
    said: list[str] = []
    with library.using() as connection:
        connection.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        assert nearest.index(connection, "hnsw")
        assert connection.execute("SHOW maintenance_work_mem").fetchone() == ("1MB",)
        assert connection.execute("SHOW max_parallel_maintenance_workers").fetchone() == ("2",)
    return said


def outgrown(said: list[str]) -> bool:
    return any("no longer fits into maintenance_work_mem" in one for one in said)


def test_the_graph_is_made_in_as_much_memory_as_it_needs(library: Connections) -> None:
    assert not outgrown(made(library))


def test_without_that_memory_the_server_says_so(library: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_NODE", 0)
    monkeypatch.setattr(nearest, "_BLOCKS", 0)
    assert outgrown(made(library))


def test_memory_that_cannot_be_shared_is_one_process_own(library: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container with little shared memory: the first attempt leaves an index that is not valid."""
    from psycopg.errors import DiskFull

    create, workers = nearest._create, []

    def refused(connection: Any, width: int) -> None:
        workers.append(connection.execute("SHOW max_parallel_maintenance_workers").fetchone())
        if len(workers) == 1:
            raise DiskFull("could not resize shared memory segment")
        create(connection, width)

    monkeypatch.setattr(nearest, "_create", refused)
    with trace.recording() as told:
        assert not outgrown(made(library))
    assert workers == [("2",), ("0",)]
    assert told.fallbacks == {"store.graph_by_one_process": 1}
