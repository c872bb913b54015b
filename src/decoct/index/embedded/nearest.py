"""Nearest vectors: exact for few rows, candidates of faiss and an exact tail for many; every score is exact.

A `VectorView` is the vector files as they were at one sequence number, never changed; a newer one takes over the blocks that stayed.

1. Rows outside the faiss file: products with single-precision copies, in blocks. Rows inside: the candidates of `Ivf.search`, scored
   from their stored rows; or, when a filter keeps few rows of all, products with just those.
2. Fewer than `k` although more are allowed (a filter and the lists looked into had little in common): all rows are scored.

Products are `einsum`'s, one row at a time on the calling thread: equal vectors get equal scores wherever they lie, so that ties are by
key, and a busy machine does not make the query wait for BLAS threads to meet (20 ms and more at the 95th percentile, for a product of
0.3 ms).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys, Range, Ranking
from decoct.index.embedded.ivf import Ivf
from decoct.index.embedded.rows import Manifest, Rows, RowTraits

# Rows a block of single-precision copies: 6 MB at 384 dimensions, about what a core's cache holds.
BLOCK = 4096

# Copies of more rows than this are not kept but made block by block (a reader beside a writer that has not indexed yet).
MOST_KEPT = 65_536

# Up to this many allowed rows are scored directly: as fast as the lists of faiss, and exact.
FEW = 4096

Mask = NDArray[np.bool_]
# A filter's rows, the same as bits for faiss, and their number.
Allowed = tuple[Mask, NDArray[np.uint8], int]
# Row numbers and their scores.
Scored = tuple[Keys, Floats]

NEVER = np.float32(-np.inf)


@dataclass(frozen=True, slots=True)
class VectorView:
    """The vectors at `manifest.sequence`, row by row: `keys`, `rows`, signatures (`marks`), which are `living` (None: all).

    `ivf` covers the first rows; `blocks` are copies of the others.
    """

    manifest: Manifest
    keys: Keys
    rows: Rows
    marks: NDArray[np.uint8]
    row_traits: RowTraits
    living: Mask | None
    ivf: Ivf | None
    blocks: tuple[Floats, ...] = ()
    living_bits: NDArray[np.uint8] | None = None
    filters: dict[tuple[tuple[str, tuple[str | Range, ...]], ...], Allowed] = field(default_factory=dict)

    @property
    def sequence(self) -> int:
        """The change up to which they reach."""
        return self.manifest.sequence

    @property
    def indexed(self) -> int:
        """Rows that faiss searches; the others are searched exactly."""
        return self.ivf.rows if self.ivf is not None else 0

    @property
    def lacks_index(self) -> bool:
        """Whether there should be a faiss file, but it is lost or damaged."""
        return self.ivf is None and self.manifest.indexed > 0

    def tally(self) -> tuple[int, int]:
        """How many living rows there are, and the sum of their keys."""
        keys = self.keys if self.living is None else self.keys[self.living]
        return len(keys), int(keys.sum())

    def search(self, vector: Floats, k: int, allowed: Allowed | None) -> Ranking:
        """At most `k` keys by dot product, best first, ties by key."""
        total = self.manifest.rows - self.manifest.dead if allowed is None else allowed[2]
        k = min(k, total)
        if k < 1:
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
        mask = allowed[0] if allowed is not None else self.living
        if allowed is not None and total <= FEW:
            return self._ranked(self._rescored(np.flatnonzero(allowed[0]), vector), k)
        tail = self._scored(self.blocks or _cut(self.rows, self.indexed), vector, self.indexed, k, mask)
        if self.ivf is None:
            return self._ranked(tail, k)
        bits = allowed[1] if allowed is not None else self.living_bits
        found = self._rescored(self.ivf.search(vector, k, bits), vector)
        if len(found[0]) + len(tail[0]) < k:
            return self._ranked(self._scored(_cut(self.rows, 0), vector, 0, k, mask), k)
        return self._ranked((np.concatenate([found[0], tail[0]]), np.concatenate([found[1], tail[1]])), k)

    def vectors(self, keys: Keys) -> Floats:
        """The stored vector of each key; zeros where there is none."""
        at, here = self._places(keys)
        found = np.zeros((len(keys), self.rows.shape[1]), dtype=np.float32)
        found[here] = self.rows.take(at[here], axis=0)
        return found

    def signatures(self, keys: Keys) -> NDArray[np.uint8]:
        """The signature of each key; zeros where there is none."""
        at, here = self._places(keys)
        found = np.zeros((len(keys), self.marks.shape[1]), dtype=np.uint8)
        found[here] = self.marks.take(at[here], axis=0)
        return found

    def traits(self, keys: Keys) -> list[bytes]:
        """The traits of each key, empty where there is none."""
        at, here = self._places(keys)
        found = iter(self.row_traits.at(at[here]))
        return [next(found) if there else b"" for there in here.tolist()]

    def _places(self, keys: Keys) -> tuple[Keys, Mask]:
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        first, most = self.keys[0], len(self.keys) - 1
        # Where no key is missing rows are counted off: a bisection among a million keys costs a microsecond.
        complete = self.keys[-1] - first == most
        at = np.clip(keys - first, 0, most) if complete else np.minimum(np.searchsorted(self.keys, keys), most)
        here = self.keys[at] == keys
        if self.living is not None:
            here = here & self.living[at]
        return at, here

    def allow(self, ranges: Keys) -> Allowed:
        """The living rows among documents' `ranges` of keys (first key, number; shape (documents, 2))."""
        marks = np.zeros(len(self.keys) + 1, dtype=np.int64)
        first, past = np.searchsorted(self.keys, ranges[:, 0]), np.searchsorted(self.keys, ranges.sum(axis=1))
        np.add.at(marks, first, 1)
        np.add.at(marks, past, -1)
        mask = np.cumsum(marks)[:-1] > 0
        if self.living is not None:
            mask &= self.living
        return mask, np.packbits(mask, bitorder="little"), int(np.count_nonzero(mask))

    def _scored(self, blocks: Iterable[Rows | Floats], vector: Floats, start: int, k: int, mask: Mask | None) -> Scored:
        """The `k` best of the rows in `blocks`, the first of which is row `start`, and all that tie with the last of them."""
        parts = [_products(block, vector) for block in blocks]
        if not parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        scores = np.concatenate(parts)
        if mask is not None:
            scores = np.where(mask[start:], scores, NEVER)
        least = np.partition(scores, len(scores) - k)[len(scores) - k] if k < len(scores) else NEVER
        best = np.flatnonzero((scores >= least) & (scores > NEVER))
        return best + start, scores[best]

    def _rescored(self, rows: Keys, vector: Floats) -> Scored:
        return rows, _products(self.rows[rows], vector)

    def _ranked(self, scored: Scored, k: int) -> Ranking:
        rows, scores = scored
        keys = self.keys[rows]
        order = np.lexsort((keys, -scores))[:k]
        return Ranking(keys[order], scores[order])


def copies(rows: Rows, indexed: int, before: VectorView | None) -> tuple[Floats, ...]:
    """Single-precision copies of the rows after `indexed`; full blocks of `before`, a view of the same files, are taken over."""
    if len(rows) - indexed > MOST_KEPT:
        return ()
    kept: tuple[Floats, ...] = ()
    if before is not None and before.indexed == indexed:
        kept = tuple(block for block in before.blocks if len(block) == BLOCK)
    rest = _cut(rows, indexed + len(kept) * BLOCK)
    return (*kept, *(np.asarray(block, dtype=np.float32) for block in rest))


def _cut(rows: Rows, start: int) -> Iterator[Rows]:
    return (rows[at : at + BLOCK] for at in range(start, len(rows), BLOCK))


def _products(rows: Rows | Floats, vector: Floats) -> Floats:
    found: Floats = np.einsum("ij,j->i", np.asarray(rows, dtype=np.float32), vector)
    return found
