"""Personalised PageRank on an undirected, weighted graph (Haveliwala 2002), by power iteration.

    p = (1 - damping) r + damping (W' D^-1 p + what dangling nodes hold, handed back to r)

with r the restart distribution and D the sums of each node's weights; `damping` is the share of the walk that goes on, .5 in all
systems here, so that an error halves with each round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]
Sparse = Any  # scipy.sparse.csr_matrix, which has no types
ROUNDS = 100
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Walk:
    """A graph ready to be walked: column-stochastic transitions, and which nodes lead nowhere."""

    transitions: Sparse
    dangling: NDArray[np.bool_]

    def rank(self, restart: Doubles, damping: float = 0.5) -> Doubles:
        """The share of the walk at each node, summing to 1; `restart` need not be scaled. All zero where `restart` is."""
        total = restart.sum()
        if total <= 0:
            return np.zeros_like(restart)
        r = restart / total
        p: Doubles = r
        for _ in range(ROUNDS):
            lost = p[self.dangling].sum()
            following: Doubles = (1 - damping + damping * lost) * r + damping * (self.transitions @ p)
            if np.abs(following - p).sum() < TOLERANCE:
                return following
            p = following
        return p


def walk(adjacency: Sparse) -> Walk:
    """The walk on a symmetric matrix of weights (none negative)."""
    from scipy.sparse import diags

    sums = np.asarray(adjacency.sum(axis=0), np.float64).ravel()
    dangling = sums <= 0
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=~dangling)
    return Walk((adjacency @ diags(scale)).tocsr().astype(np.float64), dangling)


def bipartite(links: Sparse, *others: tuple[ArrayLike, ArrayLike, ArrayLike]) -> Sparse:
    """The symmetric matrix of names (first) and passages (after them): `links` (passages × names) and edges between any two nodes.

    An edge of `others` is (one node, another, weight), each once; weights of an edge that is given several times add up.
    """
    from scipy.sparse import coo_matrix

    passages, names = links.shape
    pairs = links.tocoo()
    starts = [np.asarray(pairs.col, np.int64), *(np.asarray(a, np.int64) for a, _, _ in others)]
    ends = [np.asarray(pairs.row, np.int64) + names, *(np.asarray(b, np.int64) for _, b, _ in others)]
    weights = [np.asarray(pairs.data, np.float64), *(np.asarray(w, np.float64) for _, _, w in others)]
    a, b, w = np.concatenate(starts), np.concatenate(ends), np.concatenate(weights)
    size = passages + names
    return coo_matrix(
        (np.concatenate([w, w]), (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(size, size)
    ).tocsr()
