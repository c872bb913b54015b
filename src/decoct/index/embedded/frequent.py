"""Frequent words: how often each stands in a chunk, in columns beside the postings, so that a search need not read their postings.

A word of most chunks has a posting in most chunks, and hardly moves a score. The lexical index of a larger library therefore keeps the
counts of the words that stand in a tenth of its chunks and more also as numbers a chunk (tantivy's fast fields, 64 bits each): chunks that
the rarer words of a question found are scored from these (`pruning`).

Which words are frequent, and how many bits each needs, is learned from a sample when the index is built, and stays so until it is built
anew. A list that no longer fits, because other documents came, costs time and never a result: words that it lacks are read from their
postings, and a count that its bits cannot hold is marked (all of them are set).
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.index.embedded import changes
from decoct.text.analysis import stems

# Chunks from which on counts are kept: in fewer, every word's postings are read in a millisecond.
LEAST = 20_000

# Built anew when the library holds this many times the chunks of then, if by then other words are frequent (`is_outgrown`).
GROWN = 8

# Chunks looked at to learn the list, at most so many of one document, evenly spread over all.
SAMPLE, OF_ONE = 4096, 8

# A word is frequent that stands in this share of the chunks; so many words are kept at most (some 60 bytes a chunk).
SHARE, MOST = 0.1, 128

# Bits of a column. The highest stays clear, so that a column's value is also a signed number.
WIDTH = 63

# Bits a count has at least and at most: they hold twice the largest count of the sample.
FEWEST_BITS, MOST_BITS = 2, 8


@dataclass(frozen=True)
class FrequentWords:
    """The words, the bits of each one's count, and how many chunks there were when they were learned. Empty: no counts are kept."""

    words: tuple[str, ...] = ()
    bits: tuple[int, ...] = ()
    chunks: int = 0

    @classmethod
    def learned(cls, sample: Sequence[Sequence[str]], chunks: int, share: float = SHARE) -> FrequentWords:
        """The words of that share of the chunks, from the stems of some of them."""
        held: Counter[str] = Counter()
        most: dict[str, int] = {}
        for words in sample:
            counted = Counter(words)
            held.update(counted.keys())
            for word, count in counted.items():
                most[word] = max(most.get(word, 0), count)
        found = sorted((-count, word) for word, count in held.items() if count >= share * len(sample))[:MOST]
        words = tuple(word for _, word in found)
        bits = tuple(min(max((2 * most[word]).bit_length(), FEWEST_BITS), MOST_BITS) for word in words)
        return cls(words, bits, chunks)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> FrequentWords:
        """As `record` tells it; empty where it tells nothing. `KeyError`, `TypeError` or `ValueError` for nonsense."""
        told = record.get("frequent")
        if told is None:
            return cls()
        words, bits = tuple(map(str, told["words"])), tuple(map(int, told["bits"]))
        found = cls(words, bits, int(told["chunks"]))
        if len(words) != len(bits) or told["check"] != found._check():
            raise ValueError("the list of frequent words is damaged")
        return found

    def record(self) -> dict[str, object]:
        """What `of_record` reads; nothing of an empty list."""
        if not self.words:
            return {}
        told = {"words": list(self.words), "bits": list(self.bits), "chunks": self.chunks, "check": self._check()}
        return {"frequent": told}

    def _check(self) -> int:
        """CRC-32 of the list: by another one columns would be read wrongly."""
        return zlib.crc32(json.dumps([self.words, self.bits, self.chunks]).encode())

    @cached_property
    def places(self) -> dict[str, tuple[int, int, int]]:
        """Of each word the column, the place of its lowest bit, and the number all of whose bits are set."""
        found, column, used = {}, -1, WIDTH
        for word, bits in zip(self.words, self.bits, strict=True):
            if used + bits > WIDTH:
                column, used = column + 1, 0
            found[word] = (column, used, (1 << bits) - 1)
            used += bits
        return found

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(
            f"frequent{column}" for column in range(1 + max((at for at, _, _ in self.places.values()), default=-1))
        )

    def packed(self, words: Sequence[str]) -> dict[str, int]:
        """The value of each column for a chunk of these stems."""
        values = dict.fromkeys(self.columns, 0)
        for word, count in Counter(words).items():
            if word in self.places:
                column, shift, full = self.places[word]
                values[self.columns[column]] |= min(count, full) << shift
        return values

    def counts(self, word: str, column: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
        """How often `word` stands in each chunk of which `column` has the value; and whether that is so of all (no count was too large)."""
        _, shift, full = self.places[word]
        found = (column >> shift) & full
        return found, not bool((found == full).any())


def threshold(known: FrequentWords) -> int:
    """How many chunks there must be for another look at which words are frequent."""
    return max(LEAST, GROWN * known.chunks)


def is_outgrown(known: FrequentWords, sample: Sequence[Sequence[str]], chunks: int) -> bool:
    """Whether `known` lacks a word that is by far frequent, by the stems of some of the `chunks`."""
    return bool(set(FrequentWords.learned(sample, chunks, 2 * SHARE).words) - set(known.words))


def sampled(connection: sqlite3.Connection, documents: Sequence[changes.Change]) -> list[list[str]]:
    """The stems of some chunks of the library's `documents`, evenly spread."""
    each = min(OF_ONE, -(-SAMPLE // max(len(documents), 1)))
    found = []
    for at in _spread(len(documents), SAMPLE // each):
        _, chunks = changes.searchables(connection, documents[at])
        found += [stems(chunks[one].text, (chunks[one].language,)) for one in _spread(len(chunks), each)]
    return found


def _spread(count: int, most: int) -> list[int]:
    found: list[int] = np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64)).tolist()
    return found
