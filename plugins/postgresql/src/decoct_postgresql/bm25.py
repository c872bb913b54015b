"""BM25 of a chunk in SQL, from the tsvector of its words.

The formula is that of the embedded store (Robertson & Zaragoza 2009), with exact counts:

    sum over words w of  ln(1 + (N - n_w + .5) / (n_w + .5)) * f * (k1 + 1) / (f + k1 * (1 - b + b * |c| / mean|c|)),  k1 = 1.2, b = 0.75

|c| is rounded down as tantivy keeps it in one byte, exact up to 40 words and within 1/16 above, so that a question ranks chunks here as it
does in the embedded store; mean|c| is exact in both. A word adds less than its idf * (k1 + 1).

`f` is the number of a word's positions in the tsvector, for which SQL has no function. With all weights 1, `ts_rank` of one word is the sum
of 1/i² over its positions divided by π²/6 (calc_rank_or in PostgreSQL's tsrank.c). What such a sum lacks of π²/6 lies between 1 / (f + 1)
and 1 / f, near to 1 / (f + 1/2), so `f` is exact where that is turned over and rounded down. A word that stands once is kept without a
position, which counts as one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.data import Keys
from decoct_postgresql.filtering import Texts

Scores: TypeAlias = NDArray[np.float64]

K1 = 1.2
B = 0.75

# Scores are compared at this many decimals, as those of the embedded store.
DECIMALS = 5

# A bound must hold by more than rounding can change.
NEAR = 10**-DECIMALS

_COUNT = f"floor({6 / math.pi**2} / (1 - ts_rank('{{1,1,1,1}}', words, %s::tsquery)::float8))"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a search is for: its words, rarest first, with idf times how often each is asked, and in how many chunks each stands.

    `mean` is the mean length of a chunk in words, `k` how many chunks are wanted, `where` of which documents.
    """

    weights: Mapping[str, float]
    held: Mapping[str, int]
    mean: float
    k: int
    where: Texts

    def first(self, count: int) -> dict[str, float]:
        """The `count` rarest words."""
        return dict(list(self.weights.items())[:count])

    def others(self, count: int) -> dict[str, float]:
        """All but the `count` rarest words."""
        return dict(list(self.weights.items())[count:])

    def left(self, count: int) -> float:
        """What all but the `count` rarest words add to a score at most."""
        return (K1 + 1) * sum(self.others(count).values())


def added(weight: float, counts: Keys, lengths: Keys, mean: float) -> Scores:
    """What a word of that idf adds to the scores of chunks: how often it stands in each, and the lengths of these."""
    found: Scores = weight * (K1 + 1) * counts / (counts + K1 * (1 - B + B * lengths / mean))
    return found


def scored(weights: Mapping[str, float], mean: float, condition: str, given: Sequence[Any]) -> tuple[str, list[Any]]:
    """A query for `key` and `score`, by words with their idf, of the rows of `lexical` that meet the condition; and its values."""
    terms, values = ["0::float8"], []
    for word, weight in weights.items():
        terms.append(f"%s * (1 - norm / (norm + {_COUNT}))")
        values += [weight * (K1 + 1), quoted(word)]
    rows = f"SELECT key, words, %s * (1 - %s + %s * length / %s) AS norm FROM lexical WHERE {condition}"
    return f"SELECT key, {' + '.join(terms)} AS score FROM ({rows}) AS found", [*values, K1, B, B, mean, *given]


def best(rows: list[tuple[int, float]], k: int) -> list[tuple[int, float]]:
    """The `k` best of keys with their scores, best first, ties by key."""
    return sorted(rows, key=lambda row: (-row[1], row[0]))[:k]


def quoted(word: str) -> str:
    """A word as a tsquery."""
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
