"""One server for the folder's tests, and a library of its own on it for each test."""

import itertools
from collections.abc import Iterator

import pytest

from decoct_postgresql.testing import PostgreSQLServer, postgresql_server

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgreSQLServer]:
    with postgresql_server() as running:
        yield running


@pytest.fixture
def url(server: PostgreSQLServer) -> str:
    return server.url(f"library_{next(_NUMBERS)}")
