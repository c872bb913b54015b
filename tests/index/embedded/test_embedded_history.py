"""Random histories of writing, removing, searching, reopening and losing indexes: the store always equals the brute-force model."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from random_entries import IDS, entries

from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore, ivf, nearest, rows
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import unit_rows
from decoct_testing.store_same import same_store

# Memory, where there is a file system of it: tantivy waits for the disk at each commit, and nothing here is about that.
_SHARED = Path("/dev/shm")


class History(RuleBasedStateMachine):
    """The store and the model side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=_SHARED if _SHARED.is_dir() else None))
        self.model = MemoryStore()
        self.checked = True
        # So low that a handful of rows goes through faiss, its tail, compaction and retraining.
        self.kept = (ivf.EXACT, ivf.TAIL, rows.FEW_DEAD, nearest.BLOCK, nearest.FEW)
        ivf.EXACT, ivf.TAIL, rows.FEW_DEAD, nearest.BLOCK, nearest.FEW = 8, 3, 2, 4, 2

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)  # tantivy's threads may still put files away
        ivf.EXACT, ivf.TAIL, rows.FEW_DEAD, nearest.BLOCK, nearest.FEW = self.kept

    @initialize()
    def open(self) -> None:
        self.store = EmbeddedStore.open(self.folder, settings={"embedder": "x"})

    @rule(batch=st.lists(entries(), min_size=1, max_size=4))
    def put(self, batch: list[Entry]) -> None:
        self.store.put(batch)
        self.model.put(batch)
        self.checked = False

    @rule(ids=st.lists(st.sampled_from([*IDS, "nowhere"]), max_size=3, unique=True))
    def delete(self, ids: list[str]) -> None:
        assert self.store.delete(ids) == self.model.delete(ids)
        self.checked = False

    @precondition(lambda self: not self.checked)
    @rule()
    def compare(self) -> None:
        same_store(self.store, self.model)
        self.checked = True

    @precondition(lambda self: not self.checked)
    @rule(key=st.sampled_from(["k", "l"]), values=st.lists(st.sampled_from(["0", "1", "x"]), max_size=2).map(tuple))
    def compare_filtered(self, key: str, values: tuple[str, ...]) -> None:
        where, query = {key: values}, unit_rows(1, seed=60)[0]
        for k in (1, 2, 100):
            ours, theirs = self.store.nearest(query, k, where), self.model.nearest(query, k, where)
            assert len(ours) == len(theirs)
        assert {c.span for c in self.store.chunks(ours.keys)} == {c.span for c in self.model.chunks(theirs.keys)}
        found, expected = self.store.lexical("river stone", 100, where), self.model.lexical("river stone", 100, where)
        assert {c.span for c in self.store.chunks(found.keys)} == {c.span for c in self.model.chunks(expected.keys)}

    @rule(lose=st.sampled_from(["nothing", "lexical", "vectors", "both"]))
    def reopen(self, lose: str) -> None:
        self.store.close()
        for name in ("lexical", "vectors"):
            if lose in {name, "both"}:
                shutil.rmtree(self.folder / name, ignore_errors=True)
        self.store = EmbeddedStore.open(self.folder, settings={"embedder": "x"})
        self.checked = False

    @rule()
    def refresh(self) -> None:
        self.store.refresh()

    @invariant()
    def counts(self) -> None:
        assert self.store.status().chunks == self.model.status().chunks


TestHistory = History.TestCase
TestHistory.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
