"""Ranges over few and over many different values, as the library changes."""

from pathlib import Path

import pytest

from decoct.data import Range
from decoct.index.embedded import EmbeddedStore, reading
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry, unit_rows


@pytest.mark.parametrize("steps", [5, 1000])
def test_ranges_follow_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(reading, "MOST_STEPS", steps)
    where = {"n": (Range(((">=", "7"), ("<", "15"))), "90")}
    model = MemoryStore()
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        for start in (0, 10, 80):
            for one in (store, model):
                one.put(
                    [make_entry(f"d{n:02}", ["river"], seed=n, metadata={"n": n}) for n in range(start, start + 12)]
                )
            ids = [info.id for info in model.documents(where)]
            assert [info.id for info in store.documents(where)] == ids
            for found in (store.lexical("river", 99, where), store.nearest(unit_rows(1)[0], 99, where)):
                assert sorted(chunk.span.doc_id for chunk in store.chunks(found.keys)) == ids
            keys = [int(store.chunk_keys(info.id)[0]) for info in store.documents()]
            passing = zip(keys, store.passing(keys, where), strict=True)
            assert [store.chunks([key])[0].span.doc_id for key, passes in passing if passes] == ids
