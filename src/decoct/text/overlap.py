"""How much of two texts is the same words: shingles (word n-grams), their Jaccard overlap and its MinHash estimate; how rare words are."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

_HASHES = 128
_PRIME = (1 << 61) - 1
_WORD = re.compile(r"\w+")


def shingles(text: str, size: int = 3) -> frozenset[int]:
    """The word n-grams of `text` as numbers; a shorter text is one."""
    words = _WORD.findall(text.casefold())
    return frozenset(
        zlib.crc32(" ".join(words[i : i + size]).encode()) for i in range(max(1, len(words) - size + 1)) if words
    )


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """|A ∩ B| / |A ∪ B|; 0 where both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def minhash(found: frozenset[int]) -> NDArray[np.uint64]:
    """The MinHash signature (Broder 1997): for each of 128 fixed linear hashes the least value over the shingles.

    The share of equal places of two signatures estimates the Jaccard overlap to within .09 at 95 %.
    """
    if not found:
        return np.zeros(_HASHES, dtype=np.uint64)
    rng = np.random.default_rng(0x5EED)
    a = rng.integers(1, 1 << 31, _HASHES, dtype=np.uint64)
    b = rng.integers(0, 1 << 31, _HASHES, dtype=np.uint64)
    values = np.fromiter(found, dtype=np.uint64, count=len(found))
    least: NDArray[np.uint64] = ((values[:, None] * a + b) % np.uint64(_PRIME)).min(axis=0)
    return least


def idf(held: float, texts: int) -> float:
    """How rare a word is that `held` of `texts` hold: ln(1 + (N - n + .5) / (n + .5)), BM25's form that is never negative."""
    return math.log1p((texts - held + 0.5) / (held + 0.5))


def rarities(wanted: Iterable[str], texts: Collection[Collection[str]]) -> Mapping[str, float]:
    """How rare each of the `wanted` words is among the `texts`, each given as its words, as shares that add up to 1.

    In the order of `wanted`, so that sums over it are the same in every process.
    """
    rare = {word: idf(sum(word in text for text in texts), len(texts)) for word in wanted}
    whole = sum(rare.values())
    return {word: value / whole for word, value in rare.items()}
