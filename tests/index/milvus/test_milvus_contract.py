"""The store contracts, passed by milvus-lite (the same client that speaks to a server or cluster)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.index.base import Backend, Store
from decoct_milvus import MilvusStore
from decoct_milvus.backend import Milvus
from decoct_testing.backend_contract import BackendContract
from decoct_testing.store_abilities_contract import (
    CompanionsContract,
    EntriesContract,
    LanguagesContract,
    RefreshContract,
    VerifyContract,
)
from decoct_testing.store_contract import StoreContract
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_names_contract import NamesContract

pytestmark = pytest.mark.services


class TestMilvusStore(
    StoreContract,
    NamesContract,
    LanguagesContract,
    RefreshContract,
    VerifyContract,
    EntriesContract,
    CompanionsContract,
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


def test_a_file_is_searched_alike_before_and_after_it_is_refreshed_and_opened_again(tmp_path: Path) -> None:
    location = f"milvus-lite://{tmp_path}/library.db"

    def found(store: Store) -> tuple[list[int], list[int], list[str]]:
        near = store.nearest(unit_rows(1, seed=5)[0], 10)
        return store.lexical("river stone", 10).keys.tolist(), near.keys.tolist(), [one.id for one in store.documents()]

    with MilvusStore.open(location, settings={}) as store:
        store.refresh()  # an empty library
        store.put(corpus())
        store.delete(["doc-003"])
        before = found(store)
        store.refresh()
        assert found(store) == before
        store.put([make_entry("late", ["river"], seed=3)])
        store.delete(["doc-004"])
        changed = found(store)
        assert changed != before
    with MilvusStore.open(location, settings={}) as store:
        assert found(store) == changed
