"""Maximal marginal relevance: each next chunk is near the question and far from those already taken (Carbonell and Goldstein, SIGIR 1998).

Of the best `fetch` chunks of `retriever`, by vectors:

    next = argmax  balance · q · c  -  (1 - balance) · max over taken t of  t · c

What stood deeper follows. `fetch` 20 and `balance` one half are the usual numbers of libraries, and what their users set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Keys, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import continued, first_of


@dataclass(frozen=True, slots=True)
class MMR:
    """Reorders the first `fetch` chunks of `retriever`; scores fall evenly from 1, since marginal relevance does not."""

    retriever: Retriever
    store: Store
    embedder: Embedder
    fetch: int = 20
    balance: float = 0.5

    def __post_init__(self) -> None:
        if self.fetch < 1 or not 0 <= self.balance <= 1:
            raise ValueError("fetch at least 1, balance from 0 (only variety) to 1 (only relevance)")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks."""
        with trace.stage("mmr"):
            found = self.retriever.retrieve(query, max(k, self.fetch))
            head = found.keys[: self.fetch]
            if not len(head):
                return first_of(found, k)
            (vector,) = self.embedder.embed([query.text], "query")
            order = marginal(self.store.vectors(head), vector, self.balance)
            scores = np.linspace(1, 0, len(head), endpoint=False, dtype=np.float32)
            return continued(Ranking(head[order], scores, found.found_by), [found], self.fetch, k, found.found_by)


def marginal(vectors: Floats, question: Floats, balance: float) -> Keys:
    """The rows of `vectors` in the order of maximal marginal relevance, ties by row."""
    # Rounded, so that equal chunks are equal whatever the order of summation.
    near = np.round(vectors @ question, 6)
    alike = np.round(vectors @ vectors.T, 6)
    left = np.ones(len(vectors), bool)
    closest = np.full(len(vectors), -1.0)
    order = np.zeros(len(vectors), np.int64)
    for place in range(len(vectors)):
        worth = near if place == 0 else balance * near - (1 - balance) * closest
        order[place] = int(np.argmax(np.where(left, worth, -np.inf)))
        left[order[place]] = False
        closest = np.maximum(closest, alike[order[place]])
    return order
