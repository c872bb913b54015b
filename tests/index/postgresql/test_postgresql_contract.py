"""The store contract and the links contract, passed by a real PostgreSQL server."""

from collections.abc import Iterator

import pytest

from decoct.index.base import Store
from decoct.index.postgresql import PostgreSQLStore
from decoct.testing.store_contract import StoreContract

pytestmark = pytest.mark.services


class TestPostgreSQLStore(StoreContract):
    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        with PostgreSQLStore.open(url, settings={"embedder": "test"}) as opened:
            yield opened
