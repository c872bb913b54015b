"""What is committed and not yet in the derived indexes, searched beside them: a document that was replaced is found at once.

The indexes catch up some seconds after a write (`derived`), and a chunk that was removed is never found. So a document that was just
replaced would be found neither old nor new. The chunks that wait are few (`derived.PENDING` before the writer catches up): their words are
counted and their vectors read once, and kept until an index holds them. Document numbers are never used again, so what is kept stays right.

A waiting chunk is scored as the index will score it: BM25 with the index's numbers of chunks and its mean length, and with its count of
chunks that hold a word; for a word that the index does not know, with the waiting chunks counted in.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from decoct.data import Floats, Keys, Metadata, Ranking
from decoct.index.base import Where
from decoct.index.embedded import changes
from decoct.index.embedded.changes import Change
from decoct.index.embedded.columns import STORED
from decoct.index.filters import keeps
from decoct.index.searchable import rounded
from decoct.text.analysis import stems

K1, B = 1.2, 0.75

# Chunks that are searched beside an index at most: a writer catches up at 4,096, and a batch may lie on top. The first question counts the
# words of all of them, some 50 microseconds a chunk.
MOST = 16_384

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WaitingWords:
    """A document's chunks as they are found by words: `counts` and lengths (words, as the index rounds them), one a key."""

    keys: Keys
    counts: tuple[Counter[str], ...]
    lengths: tuple[int, ...]
    language: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class WaitingVectors:
    """A document's chunks as they are found by vectors: shape (chunks, dimension), in half precision."""

    keys: Keys
    rows: Floats
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 reckons with in the index: how many `chunks`, how many hold each stem asked for (`held`), their `mean` length.

    `mean` is None where the index has none of the words.
    """

    chunks: int
    held: dict[str, int]
    mean: float | None


class Kept(Generic[T]):
    """What was made of each waiting document, by its number; what waits no longer is let go. Thread-safe."""

    def __init__(self, make: Callable[[sqlite3.Connection, Change], T]) -> None:
        self._make = make
        self._known: dict[int, T] = {}
        self._guard = threading.Lock()

    def of(self, connection: sqlite3.Connection, added: Sequence[Change]) -> list[T]:
        """Each of the documents `added`, which exist, in their order."""
        with self._guard:
            before = self._known
            self._known = {
                one.document: before[one.document] if one.document in before else self._make(connection, one)
                for one in added
                if one.chunks
            }
            return list(self._known.values())


def words_of(connection: sqlite3.Connection, change: Change) -> WaitingWords:
    """The words of a document that exists."""
    metadata, found = changes.searchables(connection, change)
    counts = tuple(Counter(stems(chunk.text, (chunk.language,))) for chunk in found)
    keys = np.array([chunk.key for chunk in found], dtype=np.int64)
    lengths = tuple(rounded(one.total()) for one in counts)
    return WaitingWords(keys, counts, lengths, found[0].language if found else "en", metadata)


def vectors_of(connection: sqlite3.Connection, change: Change) -> WaitingVectors:
    """The vectors of a document that exists."""
    past = change.first_key + change.chunks
    rows = [(key, vector) for key, vector, *_ in changes.stored_rows(connection, change.first_key, past)]
    read = [np.frombuffer(vector, dtype=STORED) for _, vector in rows]
    metadata = changes.metadata(connection, change)
    return WaitingVectors(
        np.array([key for key, _ in rows], dtype=np.int64),
        np.array(read, dtype=np.float32).reshape(len(read), -1),
        metadata,
    )


def by_words(waiting: Sequence[WaitingWords], asked: Sequence[str], known: Statistics, where: Where) -> Ranking:
    """Every waiting chunk with a stem of `asked` that passes `where`, by BM25; a stem asked twice counts twice."""
    every = [(chunk, length) for one in waiting for chunk, length in zip(one.counts, one.lengths, strict=True)]
    mean = known.mean or sum(length for _, length in every) / max(len(every), 1) or 1.0
    weights: dict[str, float] = {}
    for stem, times in Counter(asked).items():
        chunks, held = known.chunks, known.held.get(stem, 0)
        if not held:
            chunks, held = chunks + len(every), sum(stem in chunk for chunk, _ in every)
        if held:
            weights[stem] = times * math.log(1 + (chunks - held + 0.5) / (held + 0.5))
    keys, scores = [], []
    for one in waiting:
        if where and not keeps(one.metadata, where):
            continue
        for key, counts, length in zip(one.keys.tolist(), one.counts, one.lengths, strict=True):
            norm = K1 * (1 - B + B * length / mean)
            score = sum(
                weights[stem] * counts[stem] * (K1 + 1) / (counts[stem] + norm) for stem in weights if stem in counts
            )
            if score > 0:
                keys.append(key)
                scores.append(score)
    return Ranking(np.array(keys, dtype=np.int64), np.array(scores, dtype=np.float32))


def by_vectors(waiting: Sequence[WaitingVectors], vector: Floats, where: Where) -> Ranking:
    """Every waiting chunk that passes `where`, by its dot product with `vector`, shape (dimension,)."""
    passing = [one for one in waiting if not where or keeps(one.metadata, where)]
    if not passing:
        return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
    keys = np.concatenate([one.keys for one in passing])
    scores: Floats = np.einsum("ij,j->i", np.concatenate([one.rows for one in passing]), vector)
    return Ranking(keys, scores)


def near(waiting: Sequence[WaitingWords], stem: str, edits: int) -> list[int]:
    """The keys of the waiting chunks with a stem at most `edits` from this one, a swap of neighbours being one (OSA)."""
    from rapidfuzz.distance import OSA

    vocabulary = {one for document in waiting for counts in document.counts for one in counts}
    alike = {one for one in vocabulary if OSA.distance(stem, one, score_cutoff=edits) <= edits}
    return [
        key
        for document in waiting
        for key, counts in zip(document.keys.tolist(), document.counts, strict=True)
        if not alike.isdisjoint(counts)
    ]


def best(found: Ranking, waiting: Ranking, k: int) -> Ranking:
    """The first `k` of both, best first, ties by key."""
    keys, scores = np.concatenate([found.keys, waiting.keys]), np.concatenate([found.scores, waiting.scores])
    order = np.lexsort((keys, -scores))[:k]
    return Ranking(keys[order], scores[order])
