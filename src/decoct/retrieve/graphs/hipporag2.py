"""HippoRAG 2 (Gutiérrez et al., ICML 2025, METHODS 5.8): facts linked to the question, a model that recognises which matter, PageRank.

1. *Facts.* The cosine of the question with each fact's vector, moved onto 0 to 1; the best `facts`.
2. *Recognition memory.* A language model, where there is one (`recognise`), keeps those that help to answer; what it writes is mapped
   to the nearest fact that it was shown. None left: dense retrieval, counted (`hipporag2.no_facts`). Without a model all are kept.
3. *Restart.* A phrase has the mean of its facts' scores divided by the number of passages that it stands in, the best `phrases` of
   them; a passage `passage_weight` × its min-max cosine.
4. *PageRank* over phrases and passages; passages in its order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.retrieve.dense import Dense
from decoct.retrieve.graphs.nodes import Doubles, dense_scores, ranked_passages
from decoct.retrieve.graphs.recognition import recognised
from decoct.structure.base import Structures
from decoct.structure.graphs.loaded import Graph, load_graph


@dataclass(frozen=True, slots=True)
class HippoRAG2:
    """Ranks the passages of the structure `structure`; the other settings are those of the steps above."""

    store: Store
    embedder: Embedder
    structures: Structures
    llm: LLM | None = None
    structure: str = "hipporag2"
    facts: int = 5
    phrases: int = 5
    passage_weight: float = 0.05
    damping: float = 0.5

    def __post_init__(self) -> None:
        if self.facts < 1 or self.phrases < 1 or not 0 < self.damping < 1 or self.passage_weight < 0:
            raise ValueError("facts and phrases are at least 1, damping between 0 and 1, passage_weight not negative")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores are shares of the walk, or cosines where no fact is left."""
        with trace.stage("hipporag2"):
            graph = self.structures.read(self.structure, load_graph)
            (vector,) = self.embedder.embed([query.text], "query")
            cosines = np.asarray(graph.statement_vectors) @ vector
            best = np.argsort(-cosines, kind="stable")[: self.facts].tolist()
            kept = self._recognised(query.text, graph, best)
            trace.count(facts=len(kept))
            if not kept:
                trace.fallback("hipporag2.no_facts")
                return Dense(self.store, self.embedder).retrieve(query, k)
            low, high = float(cosines.min()), float(cosines.max())
            scores = {one: (float(cosines[one]) - low) / (high - low) if high > low else 1.0 for one in kept}
            restart = np.zeros(graph.names + len(graph.catalogue.keys))
            self._weigh(graph, scores, restart)
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            restart[graph.names :] = self.passage_weight * dense
            share = graph.walk.rank(restart, self.damping)[graph.names :]
            return ranked_passages(self.store, query, graph.catalogue, share, k=k, name="hipporag2")

    def _recognised(self, question: str, graph: Graph, facts: Sequence[int]) -> list[int]:
        if self.llm is None or not facts:
            return list(facts)
        shown = [graph.catalogue.text_of(one) for one in facts]
        return [facts[n] for n in recognised(self.llm, question, shown)]

    def _weigh(self, graph: Graph, scores: dict[int, float], restart: Doubles) -> None:
        """Give the phrases of the facts their weights."""
        worth: dict[int, list[float]] = defaultdict(list)
        for fact, score in scores.items():
            for name in graph.catalogue.names_of(fact).tolist():
                worth[name].append(score / max(float(graph.catalogue.spread[name]), 1.0))
        means = {name: sum(values) / len(values) for name, values in worth.items()}
        for name in sorted(means, key=lambda name: (-means[name], name))[: self.phrases]:
            restart[name] = means[name]
