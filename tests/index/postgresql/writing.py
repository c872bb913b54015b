"""A writer that is killed: `python writing.py URL JOURNAL SEED` writes at random and notes each operation before and after."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from decoct.index.base import Entry
from decoct_postgresql import PostgreSQLStore
from decoct_testing.store_corpus import WORDS, make_entry

SETTINGS = {"embedder": "crash"}


def operation(seed: int, number: int) -> tuple[list[Entry], list[str]]:
    """What operation `number` of a seed puts, and what it deletes; always the same."""
    chance = random.Random(seed * 100_003 + number)
    ids = [f"d{n}" for n in chance.sample(range(12), chance.randint(1, 6))]
    if chance.random() < 0.3:
        return [], ids
    entries = []
    for doc_id in ids:
        word = f"mark{doc_id}n{number}"
        pieces = [f"{word} {chance.choice(WORDS)} part {n}" for n in range(chance.randint(1, 5))]
        mentions = tuple((word, f"shared{n}") for n in range(len(pieces)))
        entries.append(
            make_entry(
                doc_id, pieces, seed=number, title=word, metadata={"version": number, "id": doc_id}, names=(word, doc_id),
                mentions=mentions, digest=f"{seed} {number}",
            )
        )  # fmt: skip
    return entries, []


def main(given: Sequence[str]) -> None:
    """Write until killed."""
    url, journal, seed = given[0], Path(given[1]), int(given[2])
    notes = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    store = PostgreSQLStore.open(url, settings=SETTINGS)
    for number in range(100_000):
        puts, deletes = operation(seed, number)
        os.write(notes, f"begin {number}\n".encode())
        if puts:
            store.put(puts)
        else:
            store.delete(deletes)
        os.write(notes, f"done {number}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
