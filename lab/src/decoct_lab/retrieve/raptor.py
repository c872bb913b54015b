"""Retrieval by RAPTOR's tree (Sarthi et al., ICLR 2024; `decoct structure build raptor`).

*Collapsed*: leaves and summaries of all layers compete by the cosine of their vectors with the question's. *Traversal*: from the highest
layer down, the best `per_layer` nodes of a layer; only their children are looked at below; what was looked at and kept counts.

For construction (`passages`) the nodes themselves are shown, best first, until the budget is full. With `nodes` and `tokens` it is the
authors' own way: at most so many nodes, none after the first that does not fit into so many tokens (theirs: 10 and 3,500), and a
traversal in the order of its layers, from the top. As a ranking of chunks, a summary stands for the best leaf below it.

Ours: at a budget a traversal is shown best first, since the order of layers would leave out the leaves. The filter of a question and
documents that are gone rule out every summary that speaks of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Draft, Floats, Hit, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.abilities import SupportsNames
from decoct.retrieve.ranking import EMPTY
from decoct.structure.library import Structures
from decoct_lab.retrieve.tree_nodes import (
    Allowed,
    allowed_nodes,
    best_first,
    chunks_of,
    distinct_rows,
    draft_of_nodes,
    while_they_fit,
)
from decoct_lab.structure.stored_tree import StoredTree, read_tree


@dataclass(frozen=True, slots=True)
class Raptor:
    """Ranks chunks, and shows nodes, by the tree `structure`."""

    store: SupportsNames
    embedder: Embedder
    tokenizer: Tokenizer
    structures: Structures
    structure: str = "raptor"
    search: Literal["collapsed", "traversal"] = "collapsed"
    per_layer: int = 10
    nodes: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        if self.per_layer < 1 or min(self.nodes, self.tokens) < 0:
            raise ValueError("per_layer at least 1; nodes and tokens at least 0 (as many as the budget holds)")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; a chunk's score is the cosine of the node that brought it."""
        with trace.stage("raptor"):
            tree = self.structures.read(self.structure, read_tree)
            if not tree.nodes:
                return EMPTY
            scores, ok = self._scores(tree, query), allowed_nodes(tree, self.store, query)
            rows = sorted(self._rows(tree, scores, ok), key=lambda row: (-scores[row], row))
            return chunks_of(tree, rows, scores, ok, k, who="raptor")

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`."""
        tree = self.structures.read(self.structure, read_tree)
        if not tree.nodes:
            return Draft(())
        scores, ok = self._scores(tree, query), allowed_nodes(tree, self.store, query)
        rows = [row for row in self._rows(tree, scores, ok) if ok.shown[row]]
        if not self.nodes:
            rows.sort(key=lambda row: (-scores[row], row))
        rows = distinct_rows(tree, rows, self.nodes or k)
        if self.tokens:
            counts = self.tokenizer.counts([tree.nodes[row].text for row in rows])
            rows = list(while_they_fit(tree, rows, counts, self.tokens))
        trace.count(summaries=sum(tree.nodes[row].layer > 0 for row in rows))
        return draft_of_nodes((tree.nodes[row], float(scores[row])) for row in rows)

    def _scores(self, tree: StoredTree, query: Query) -> Floats:
        (vector,) = self.embedder.embed([query.text], "query")
        return np.asarray(tree.vectors @ vector, np.float32)

    def _rows(self, tree: StoredTree, scores: Floats, ok: Allowed) -> list[int]:
        if self.search == "collapsed":
            return best_first(scores, ok.shown)
        found: list[int] = []
        at = {row for row, node in enumerate(tree.nodes) if node.layer == tree.layers and ok.open[row]}
        while at:
            mask = np.zeros(len(tree.nodes), bool)
            mask[list(at)] = True
            best = best_first(scores, mask)[: self.per_layer]
            found += [row for row in best if row not in found]
            at = {tree.row_of[child] for row in best for child in tree.nodes[row].children}
            at = {row for row in at if ok.open[row]}
        return found
