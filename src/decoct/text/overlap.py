"""How much of two texts is the same words: shingles (word 3-grams), their Jaccard overlap; how rare words are."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection, Iterable, Mapping

_WORD = re.compile(r"\w+")


def shingles(text: str) -> frozenset[int]:
    """The word 3-grams of `text` as numbers; a shorter text is one."""
    words = _WORD.findall(text.casefold())
    return frozenset(zlib.crc32(" ".join(words[i : i + 3]).encode()) for i in range(max(1, len(words) - 2)) if words)


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """|A ∩ B| / |A ∪ B|; 0 where both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


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
