"""PropRAG (Wang and Han, EMNLP 2025): beam search over paths of propositions, PageRank over passages.

What the paper leaves open is settled by the authors' code:

1. *Wide.* The best `beam` propositions by cosine begin paths; a path goes on to propositions that share a name with its last one (or a
   name that means the same), or to one of the best three of all. Paths are ranked by the cosine of the question with the mean of their
   propositions' vectors, the best `reread` of them again by the vector of their texts one after another; the best `beam` go on, up to
   `length` propositions. The names of the best 20 paths (at most 40) restart at 1, passages at .05 × min-max cosine:
   PageRank with a damping of .75.
2. *Narrow.* The same search among the propositions of the best `focus` passages. The best five names of its best five paths, and of the
   paths it began with, restart with their best path's score, moved onto 0 to 1; PageRank with a damping of .45 on the part of the graph
   that these passages and their names are. Its order comes first, then that of the first stage.

The propositions of the whole library are only compared once a question; a path's second reading embeds up to `reread` texts a step,
which is most of the time. `reread = 0` leaves it out.
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
from decoct_lab.retrieve.graphs.beam import Beam, Path, best_names
from decoct_lab.retrieve.graphs.nodes import Doubles, Rows, dense_scores, ranked_passages
from decoct_lab.structure.graphs.loaded import Graph, load_graph
from decoct_lab.structure.graphs.pagerank import walk

_WIDE_PATHS, _WIDE_NAMES = 20, 40
_PATHS, _NAMES = 5, 5
_PASSAGE_WEIGHT = 0.05
_WIDE_DAMPING, _DAMPING = 0.75, 0.45


@dataclass(frozen=True, slots=True)
class PropRAG:
    """Ranks the passages of the structure `structure`; the other settings are those of the steps above."""

    store: Store
    embedder: Embedder
    structures: Structures
    structure: str = "proprag"
    beam: int = 4
    length: int = 3
    reread: int = 40
    focus: int = 50

    def __post_init__(self) -> None:
        if min(self.beam, self.length, self.focus) < 1 or self.reread < 0:
            raise ValueError("beam, length and focus are at least 1, reread not negative")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores are shares of the walk (those outside the focus below all others)."""
        with trace.stage("proprag"):
            graph = self.structures.read(self.structure, load_graph)
            (vector,) = self.embedder.embed([query.text], "query")
            cosines = np.asarray(graph.statement_vectors) @ vector
            if not len(cosines):
                trace.fallback("proprag.no_propositions")
                return Dense(self.store, self.embedder).retrieve(query, k)
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            search = Beam(graph, self.embedder, vector, cosines, self.beam, self.length, self.reread)
            wide = self._wide(graph, search.paths(None), dense)
            order = np.lexsort((graph.catalogue.keys, -wide))
            focus = np.sort(order[: self.focus])
            narrow = self._narrow(graph, search, focus, dense)
            scores = wide * (0.5 * narrow.min() / max(float(wide.max()), 1e-12))
            scores[focus] = narrow
            return ranked_passages(self.store, query, graph.catalogue, scores, k=k, name="proprag")

    def _wide(self, graph: Graph, paths: list[Path], dense: Floats) -> Doubles:
        restart = np.zeros(graph.names + len(graph.catalogue.keys))
        for name, _ in best_names(graph, paths[:_WIDE_PATHS])[:_WIDE_NAMES]:
            restart[name] = 1
        restart[graph.names :] = _PASSAGE_WEIGHT * dense
        return graph.walk.rank(restart, _WIDE_DAMPING)[graph.names :]

    def _narrow(self, graph: Graph, search: Beam, focus: Rows, dense: Floats) -> Doubles:
        """The share of each of the passages `focus`, by the walk among them and their names."""
        near = np.isin(graph.catalogue.statements[:, 0], focus)
        paths = search.paths(np.flatnonzero(near))
        names = np.unique(graph.catalogue.passage_names[focus].indices)
        nodes = np.concatenate([names, focus + graph.names])
        weights = np.zeros(len(names))
        for some in (paths[:_PATHS], [path for path in paths if len(path.statements) == 1][: self.beam]):
            own = np.zeros(len(names))
            for name, scores in best_names(graph, some)[:_NAMES]:
                if (at := int(np.searchsorted(names, name))) < len(names) and names[at] == name:
                    own[at] = max(scores)
            weights = np.maximum(weights, _scaled(own))
        restart = np.concatenate([weights, _PASSAGE_WEIGHT * dense[focus]])
        if restart.sum() <= 0:
            restart[len(names) :] = 1
        part = graph.adjacency[nodes][:, nodes]
        return walk(part).rank(restart, _DAMPING)[len(names) :]


def _scaled(weights: Doubles) -> Doubles:
    """Moved onto 0 to 1 as the authors' code does it, where the least of all nodes is 0; all zero where nothing weighs."""
    most = weights.max(initial=0.0)
    return weights / most if most > 0 else weights
