"""A server in process: its libraries are small and real, its embedder the bundled one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.server.app import create_app
from decoct.server.settings import ServerSettings

BRIDGE = "The old bridge was opened in 1934. It was painted red by Ada Green."
Serve: TypeAlias = Callable[..., TestClient]


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of three documents, which nobody opens."""
    place = tmp_path_factory.mktemp("libraries") / "bridges"
    with Library.open(place) as library:
        library.add(
            [
                Document("bridge", BRIDGE, "Old bridge", metadata={"year": 1934}),
                Document("tower", "The tower is 80 metres high. Its clock was made in Bern.", "Tower"),
                Document("a/b c&d.txt", "Ünïcode 😀 stands before the harbour, which froze in 1947.", "Harbour"),
            ]
        )
    return place


@pytest.fixture
def bridges(filled: Path, tmp_path: Path) -> Path:
    """That library, the test's own: an upload's job may end after the test that sent it, or before."""
    return Path(shutil.copytree(filled, tmp_path / "libraries" / "bridges"))


@pytest.fixture
def serve(tmp_path: Path, bridges: Path) -> Iterator[Serve]:
    """Starts a server with other settings than the default ones; closed after the test."""
    clients: list[TestClient] = []

    def start(**settings: Any) -> TestClient:
        given = {"state": tmp_path / "state", "libraries": {"bridges": bridges}, **settings}
        client = TestClient(
            create_app(ServerSettings(**given)), base_url="http://127.0.0.1", raise_server_exceptions=False
        )
        client.__enter__()
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(serve: Serve) -> TestClient:
    """A server that needs no key."""
    return serve()
