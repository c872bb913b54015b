"""What every contract of stores works on: the store under test, and the brute-force reference beside it."""

from __future__ import annotations

import pytest

from decoct.index.base import Store
from decoct_testing.memory_store import MemoryStore


class StoreFixtures:
    """Give `store` in a test class; a backend whose vectors or BM25 are stored less exactly widens the errors."""

    vector_error = 1e-3
    score_error = 2e-3

    @pytest.fixture
    def store(self) -> Store:
        """An empty, writable store."""
        raise NotImplementedError("give the fixture 'store'")

    @pytest.fixture
    def model(self) -> MemoryStore:
        """The brute-force reference."""
        return MemoryStore()
