"""The store contracts, passed by milvus-lite (the same client that speaks to a server or cluster)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.index.base import Backend, Store
from decoct.index.milvus import MilvusStore
from decoct.index.milvus.backend import Milvus
from decoct.testing.backend_contract import BackendContract
from decoct.testing.store_abilities_contract import (
    CompanionsContract,
    EntriesContract,
    LanguagesContract,
    VerifyContract,
)
from decoct.testing.store_contract import StoreContract
from decoct.testing.store_names_contract import NamesContract

pytestmark = pytest.mark.services


class TestMilvusStore(
    StoreContract, NamesContract, LanguagesContract, VerifyContract, EntriesContract, CompanionsContract
):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with MilvusStore.open(f"milvus-lite://{tmp_path}/library.db", settings={"embedder": "test"}) as opened:
            yield opened


class TestMilvus(BackendContract):
    @pytest.fixture
    def backend(self) -> Backend:
        return Milvus()

    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return f"milvus-lite://{tmp_path}/library.db"
