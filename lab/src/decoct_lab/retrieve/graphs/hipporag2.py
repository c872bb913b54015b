"""HippoRAG 2 (Gutiérrez et al., ICML 2025): facts linked to the question, a choice of those that matter, PageRank.

1. *Facts.* The cosine of the question with each fact's vector, moved onto 0 to 1; the best `facts`, equal ones once.
2. *Recognition memory.* A language model, where there is one, keeps those that help to answer; none left: dense retrieval, counted
   (`hipporag2.no_facts`). Without a model the facts that hold a name of the question, of the best `pool`, stand before all others: most
   sentences that are near a question only sound like it.
3. *Restart.* A phrase has the mean of its facts' scores divided by the number of passages that it stands in, the best `phrases` of them; a
   passage .05 × its min-max cosine. A fact of more than two names (a sentence) stands for as many triples as it has names
   beside its subject, and so many more phrases are kept.
4. *PageRank* over phrases and passages; passages in its order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.retrieve.dense import Dense
from decoct.structure.library import Structures
from decoct_lab.retrieve.graphs.nodes import Doubles, dense_scores, ranked_passages, seeds
from decoct_lab.retrieve.graphs.recognition import recognised
from decoct_lab.structure.graphs.loaded import Graph, load_graph

_PASSAGE_WEIGHT = 0.05  # the authors'


@dataclass(frozen=True, slots=True)
class HippoRAG2:
    """Ranks the passages of the structure `structure`; the other settings are those of the steps above, `least` the cosine of a name."""

    store: Store
    embedder: Embedder
    structures: Structures
    llm: LLM | None = None
    structure: str = "hipporag2"
    facts: int = 5
    pool: int = 100
    phrases: int = 5
    least: float = 0.6

    def __post_init__(self) -> None:
        if self.facts < 1 or self.pool < self.facts or self.phrases < 1:
            raise ValueError("facts and phrases are at least 1, pool at least facts")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores are shares of the walk, or cosines where no fact is left."""
        with trace.stage("hipporag2"):
            graph = self.structures.read(self.structure, load_graph)
            (vector,) = self.embedder.embed([query.text], "query")
            cosines = np.asarray(graph.statement_vectors) @ vector
            kept = self._recognised(query.text, graph, _distinct(graph, np.argsort(-cosines, kind="stable"), self.pool))
            trace.count(facts=len(kept))
            if not kept:
                trace.fallback("hipporag2.no_facts")
                return Dense(self.store, self.embedder).retrieve(query, k)
            low, high = float(cosines.min()), float(cosines.max())
            scores = {one: (float(cosines[one]) - low) / (high - low) if high > low else 1.0 for one in kept}
            restart = np.zeros(graph.names + len(graph.catalogue.keys))
            self._weigh(graph, scores, restart)
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            restart[graph.names :] = _PASSAGE_WEIGHT * dense
            share = graph.walk.rank(restart)[graph.names :]
            return ranked_passages(self.store, query, graph.catalogue, share, k=k, name="hipporag2")

    def _recognised(self, question: str, graph: Graph, pool: Sequence[int]) -> list[int]:
        """Of the facts that are nearest to the question, best first, those that matter; at most `facts`."""
        best = list(pool[: self.facts])
        if self.llm is not None and best:
            shown = [graph.catalogue.text_of(one) for one in best]
            return [best[n] for n in recognised(self.llm, question, shown)]
        asked = set(seeds(question, graph, self.embedder, self.least))
        named = [one for one in pool if asked.intersection(graph.catalogue.names_of(one).tolist())]
        return list(dict.fromkeys([*named[: self.facts], *best]))[: self.facts]

    def _weigh(self, graph: Graph, scores: dict[int, float], restart: Doubles) -> None:
        """Give the phrases of the facts their weights."""
        worth: dict[int, list[float]] = defaultdict(list)
        for fact, score in scores.items():
            for name in graph.catalogue.names_of(fact).tolist():
                worth[name].append(score / max(float(graph.catalogue.spread[name]), 1.0))
        wide = [max(len(graph.catalogue.names_of(fact)) - 1, 1) for fact in scores]
        most = round(self.phrases * sum(wide) / len(wide))
        means = {name: sum(values) / len(values) for name, values in worth.items()}
        for name in sorted(means, key=lambda name: (-means[name], name))[:most]:
            restart[name] = means[name]


def _distinct(graph: Graph, facts: NDArray[np.intp], most: int) -> list[int]:
    """The first `most` facts of different texts: what several documents say is one fact."""
    kept: dict[str, int] = {}
    for one in facts.tolist():
        if len(kept) >= most:
            break
        kept.setdefault(graph.catalogue.text_of(one), one)
    return list(kept.values())
