"""A writer that is killed: `python crashing.py FOLDER JOURNAL SEED FIRST` writes at random and notes each operation before and after.

Operation `n` of a seed is always the same, so that the test can work out what a library must hold after any of them.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore, derived, ivf, rows
from decoct_testing.store_corpus import WORDS, make_entry

SETTINGS = {"embedder": "crash"}


def mark(doc_id: str, number: int) -> str:
    """A word that only this version of this document has."""
    return f"mark{doc_id}n{number}"


def operation(seed: int, number: int) -> tuple[list[Entry], list[str]]:
    """What operation `number` puts, and what it deletes."""
    chance = random.Random(seed * 100_003 + number)
    ids = [f"d{n}" for n in chance.sample(range(12), chance.randint(1, 4))]
    if chance.random() < 0.3:
        return [], ids
    entries = []
    for doc_id in ids:
        word = mark(doc_id, number)
        pieces = [f"{word} {chance.choice(WORDS)} part {n}" for n in range(chance.randint(1, 5))]
        mentions = tuple((word, f"shared{n}") for n in range(len(pieces)))
        entries.append(
            make_entry(
                doc_id, pieces, seed=number, title=word, metadata={"version": number, "id": doc_id}, names=(word, doc_id),
                mentions=mentions, digest=str(number),
            )
        )  # fmt: skip
    return entries, []


def lower_thresholds() -> None:
    """Make compaction, indexing and retraining happen all the time."""
    ivf.EXACT, ivf.TAIL, ivf.REST, ivf.RETRAIN, rows.FEW_DEAD = 10, 6, 3, 2, 6
    derived.PENDING = 8


def work(folder: Path, journal: Path, seed: int, first: int) -> None:
    """Write until killed."""
    lower_thresholds()
    notes = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    store = EmbeddedStore.open(folder, settings=SETTINGS)
    for number in range(first, first + 100_000):
        puts, deletes = operation(seed, number)
        os.write(notes, f"begin {number}\n".encode())
        if puts:
            store.put(puts)
        else:
            store.delete(deletes)
        os.write(notes, f"done {number}\n".encode())
        rest = random.Random(number).random()
        if rest < 0.2:
            store.refresh()
        elif rest < 0.3:
            store.lexical("part", 5)
        elif rest < 0.35:
            store.close()
            store = EmbeddedStore.open(folder, settings=SETTINGS)


def main(words: Sequence[str]) -> None:
    folder, journal, seed, first = words
    work(Path(folder), Path(journal), int(seed), int(first))


if __name__ == "__main__":
    main(sys.argv[1:])
