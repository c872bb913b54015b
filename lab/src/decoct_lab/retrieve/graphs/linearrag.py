"""LinearRAG (Zhuang et al., ICLR 2026): names activated sentence by sentence, passages by PageRank.

1. *Seeds.* The names of the question, each with how surely it is a name of the graph (`nodes.seeds`). None: dense retrieval, counted
   (`linearrag.no_names`).
2. *Spreading*, up to `rounds` - 1 times as the authors' code counts: an active name (score at least `threshold`) takes its best
   `sentences` not yet used by cosine with the question; each name of such a sentence gets score × cosine where that is at least
   `threshold`, and scores add up.
3. *Passages.* weight = .05 × (1.5 × min-max cosine + ln(1 + sum over active names of score × ln(1 + times it
   stands there) / round)).
4. *PageRank* with names' scores and passages' weights as restart; passages in its order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.retrieve.dense import Dense
from decoct.structure.library import Structures
from decoct_lab.retrieve.graphs.nodes import dense_scores, ranked_passages, seeds
from decoct_lab.structure.graphs.loaded import Graph, load_graph

# The authors'.
_PASSAGE_WEIGHT = 0.05
_DENSE_RATIO = 1.5


@dataclass(frozen=True, slots=True)
class LinearRAG:
    """Ranks the passages of the structure `structure`; the other settings are those of the formulas above, `least` the cosine of a seed."""

    store: Store
    embedder: Embedder
    structures: Structures
    structure: str = "linearrag"
    rounds: int = 3
    threshold: float = 0.5
    sentences: int = 1
    least: float = 0.6

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.sentences < 1 or self.threshold <= 0:
            raise ValueError("rounds and sentences are at least 1, threshold above 0")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores are shares of the walk, or cosines where the question names nothing."""
        with trace.stage("linearrag"):
            graph = self.structures.read(self.structure, load_graph)
            (vector,) = self.embedder.embed([query.text], "query")
            found = seeds(query.text, graph, self.embedder, self.least)
            if not found:
                trace.fallback("linearrag.no_names")
                return Dense(self.store, self.embedder).retrieve(query, k)
            active = self._activated(graph, vector, found)
            trace.count(names=len(active))
            restart = np.zeros(graph.names + len(graph.catalogue.keys))
            bonus = np.zeros(len(graph.catalogue.keys))
            for name, (score, tier) in active.items():
                restart[name] = score
                row = graph.holders[name]
                bonus[row.indices] += score * np.log1p(row.data) / tier
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            restart[graph.names :] = _PASSAGE_WEIGHT * (_DENSE_RATIO * dense + np.log1p(bonus))
            scores = graph.walk.rank(restart)[graph.names :]
            return ranked_passages(self.store, query, graph.catalogue, scores, k=k, name="linearrag")

    def _activated(self, graph: Graph, vector: Floats, found: dict[int, float]) -> dict[int, tuple[float, int]]:
        """Each active name's score and the round in which it was reached, from 1."""
        active = {name: (score, 1) for name, score in sorted(found.items())}
        current, used = dict(active), set[int]()
        for tier in range(2, self.rounds + 1):
            reached: dict[int, tuple[float, int]] = {}
            for name, (score, _) in current.items():
                if score < self.threshold:
                    continue
                fresh = [one for one in graph.catalogue.name_statements[name].indices.tolist() if one not in used]
                if not fresh:
                    continue
                cosines = np.asarray(graph.statement_vectors[fresh]) @ vector
                for best in np.argsort(-cosines, kind="stable")[: self.sentences].tolist():
                    used.add(fresh[best])
                    passed = score * float(cosines[best])
                    if passed < self.threshold:
                        continue
                    for other in graph.catalogue.names_of(fresh[best]).tolist():
                        reached[other] = (reached.get(other, (0.0, tier))[0] + passed, tier)
            for name, (score, _) in reached.items():
                before, first = active.get(name, (0.0, tier))
                active[name] = (before + score, first)
            current = reached
        return active
