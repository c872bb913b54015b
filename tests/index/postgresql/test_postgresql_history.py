"""Random histories of writing, removing, reopening and losing connections: the store always equals the brute-force model."""

import itertools

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from random_entries import IDS, entries

from decoct.index.base import Entry
from decoct.index.entries import digest_of
from decoct_postgresql import PostgreSQLStore, nearest, postings, words
from decoct_postgresql.testing import PostgreSQLServer
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_same import same_store

pytestmark = pytest.mark.services

_NUMBERS = itertools.count()


class History(RuleBasedStateMachine):
    """The store and the model side by side."""

    server: PostgreSQLServer

    @initialize()
    def open(self) -> None:
        self.model = MemoryStore()
        self.url = self.server.url(f"history_{next(_NUMBERS)}")
        self.store = PostgreSQLStore.open(self.url, settings={"embedder": "x"})

    def teardown(self) -> None:
        self.store.close()

    @rule(batch=st.lists(entries(), min_size=1, max_size=4))
    def put(self, batch: list[Entry]) -> None:
        self.store.put(batch)
        self.model.put(batch)
        last = {entry.document.id: entry for entry in batch}
        for entry in self.store.entries(list(last)):
            assert digest_of(entry) == digest_of(last[entry.document.id])

    @rule(gone=st.lists(st.sampled_from(IDS), max_size=3, unique=True))
    def delete(self, gone: list[str]) -> None:
        assert self.store.delete(gone) == self.model.delete(gone)

    @rule()
    def refresh(self) -> None:
        self.store.refresh()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = PostgreSQLStore.open(self.url, settings={"embedder": "x"}, create=False)

    @rule()
    def lose_connections(self) -> None:
        """As when the server is started again while the library is open."""
        with PostgreSQLStore.open(self.url, settings={}) as other, other._connections.using() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'decoct' AND pid != pg_backend_pid()"
            )

    @invariant()
    def same(self) -> None:
        same_store(self.store, self.model)


def test_random_histories(server: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # So low that a handful of rows goes through the graph of vectors and has postings, and words join one by one.
    monkeypatch.setattr(nearest, "EXACT", 4)
    monkeypatch.setattr(words, "AT_ONCE", 2)
    monkeypatch.setattr(words, "FEW", 2)
    monkeypatch.setattr(postings, "LEAST", 3)
    monkeypatch.setattr(postings, "AT_ONCE", 2)
    monkeypatch.setattr(History, "server", server, raising=False)
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        History, settings=settings(max_examples=8, stateful_step_count=8, suppress_health_check=checks)
    )
