"""Pseudo-relevance feedback on vectors: Rocchio's formula for dense retrieval (Li et al., arXiv 2108.11044).

`q' = a * q + b * mean(vectors of the best k_docs chunks)`, scaled to length 1; then the chunks nearest to q'. No text is embedded beyond
the question, so it costs one more vector search. What works best there is shallow feedback (3 to 5 chunks, `k_docs`) in which the question
weighs at least as much as the feedback (`a` 1, `b` .3): hence the defaults and the check `a >= b`. Rocchio's third term, a step away from
chunks that are not relevant, is left out: nothing says which those are.

Ours: any retriever may give the feedback (`first`; a hybrid one leads to chunks that dense retrieval alone would not have put first).
`depth` is how much of the lists is looked at, as in `feedback`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.feedback import overlap
from decoct.retrieve.ranking import by_key, first_of, found_by_of


@dataclass(frozen=True, slots=True)
class VectorFeedback:
    """Searches with the question's vector moved towards what was found. `a`, `b` and `k_docs` as in the formula.

    `first` finds the feedback (dense retrieval if left out).
    """

    store: Store
    embedder: Embedder
    first: Retriever | None = None
    k_docs: int = 3
    a: float = 1.0
    b: float = 0.3
    depth: int = 100

    def __post_init__(self) -> None:
        if not self.a >= self.b >= 0 or self.a <= 0:
            raise ValueError("the question must weigh at least as much as its feedback: a >= b >= 0, a > 0")
        if self.k_docs < 1:
            raise ValueError("k_docs must be at least 1")

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
            trace.fact("vector-feedback.overlap", round(overlap(first, found), 4))
            found = Ranking(found.keys, found.scores, {**first.found_by, "vector-feedback": by_key(found)})
            found = first_of(found, k)
            return Ranking(found.keys, found.scores, found_by_of(found.found_by, found.keys))

    def _first(self, query: Query, vector: Floats, depth: int) -> Ranking:
        if self.first is not None:
            return self.first.retrieve(query, depth)
        found = self.store.nearest(vector, depth, query.where)
        return Ranking(found.keys, found.scores, {"dense": by_key(found)})

    def _moved(self, vector: Floats, first: Ranking) -> Floats:
        moved = self.a * vector + self.b * self.store.vectors(first.keys[: self.k_docs]).mean(axis=0)
        length = float(np.linalg.norm(moved))
        return np.asarray(moved / length, np.float32) if length > 0 else vector
