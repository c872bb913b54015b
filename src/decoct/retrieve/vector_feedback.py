"""Pseudo-relevance feedback on vectors: Rocchio's formula for dense retrieval (Li et al., arXiv 2108.11044).

`q' = a * q + b * mean(vectors of the best k_docs chunks) - c * mean(vectors of the first list's last `negatives` chunks)`, scaled to
length 1; then the chunks nearest to q'. No text is embedded beyond the question, so it costs one more vector search. What works best is
shallow feedback (3 to 5 chunks) in which the question weighs at least as much as the feedback: hence the defaults and the check `a >= b`.

Ours: any retriever may give the feedback (`first`; a hybrid one leads to chunks that dense retrieval alone would not have put first), and
the guards on the lists (see `guards`), off unless set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.guards import anchored_ranking, overlap
from decoct.retrieve.ranking import by_key, first_of, found_by_of


@dataclass(frozen=True, slots=True)
class VectorFeedback:
    """Searches with the question's vector moved towards what was found. `a`, `b`, `c`, `k_docs` and `negatives` as in the formula.

    `first` finds the feedback (dense retrieval if left out). Where fewer than `min_overlap` of its ten best are among the ten best of the
    second search, its list is the result; its best `keep_first` chunks stay on top.
    """

    store: Store
    embedder: Embedder
    first: Retriever | None = None
    k_docs: int = 3
    a: float = 1.0
    b: float = 0.3
    c: float = 0.0
    negatives: int = 0
    depth: int = 100
    min_overlap: float = 0.0
    keep_first: int = 0

    def __post_init__(self) -> None:
        if not self.a >= self.b >= 0 or self.a <= 0 or self.c < 0:
            raise ValueError("the question must weigh at least as much as its feedback: a >= b >= 0, a > 0, c >= 0")
        if self.k_docs < 1 or self.negatives < 0:
            raise ValueError("k_docs must be at least 1 and negatives not negative")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; scores are cosines with q'; `found_by` has the first pass's scores and "vector-feedback"."""
        with trace.stage("vector-feedback"):
            (vector,) = self.embedder.embed([query.text], "query")
            depth = max(k, self.depth, self.k_docs)
            first = self._first(query, vector, depth)
            if not len(first):
                trace.fallback("vector-feedback.nothing_found")
                return first
            found = self.store.nearest(self._moved(vector, first), depth, query.where)
            shared = overlap(first, found)
            trace.fact("vector-feedback.overlap", round(shared, 4))
            if shared < self.min_overlap:
                trace.fallback("vector-feedback.drift")
                return first_of(first, k)
            found = Ranking(found.keys, found.scores, {**first.found_by, "vector-feedback": by_key(found)})
            found = first_of(anchored_ranking(first, found, self.keep_first) if self.keep_first else found, k)
            return Ranking(found.keys, found.scores, found_by_of(found.found_by, found.keys))

    def _first(self, query: Query, vector: Floats, depth: int) -> Ranking:
        if self.first is not None:
            return self.first.retrieve(query, depth)
        found = self.store.nearest(vector, depth, query.where)
        return Ranking(found.keys, found.scores, {"dense": by_key(found)})

    def _moved(self, vector: Floats, first: Ranking) -> Floats:
        moved = self.a * vector + self.b * self.store.vectors(first.keys[: self.k_docs]).mean(axis=0)
        # Chunks that serve as feedback never serve as its opposite, however short the list.
        away = first.keys[self.k_docs :][-self.negatives :] if self.negatives else first.keys[:0]
        if self.c and len(away):
            moved = moved - self.c * self.store.vectors(away).mean(axis=0)
        length = float(np.linalg.norm(moved))
        return np.asarray(moved / length, np.float32) if length > 0 else vector
