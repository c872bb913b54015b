"""Hybrid retrieval: several rankings of the same chunks become one.

- `rrf`, reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): `score(c) = sum over lists of weight / (60 + rank of c)`, ranks
  from 1. It needs no comparable scores and no tuning.
- `convex` (Bruch, Gai and Ingber, TOIS 2023): `score(c) = sum of weight * min-max score / sum of weights`, the minimum and maximum being
  those of each list for this question. It keeps how sure a retriever is.

A chunk that a list does not hold gets nothing from it. For `convex` that is the score of the list's last chunk, an upper bound of what it
would have had. Its true cosine would cost a second look-up and moved passage recall at 5 by at most .006, up or down, on MuSiQue,
HotpotQA and 2WikiMultiHopQA with lists 50 to 500 deep; so it is not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from decoct import trace
from decoct.data import Floats, Query, Ranking
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import EMPTY, continued, first_of, min_max, ranked

RRF = 60  # the rank that counts half as much as rank 0 would, as its authors have it


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Fuses the first `depth` chunks of its retrievers; `weights` (one a retriever, all 1 if left out) are those of the formulas above."""

    retrievers: tuple[Retriever, ...]
    method: Literal["rrf", "convex"] = "convex"
    weights: tuple[float, ...] = ()
    depth: int = 200

    def __post_init__(self) -> None:
        if not self.retrievers:
            raise ValueError("name at least one retriever to fuse")
        if self.depth < 1:
            raise ValueError("depth must be at least 1")
        if self.weights and len(self.weights) != len(self.retrievers):
            raise ValueError(f"{len(self.weights)} weights for {len(self.retrievers)} retrievers; give one each")
        if any(weight < 0 for weight in self.weights) or (self.weights and sum(self.weights) == 0):
            raise ValueError("weights must not be negative, nor all zero")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` of everything found, by rank where it stands deeper than `depth`; `found_by` has each retriever's own score."""
        with trace.stage("hybrid"):
            lists = [retriever.retrieve(query, max(k, self.depth)) for retriever in self.retrievers]
            weights = self.weights or (1.0,) * len(lists)
            heads = [first_of(ranking, self.depth) for ranking in lists]
            fused = (rrf if self.method == "rrf" else convex)(heads, weights, k)
            found = continued(fused, lists, self.depth, k, found_by(lists))
            trace.count(hits=len(found))
            return found


def rrf(lists: Sequence[Ranking], weights: Sequence[float], k: int) -> Ranking:
    """Reciprocal rank fusion of `lists`, best `k`."""
    shares = [
        (weight / (RRF + np.arange(1, len(ranking) + 1))).astype(np.float32)
        for ranking, weight in zip(lists, weights, strict=True)
    ]
    return _sum(lists, shares, k)


def convex(lists: Sequence[Ranking], weights: Sequence[float], k: int) -> Ranking:
    """The weighted mean of the lists' min-max scores, best `k`."""
    total = sum(weights)
    shares = [min_max(ranking.scores) * (weight / total) for ranking, weight in zip(lists, weights, strict=True)]
    return _sum(lists, shares, k)


def _sum(lists: Sequence[Ranking], shares: Sequence[Floats], k: int) -> Ranking:
    if not any(len(ranking) for ranking in lists):
        return EMPTY
    keys, where = np.unique(np.concatenate([ranking.keys for ranking in lists]), return_inverse=True)
    scores = np.bincount(where, weights=np.concatenate(shares), minlength=len(keys))
    return ranked(keys, scores.astype(np.float32), k, found_by(lists))


def found_by(lists: Sequence[Ranking]) -> dict[str, Mapping[int, float]]:
    """Who found what in any of `lists`; two retrievers of one kind are told apart by number (dense, dense-2)."""
    found: dict[str, Mapping[int, float]] = {}
    for ranking in lists:
        for who, scored in ranking.found_by.items():
            name, n = who, 2
            while name in found:
                name, n = f"{who}-{n}", n + 1
            found[name] = scored
    return found
