"""Which sources are independent: near copies of one text count once (lab/docs/methods.md, CASC: check).

Two documents are copies if the Jaccard overlap of their word 3-grams, estimated by MinHash (Broder 1997), is at least `NEAR`. 128 hashes
estimate it to within .09 at 95 %; below 64 documents the exact overlap is cheaper than hashing, and is used.

A copy edited at its edges escapes that, so for what supports a claim a second test is made: sources whose very sentence for the claim is
nearly the same (`SAME_SENTENCE` of its words in 3-grams) have it from one another or from a third.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from decoct.text.overlap import jaccard, minhash, shingles

NEAR = 0.8
SAME_SENTENCE = 0.5
_LONG = 10  # 3-grams, a sentence of a dozen words: shorter ones are alike by chance ("X was founded in 1990")
_EXACT = 64


def origins(texts: Sequence[str]) -> list[int]:
    """For each text the index of the first text that it copies, directly or through others; its own where it copies none."""
    found = [shingles(text) for text in texts]
    if len(texts) <= _EXACT:
        pairs = ((i, j) for i, j in combinations(range(len(texts)), 2) if jaccard(found[i], found[j]) >= NEAR)
        return connected_components(len(texts), pairs)
    signatures = np.stack([minhash(one) for one in found])
    close = (
        (i, i + 1 + int(j))
        for i in range(len(texts))
        for j in np.flatnonzero((signatures[i + 1 :] == signatures[i]).mean(axis=1) >= NEAR)
    )
    return connected_components(len(texts), close)


def connected_components(size: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Connected components of `size` items under `pairs`: for each item the smallest of its component."""
    parent = list(range(size))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in pairs:
        low, high = sorted((root(i), root(j)))
        parent[high] = low
    return [root(i) for i in range(size)]


@dataclass(frozen=True, slots=True)
class Independence:
    """Counts independent sources; `origin` maps a document to the document it copies (or itself)."""

    origin: dict[str, str]

    def count(self, claims: Sequence[tuple[str, str]]) -> int:
        """Independent sources among (document, sentence) pairs."""
        return len(set(self.of(claims)))

    def of(self, claims: Sequence[tuple[str, str]]) -> list[int]:
        """For each (document, sentence) the index of the first that it depends on."""
        sentences = [shingles(sentence) for _, sentence in claims]
        pairs = (
            (i, j)
            for i, j in combinations(range(len(claims)), 2)
            if self.origin.get(claims[i][0], claims[i][0]) == self.origin.get(claims[j][0], claims[j][0])
            or (len(sentences[i]) >= _LONG and jaccard(sentences[i], sentences[j]) >= SAME_SENTENCE)
        )
        return connected_components(len(claims), pairs)


def independence(doc_ids: Sequence[str], texts: Sequence[str]) -> Independence:
    """How the documents depend on one another."""
    return Independence({doc_ids[i]: doc_ids[j] for i, j in enumerate(origins(texts))})
