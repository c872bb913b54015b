"""Dense retrieval with the vectors of sentences beside those of chunks (`decoct structure build sentences`).

    score(c) = (1 - share) * cosine(c) + share * max over the sentences s of c of cosine(s)

A chunk of 150 tokens says several things and its one vector is their mean; the sentence that answers is nearer to the question than its
chunk is. Sentences alone miss what only the chunk makes clear ("It was opened in 1906."). Passages by their best sentence are old (Callan,
SIGIR 1994, "Passage-level evidence in document retrieval"); the equal shares are ours.

Exact: every sentence is compared with every question. A chunk without a sentence of its own counts by its cosine alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.retrieve.ranking import EMPTY, by_key, ranked
from decoct.structure.library import Structures
from decoct_lab.structure.sentences import read_sentences

# More chunks than a library in a folder has: all that are there and pass the filter, each with its exact cosine.
_EVERY = 1 << 30


@dataclass(frozen=True, slots=True)
class NearestSentences:
    """Ranks chunks by the formula above, with the sentences of `structure`; `share` is what the best one counts."""

    store: Store
    embedder: Embedder
    structures: Structures
    structure: str = "sentences"
    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError("share is the best sentence's share of the score, from 0 to 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` chunks that the library still has; scores are the mixed cosines."""
        with trace.stage("sentences"):
            known = self.structures.read(self.structure, read_sentences)
            if not len(known.keys):
                return EMPTY
            with trace.stage("embed"):
                (vector,) = self.embedder.embed([query.text], "query")
            there = self.store.nearest(vector, _EVERY, query.where)
            rows = np.searchsorted(known.keys, there.keys).clip(max=len(known.keys) - 1)
            old = known.keys[rows] == there.keys  # chunks that are newer than the structure are left out
            rows, own = rows[old], there.scores[old]
            best = known.best(vector)[rows]
            best = np.where(np.isfinite(best), best, own)
            found = ranked(known.keys[rows], (1 - self.share) * own + self.share * best, k, {})
            trace.count(hits=len(found), compared=len(known.vectors.rows))
            return Ranking(found.keys, found.scores, {"sentences": by_key(found)})
