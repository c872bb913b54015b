"""The store contract and the links contract, passed by a real PostgreSQL server."""

from collections.abc import Iterator

import pytest

from decoct.index.base import Backend, Store
from decoct.index.searchable import rounded
from decoct_postgresql import PostgreSQLStore
from decoct_postgresql.backend import PostgreSQL
from decoct_testing.backend_contract import BackendContract
from decoct_testing.store_abilities_contract import (
    CompanionsContract,
    EntriesContract,
    LanguagesContract,
    RefreshContract,
    StateContract,
    VerifyContract,
)
from decoct_testing.store_contract import StoreContract
from decoct_testing.store_names_contract import NamesContract

pytestmark = pytest.mark.services


class TestPostgreSQLStore(
    StoreContract,
    NamesContract,
    LanguagesContract,
    RefreshContract,
    StateContract,
    VerifyContract,
    CompanionsContract,
    EntriesContract,
):
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


def test_lengths_are_rounded_as_in_tantivy() -> None:
    """Its table begins 0, 1 … 40, 42 … 56, 60 … 88, 96 (FIELD_NORMS_TABLE of tantivy's fieldnorm/code.rs)."""
    kept = sorted({rounded(length) for length in range(200)})
    assert kept == [*range(41), *range(42, 57, 2), *range(60, 89, 4), *range(96, 153, 8), 168, 184]
