"""Which sources are independent: near copies of one text count once (lab/docs/methods.md, CASC: check).

Two documents are copies if the Jaccard overlap of their word 3-grams is at least `NEAR`.

A copy edited at its edges escapes that, so for what supports a claim a second test is made: sources whose very sentence for the claim is
nearly the same (`SAME_SENTENCE` of its words in 3-grams) have it from one another or from a third. Editions of one document are one source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from decoct.text.overlap import jaccard, shingles

NEAR = 0.8
SAME_SENTENCE = 0.5
_LONG = 10  # 3-grams, a sentence of a dozen words: shorter ones are alike by chance ("X was founded in 1990")


def origins(texts: Sequence[str]) -> list[int]:
    """For each text the index of the first text that it copies, directly or through others; its own where it copies none."""
    found = [shingles(text) for text in texts]
    pairs = (
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if min(len(found[i]), len(found[j])) >= NEAR * max(len(found[i]), len(found[j]))
        and jaccard(found[i], found[j]) >= NEAR
    )  # of texts of very different length nothing has to be looked at
    return connected_components(len(texts), pairs)


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


def independence(
    doc_ids: Sequence[str], texts: Sequence[str], together: Iterable[tuple[int, int]] = ()
) -> Independence:
    """How the documents depend on one another; those `together` do whatever their texts are."""
    found = connected_components(len(texts), [*enumerate(origins(texts)), *together])
    return Independence({doc_ids[i]: doc_ids[j] for i, j in enumerate(found)})
