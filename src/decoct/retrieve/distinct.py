"""Variety in a ranking: chunks that say again what a better one has said go down.

Walking from the best chunk on, a chunk is put behind the others if it overlaps one already kept, of the same document, by at least
`overlap` of the shorter one's characters. Nothing is dropped: among the best `depth`, those that were put behind follow in their old order,
and then comes what stood deeper. With windows that overlap by half, neighbours otherwise fill a short ranking with every sentence twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Keys, Query, Ranking, Span
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import first_of


@dataclass(frozen=True, slots=True)
class Distinct:
    """Puts repetitions among the best `depth` chunks of `retriever` behind the rest of them."""

    retriever: Retriever
    store: Store
    overlap: float = 0.5
    depth: int = 100

    def __post_init__(self) -> None:
        if not 0 < self.overlap <= 1:
            raise ValueError("overlap is a share of a chunk's characters, above 0 and at most 1")
        if self.depth < 1:
            raise ValueError("depth must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; those that were put behind have scores below the lowest of the others."""
        with trace.stage("distinct"):
            found = self.retriever.retrieve(query, max(k, self.depth))
            again = self._repeating(found.keys[: self.depth])
            trace.count(moved=int(again.sum()))
            return first_of(_moved(found, again), k)

    def _repeating(self, keys: Keys) -> NDArray[np.bool_]:
        """Which of `keys` repeat one before them."""
        spans = {chunk.key: chunk.span for chunk in self.store.chunks(keys)}
        kept: dict[str, list[Span]] = {}
        again = np.zeros(len(keys), bool)
        for row, key in enumerate(keys.tolist()):
            if (span := spans.get(key)) is None:
                continue
            before = kept.setdefault(span.doc_id, [])
            again[row] = any(_overlap(span, other) >= self.overlap for other in before)
            if not again[row]:
                before.append(span)
        return again


def _moved(found: Ranking, again: NDArray[np.bool_]) -> Ranking:
    """`found` with those of its first that say things `again` behind the others of its first, and scores that fall along it."""
    if not again.any():
        return found
    head, deeper = found.scores[: len(again)], found.scores[len(again) :]
    stay, below = head[~again], head[again]
    below = below - below[0] + stay[-1] - 1
    deeper = deeper - deeper[:1] + below[-1] - 1
    order = np.argsort(again, kind="stable")
    keys = np.concatenate([found.keys[: len(again)][order], found.keys[len(again) :]])
    return Ranking(keys, np.concatenate([stay, below, deeper]), found.found_by)


def _overlap(a: Span, b: Span) -> float:
    """Shared characters of two spans of one document, as a share of the shorter."""
    shared = min(a.end, b.end) - max(a.start, b.start)
    return max(shared, 0) / min(a.end - a.start, b.end - b.start)
