"""The store contract and the links contract, passed by a real PostgreSQL server."""

from collections.abc import Iterator

import pytest

from decoct.index.base import Store
from decoct.index.postgresql import PostgreSQLStore
from decoct.index.base import Backend
from decoct.index.postgresql.backend import PostgreSQL
from decoct.testing.backend_contract import BackendContract
from decoct.testing.store_abilities_contract import CompanionsContract, LanguagesContract, RefreshContract, VerifyContract
from decoct.testing.store_contract import StoreContract
from decoct.testing.store_names_contract import NamesContract

pytestmark = pytest.mark.services


class TestPostgreSQLStore(StoreContract, NamesContract, LanguagesContract, RefreshContract, VerifyContract, CompanionsContract):
    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        with PostgreSQLStore.open(url, settings={"embedder": "test"}) as opened:
            yield opened


class TestPostgreSQL(BackendContract):
    @pytest.fixture
    def backend(self) -> Backend:
        return PostgreSQL()

    @pytest.fixture
    def location(self, url: str) -> str:
        return url
