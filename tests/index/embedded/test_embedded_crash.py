"""`kill -9` at random moments of writing: no committed document is lost, none is half there, and the next run goes on."""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from crashing import SETTINGS, mark, operation

from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore
from decoct.structure.traits import name_number
from decoct_testing.store_corpus import unit_rows

State = dict[str, Entry]


def after(state: State, seed: int, number: int) -> State:
    """What the library holds once operation `number` is committed."""
    puts, deletes = operation(seed, number)
    return {k: v for k, v in state.items() if k not in deletes} | {entry.document.id: entry for entry in puts}


def digests(state: State) -> dict[str, str]:
    return {doc_id: entry.digest for doc_id, entry in state.items()}


def check(store: EmbeddedStore, state: State) -> None:
    """Every table and both indexes hold exactly the documents of `state`."""
    assert {info.id for info in store.documents()} == state.keys()
    keys = []
    for doc_id, entry in state.items():
        assert store.document(doc_id) == entry.document
        own = store.chunk_keys(doc_id).tolist()
        assert [chunk.text for chunk in store.chunks(own)] == [chunk.text for chunk in entry.chunks]
        assert store.vectors(own) == pytest.approx(entry.vectors)
        word = mark(doc_id, int(entry.digest))
        assert sorted(store.lexical(word, 100).keys.tolist()) == own
        assert store.mentioned_in([name_number(word)], 100).keys.tolist() == own
        assert store.named([name_number(word)], 1).keys.tolist() == own
        assert sorted(store.nearest(unit_rows(1)[0], 100, {"id": (doc_id,)}).keys.tolist()) == own
        keys += own
    assert sorted(store.lexical("part", 1000).keys.tolist()) == sorted(keys)
    assert sorted(store.nearest(unit_rows(1)[0], 1000).keys.tolist()) == sorted(keys)
    assert len(np.unique(keys)) == len(keys)
    status = store.status()
    assert (status.documents, status.chunks) == (len(state), len(keys))
    shared = {f"shared{n}" for entry in state.values() for n in range(len(entry.chunks))}
    assert status.names == len(shared) + 2 * len(state)
    # Killed before its first commit, a library has nothing to index.
    assert set(status.derived.values()) <= ({status.sequence} if status.sequence else {-1, 0})


def killed(folder: Path, journal: Path, seed: int, first: int, chance: random.Random) -> None:
    """Start the writer, wait until it writes, and kill it a random moment later."""
    worker = Path(__file__).parent / "crashing.py"
    command = [sys.executable, str(worker), str(folder), str(journal), str(seed), str(first)]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stderr=told)
        while not journal.exists() or f"begin {first}\n" not in journal.read_text():
            if process.poll() is not None:
                told.seek(0)
                raise AssertionError(told.read().decode())
            time.sleep(0.002)
        time.sleep(chance.choice([chance.uniform(0, 0.05), chance.uniform(0, 0.6)]))
        process.kill()
        process.wait()
        told.seek(0)
        assert b"Traceback" not in (text := told.read()), text.decode()


def survive(folder: Path, kills: int, seed: int) -> None:
    chance, journal = random.Random(seed), folder / "journal"
    state: State = {}
    first = 0
    for _ in range(kills):
        killed(folder / "library", journal, seed, first, chance)
        notes = journal.read_text().split()
        begun, done = int(notes[-1]), notes[-2] == "done"
        for number in range(first, begun):
            state = after(state, seed, number)
        possible = [after(state, seed, begun)] if done else [state, after(state, seed, begun)]
        with EmbeddedStore.open(folder / "library", settings=SETTINGS, read_only=chance.random() < 0.2) as store:
            found = store.digests([f"d{n}" for n in range(12)])
            (state, *_) = [one for one in possible if digests(one) == found]
            if store.status().derived["lexical"] >= 0:  # else a read-only store says that it cannot search yet
                nothing_removed_is_found(store, state)
        with EmbeddedStore.open(folder / "library", settings=SETTINGS) as store:
            check(store, state)
        first = begun + 1


def nothing_removed_is_found(store: EmbeddedStore, state: State) -> None:
    """Also before any repair, by whoever opens the library."""
    found = store.chunks(store.lexical("part", 1000).keys)
    assert all(chunk.text in {c.text for c in state[chunk.span.doc_id].chunks} for chunk in found)


def test_a_few_kills(tmp_path: Path) -> None:
    survive(tmp_path, 4, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_kills(tmp_path: Path) -> None:
    survive(tmp_path, 100, seed=2)
