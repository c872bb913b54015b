"""What is asked of one server, asked of two replicas in turn over a library in PostgreSQL: the tests of questions, chat and problems."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from test_chat import *  # noqa: F403
from test_problems import *  # noqa: F403
from test_questions import *  # noqa: F403

from decoct.copying import copy_library
from decoct.server.app import create_app
from decoct.server.settings import ServerSettings
from decoct_postgresql.testing import PostgreSQLServer, postgresql_server

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]
_NUMBERS = itertools.count()


class InTurn(TestClient):
    """Two clients as one: each request goes to the next replica."""

    def __init__(self, clients: list[TestClient]) -> None:
        super().__init__(clients[0].app, base_url="http://127.0.0.1", raise_server_exceptions=False)
        self._replicas = itertools.cycle(clients)

    def _transport_for_url(self, url: Any) -> Any:
        return next(self._replicas)._transport_for_url(url)


@pytest.fixture(scope="module")
def database() -> Iterator[PostgreSQLServer]:
    with postgresql_server() as running:
        yield running


@pytest.fixture(scope="module")
def copied(database: PostgreSQLServer, filled: Path) -> str:
    """The tests' library, in PostgreSQL."""
    copy_library(filled, database.url("bridges"))
    return database.url("bridges")


@pytest.fixture
def serve(database: PostgreSQLServer, copied: str) -> Iterator[Callable[..., InTurn]]:
    """Starts two replicas over one state."""
    clients: list[TestClient] = []
    state = database.url(f"state_{next(_NUMBERS)}")

    def start(**settings: Any) -> InTurn:
        given = ServerSettings(**{"state": state, "libraries": {"bridges": copied}, **settings})
        mine = [
            TestClient(create_app(given), base_url="http://127.0.0.1", raise_server_exceptions=False) for _ in range(2)
        ]
        for client in mine:
            client.__enter__()
        clients.extend(mine)
        return InTurn(mine)

    yield start
    for client in clients:
        client.__exit__(None, None, None)


def test_what_no_retry_mends_is_not_retried(client: TestClient) -> None:  # type: ignore[no-redef] # in place of the one above
    """Nothing is built beside a library on a server: there the recipe is what is wrong, not a structure that is missing."""
    asked = {"model": "bridges/raptor", "messages": [{"role": "user", "content": "When was the bridge opened?"}]}
    answer = client.post("/v1/chat/completions", json=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "config")
    assert answer.headers["x-should-retry"] == "false"
    same = client.post("/api/v1/libraries/bridges/context", json={"question": "x", "recipe": "raptor"})
    assert (same.status_code, same.headers["x-should-retry"]) == (422, "false")
