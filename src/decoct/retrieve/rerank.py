"""Reranking: a scorer that reads question and text together judges the best chunks of a retriever again.

The final score of the best `depth` chunks is `weight * min-max(scorer) + (1 - weight) * min-max(retriever)`, both scaled over these
chunks. With `weight` 1 the scorer decides alone; less keeps what the retriever knows and the scorer cannot see, such as that a passage is
named by another that answers the first half of the question. Chunks beyond `depth` follow in their old order.

With `head`, that score decides the first `head` places alone, and behind them a chunk of the `depth` stands by the better of its two
places, by that score and by the retriever, whose places count for more (`STRETCH`; ties are the retriever's): a second step that the
scorer finds irrelevant to the question as a whole keeps about the place that it had, and what the scorer finds best still comes up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Query, Ranking
from decoct.index.base import Store
from decoct.retrieve.base import Retriever, Scorer
from decoct.retrieve.ranking import better_places, dealt, first_of, min_max, places, ranked, under

STRETCH = 1.5
"""Behind the head a place by the score counts as so many times as far back as one by the retriever."""


@dataclass(frozen=True, slots=True)
class Rerank:
    """Reorders the best `depth` chunks of `retriever` by `scorer`, which reads title, headings above and text."""

    retriever: Retriever
    scorer: Scorer
    store: Store
    depth: int = 50
    weight: float = 1.0
    head: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise ValueError("weight is the scorer's share of the final score, from 0 to 1")
        if self.depth < 1:
            raise ValueError("depth must be at least 1")
        if self.head is not None and self.head < 1:
            raise ValueError("head must be at least 1, or left out")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` also has the scorer's own scores ("rerank")."""
        with trace.stage("rerank"):
            found = self.retriever.retrieve(query, max(k, self.depth))
            head = found.keys[: self.depth]
            chunks = self.store.chunks(head)
            if not chunks:
                return first_of(found, k)
            texts = ["\n".join(part for part in (c.title, c.place, c.text) if part) for c in chunks]
            judged = _finite(self.scorer.score(query.text, texts))
            trace.count(scored=len(texts))
            # Chunks deleted since they were found are judged by nobody and go to the end of the head.
            given = {chunk.key: score for chunk, score in zip(chunks, judged.tolist(), strict=True)}
            lowest = float(judged.min())
            by_scorer = min_max(np.array([given.get(key, lowest) for key in head.tolist()], np.float32))
            mixed = self.weight * by_scorer + (1 - self.weight) * min_max(found.scores[: self.depth])
            if self.head is not None:
                by_mixture = places(head, mixed)
                place = better_places(by_mixture, np.arange(len(head)), self.head, STRETCH)
                mixed = dealt(mixed, np.argsort(place, kind="stable"))
            scores = np.concatenate([mixed, under(found.scores[self.depth :])])
            return ranked(found.keys, scores, k, {**found.found_by, "rerank": given})


def _finite(scores: Floats) -> Floats:
    """The scores with the lowest one in the place of what is no number, since one infinity would flatten all others."""
    number = np.isfinite(scores)
    if number.all():
        return np.asarray(scores, np.float32)
    trace.fallback("rerank.not_a_number", int((~number).sum()))
    lowest = scores[number].min() if number.any() else 0.0
    return np.where(number, scores, lowest).astype(np.float32)
