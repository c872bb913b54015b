"""The contracts, passed by the embedded store and by the brute-force reference itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.index.base import Store
from decoct.index.embedded import EmbeddedStore
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_abilities_contract import (
    CompanionsContract,
    EntriesContract,
    LanguagesContract,
    NearWordsContract,
    RefreshContract,
    ReplacementContract,
    SessionsContract,
    StateContract,
    VerifyContract,
)
from decoct_testing.store_contract import StoreContract
from decoct_testing.store_names_contract import NamesContract


class TestEmbeddedStore(
    StoreContract,
    NamesContract,
    LanguagesContract,
    NearWordsContract,
    SessionsContract,
    StateContract,
    RefreshContract,
    VerifyContract,
    ReplacementContract,
    CompanionsContract,
    EntriesContract,
):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with EmbeddedStore.open(tmp_path / "library", settings={"embedder": "test"}) as opened:
            yield opened

    @pytest.fixture
    def second(self, store: Store, tmp_path: Path) -> Iterator[Store]:
        with EmbeddedStore.open(tmp_path / "library", settings={"embedder": "test"}) as opened:
            yield opened

    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return str(tmp_path / "library")


class TestMemoryStore(StoreContract, NamesContract, LanguagesContract, StateContract):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()
