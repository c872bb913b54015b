"""RM3: pseudo-relevance feedback for BM25 (relevance model 3; Lavrenko and Croft, SIGIR 2001; Abdul-Jaleel et al., TREC 2004).

1. BM25 finds `k_docs` chunks d for the question q. Each counts by its share of their scores: P(d|q) = score(d) / sum of the scores.
2. The relevance model is P(w|R) = sum over d of P(d|q) * count(w, d) / words in d; its `m` likeliest words are kept and scaled to sum to 1.
3. The new question is a mixture of words, `(1 - weight) * P(w|q) + weight * P(w|R)`, and BM25 is summed over its words by these weights.

Step 3 needs no weighted query of the store: BM25 is a sum over words, so one search a word gives exact addends. A chunk that is not among
the `depth` best of a word gets nothing for it, which can only touch words that very many chunks have, and these weigh little.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Query, Ranking
from decoct.index.base import Store
from decoct.retrieve.ranking import by_key, continued, first_of, ranked
from decoct.text.words import terms


@dataclass(frozen=True, slots=True)
class RM3:
    """BM25 with the question enriched by words of the chunks it finds. `k_docs` 10, `m` 10 and `weight` .5 are the literature's."""

    store: Store
    k_docs: int = 10
    m: int = 10
    weight: float = 0.5
    depth: int = 1000

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise ValueError("weight is the share of the feedback, from 0 to 1")
        if min(self.k_docs, self.m, self.depth) < 1:
            raise ValueError("k_docs, m and depth must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` has the scores of BM25 alone and of the enriched question ("rm3")."""
        with trace.stage("rm3"):
            every = self.store.lexical(query.text, max(k, self.depth), query.where)
            first = first_of(every, self.depth)
            model = self._model(first)
            trace.fact("rm3.terms", {word: round(share, 4) for word, share in model.items()})
            asked = max(len(terms(query.text)), 1)
            scores = {key: (1 - self.weight) * score / asked for key, score in by_key(first).items()}
            for word, share in model.items():
                found = self.store.lexical(word, self.depth, query.where)
                for key, score in by_key(found).items():
                    scores[key] = scores.get(key, 0.0) + self.weight * share * score
            keys, values = np.array([*scores], np.int64), np.array([*scores.values()], np.float32)
            told = {"bm25": by_key(every), "rm3": scores}
            return continued(ranked(keys, values, k, told), [every], self.depth, k, told)

    def _model(self, first: Ranking) -> dict[str, float]:
        chunks = {chunk.key: chunk for chunk in self.store.chunks(first.keys[: self.k_docs])}
        shares: defaultdict[str, float] = defaultdict(float)
        for key, score in by_key(first).items():
            if key in chunks:
                words = terms(f"{chunks[key].title}\n{chunks[key].text}")
                for word, count in Counter(words).items():
                    shares[word] += score * count / len(words)
        best = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[: self.m]
        total = sum(share for _, share in best)
        return {word: share / total for word, share in best}
