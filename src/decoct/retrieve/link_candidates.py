"""The chunks under consideration while links are followed, as parallel arrays that grow. See `links`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoct.data import Floats, Keys, Ranking
from decoct.index.abilities import SupportsNames
from decoct.index.base import Mask, Where
from decoct.retrieve.link_edges import Edges
from decoct.structure.traits import Coverage, coverage

# What a word can give at most, in BM25 with k1 = 1.2: its inverse document frequency times k1 + 1.
MOST = 2.2


class LinkCandidates:
    """Chunks by ascending `keys`.

    For each its `cosine` with the question, its BM25 score as a share of the most that the question's `words` could give, how surely the
    question has `named` it, which of the question's stems it has `covered`. `weights` are the stems', by rarity, and sum to 1.
    """

    def __init__(
        self, store: SupportsNames, where: Where, vector: Floats, stems: Sequence[str], words: Ranking
    ) -> None:
        self._store, self._where, self._vector, self._stems = store, where, vector, stems
        frequency, total = store.frequencies(stems)
        rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        # A stem that no chunk holds cannot be covered: it must not weigh.
        rarity[frequency == 0] = 0
        most = max(float(rarity.sum()), 1e-9)
        order = np.argsort(words.keys)
        self._lexical = words.keys[order], words.scores[order] / (MOST * most)
        self.weights: Floats = rarity / most
        self.keys: Keys = np.empty(0, np.int64)
        self.cosine: Floats = np.empty(0, np.float32)
        self.words: Floats = np.empty(0, np.float32)
        self.named: Floats = np.empty(0, np.float32)
        self.covered: Coverage = np.empty((0, len(stems)), dtype=bool)

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, keys: Keys) -> None:
        """Take in chunks that are not there yet and that the question's filter passes."""
        new = np.unique(keys)
        new = new[~self.has(new)]
        if self._where and len(new):
            new = new[self._store.passing(new, self._where)]
        if not len(new):
            return
        order = np.argsort(np.concatenate([self.keys, new]))
        self.keys = np.concatenate([self.keys, new])[order]
        self.cosine = np.concatenate([self.cosine, self._store.vectors(new) @ self._vector])[order]
        self.words = np.concatenate([self.words, self._credit(new)])[order]
        self.named = np.concatenate([self.named, np.zeros(len(new), np.float32)])[order]
        self.covered = np.concatenate([self.covered, self._coverage(new)])[order]

    def name(self, keys: Keys, sureness: Floats) -> None:
        """Record how surely the question names chunks that are here; of a key that comes twice the surest counts."""
        np.maximum.at(self.named, self.at(keys), sureness)

    def has(self, keys: Keys) -> Mask:
        """Which chunks are here."""
        if not len(self):
            return np.zeros(len(keys), dtype=bool)
        found: Mask = self.keys[np.minimum(self.at(keys), len(self) - 1)] == keys
        return found

    def at(self, keys: Keys) -> Keys:
        """Where chunks stand that are here."""
        return np.searchsorted(self.keys, keys)

    def within(self, links: Edges) -> Edges:
        """The links that end at a chunk that is here."""
        here = self.has(links.targets)
        return Edges(links.sources[here], links.targets[here], links.weights[here])

    def _credit(self, keys: Keys) -> Floats:
        known, scores = self._lexical
        if not len(known):
            return np.zeros(len(keys), np.float32)
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        credit: Floats = np.where(known[at] == keys, scores[at], 0).astype(np.float32)
        return credit

    def _coverage(self, keys: Keys) -> Coverage:
        signatures = self._store.signatures(keys)
        if not signatures.shape[1] or not self._stems:
            return np.zeros((len(keys), len(self._stems)), dtype=bool)
        return coverage(signatures, self._stems)
