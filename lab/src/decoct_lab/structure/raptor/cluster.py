"""Clusters of RAPTOR: nodes that speak of one thing, each in every cluster to which it probably belongs.

1. All vectors are laid out in `dimensions` by UMAP (cosine, sqrt(n - 1) neighbours) and a Gaussian mixture is fitted, with as many parts as
   have the lowest BIC among 1 to min(`most`, n) - 1. A node belongs to every part of which its probability is above `membership`.
2. Inside each such part the same again, with `neighbours` neighbours; a part of at most `dimensions` + 1 nodes is one cluster.
3. A cluster whose texts have more than `longest` tokens is clustered again, alone.

Kept from the authors' code: all numbers, and the seed of the mixture. Ours: UMAP has the seed too, so that a build can be repeated and
resumed; nodes are told apart by number (there, equal vectors were taken for one node); where a cluster that is too long comes out of
step 3 in one piece, it is cut along its longest direction (there, it would be tried for ever). `layout="pca"` (ours) lays
out by principal components: a build takes a fraction of the time, and is not the paper's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from decoct.data import Floats

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Clustering:
    """How nodes are grouped; the paper's numbers."""

    layout: Literal["umap", "pca"] = "umap"
    dimensions: int = 10
    membership: float = 0.1
    most: int = 50
    neighbours: int = 10
    longest: int = 3500
    seed: int = 224

    def __post_init__(self) -> None:
        if min(self.dimensions, self.neighbours, self.longest) < 1 or self.most < 2 or not 0 < self.membership < 1:
            raise ValueError(
                "dimensions, neighbours and longest at least 1, most at least 2, membership between 0 and 1"
            )

    def groups(self, vectors: Floats, tokens: Sequence[int]) -> list[Group]:
        """The clusters of nodes with these vectors (one a row) and lengths, as rows in order; every row is in at least one."""
        with threadpool_limits(
            1
        ):  # hundreds of small fits: threads that wait for each other cost twenty times the work
            return self._groups(vectors, tokens)

    def _groups(self, vectors: Floats, tokens: Sequence[int]) -> list[Group]:
        found: list[Group] = []
        for group in self._soft(vectors):
            if len(group) == 1 or sum(tokens[row] for row in group) <= self.longest:
                found.append(group)
            elif len(group) < len(vectors):
                inner = self._groups(vectors[list(group)], [tokens[row] for row in group])
                found += [tuple(group[row] for row in one) for one in inner]
            else:
                found += self._cut(vectors, tokens)
        return list(dict.fromkeys(found))

    def _soft(self, vectors: Floats) -> list[Group]:
        """Steps 1 and 2."""
        found: list[Group] = []
        for part in self._parts(vectors, math.isqrt(max(len(vectors) - 1, 1))):
            inner = self._parts(vectors[list(part)], self.neighbours)
            found += [tuple(part[row] for row in one) for one in inner]
        return found

    def _parts(self, vectors: Floats, neighbours: int) -> list[Group]:
        count = len(vectors)
        if count <= self.dimensions + 1:
            return [tuple(range(count))]
        dimensions = min(self.dimensions, count - 2)
        if self.layout == "pca":
            laid = _principal(vectors, dimensions, self.seed)
        else:
            laid = _laid_out(vectors, dimensions, min(max(neighbours, 2), count - 1), self.seed)
        shares = _shares(laid, self.most, self.seed)
        belongs = shares > self.membership
        belongs[np.arange(count), shares.argmax(axis=1)] = True  # of many parts none may reach the threshold
        groups = [tuple(np.flatnonzero(column).tolist()) for column in belongs.T]
        return [group for group in groups if group]

    def _cut(self, vectors: Floats, tokens: Sequence[int]) -> list[Group]:
        """The rows along the direction in which they differ most, cut wherever `longest` is reached."""
        along = _principal(vectors, 1, self.seed)[:, 0]
        found: list[list[int]] = [[]]
        room = self.longest
        for row in np.argsort(along, kind="stable").tolist():
            if found[-1] and tokens[row] > room:
                found.append([])
                room = self.longest
            found[-1].append(row)
            room -= tokens[row]
        return [tuple(sorted(group)) for group in found]


def _principal(vectors: Floats, dimensions: int, seed: int) -> Floats:
    # Scaled, so that a mixture's least variance (1e-6) means the same in every corner of the space.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal vectors have no variance to share out
        laid = PCA(dimensions, random_state=seed).fit_transform(vectors)
    return np.asarray(laid / max(float(laid.std()), 1e-9), np.float32)


def _laid_out(vectors: Floats, dimensions: int, neighbours: int, seed: int) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # that a seed means one thread, and remarks on small or disconnected neighbourhoods
        import umap  # seconds to import: only where a tree is grown

        # Below 15 points a spectral layout has too few eigenvectors to begin with.
        begin = "random" if len(vectors) < dimensions + 5 else "spectral"
        layout = umap.UMAP(
            n_neighbors=neighbours, n_components=dimensions, metric="cosine", random_state=seed, n_jobs=1, init=begin
        ).fit_transform(vectors)
    return np.nan_to_num(np.asarray(layout, np.float32))


def _shares(laid: Floats, most: int, seed: int) -> NDArray[np.float64]:
    """The probability of each row under each part of the mixture with the lowest BIC."""
    best, lowest = None, math.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mixtures of many parts do not always settle; BIC passes them over
        for parts in range(1, max(2, min(most, len(laid)))):
            mixture = GaussianMixture(n_components=parts, random_state=seed).fit(laid)
            if (bic := float(mixture.bic(laid))) < lowest:
                best, lowest = mixture, bic
        assert best is not None
        shares: NDArray[np.float64] = best.predict_proba(laid)
    return shares
