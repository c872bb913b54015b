"""Retrieval by trees of sections, both ways (after TreeRAG, Tao et al., Findings of ACL 2025; `decoct structure build treerag`).

1. All nodes, chunks and sections, by the cosine of their vectors with the question's; the best are the hits.
2. *Leaf to root*: from a hit up while the mean cosine of all leaves below the next node is at least `tau` of the hit's, at most `up` steps.
3. *Root to leaves*: of the node reached, all leaves whose cosine is at least `delta` of the hit's; every leaf where it has at most `small`.

The leaves of a hit come together, in the order of their document, hit after hit (`hits` of them, 0: as many as there are); each
is shown with its path as its title. The paper's text is not public: all numbers are settled by us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Draft, Floats, Hit, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.abilities import SupportsNames
from decoct.retrieve.ranking import EMPTY, ranked
from decoct.structure.library import Structures
from decoct_lab.retrieve.tree_nodes import Allowed, allowed_nodes, best_first, distinct_rows, draft_of_nodes
from decoct_lab.structure.stored_tree import StoredTree, read_tree


@dataclass(frozen=True, slots=True)
class TreeRAG:
    """Ranks chunks by walking the trees of `structure` up and down from its best nodes."""

    store: SupportsNames
    embedder: Embedder
    structures: Structures
    structure: str = "treerag"
    hits: int = 0
    up: int = 2
    tau: float = 0.6
    delta: float = 0.6
    small: int = 4

    def __post_init__(self) -> None:
        if min(self.hits, self.up, self.small) < 0 or not 0 < self.tau <= 1 or not 0 < self.delta <= 1:
            raise ValueError("hits, up and small at least 0; tau and delta above 0 and at most 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; a chunk's score is the cosine of the hit that brought it."""
        with trace.stage("treerag"):
            tree = self.structures.read(self.structure, read_tree)
            if not tree.nodes:
                return EMPTY
            (vector,) = self.embedder.embed([query.text], "query")
            scores, ok = np.asarray(tree.vectors @ vector, np.float32), allowed_nodes(tree, self.store, query)
            found: dict[int, float] = {}
            least = -np.inf
            for hit in best_first(scores, ok.shown)[: self.hits or None]:
                if len(found) >= k and scores[hit] < least:
                    break
                for leaf in self._leaves(tree, hit, scores, ok):
                    key = tree.nodes[leaf].chunks[0]
                    if key not in found:
                        found[key] = least = float(scores[hit])
            keys = np.array(list(found), np.int64)
            return ranked(keys, np.array(list(found.values()), np.float32), k, {"treerag": found})

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`: the chunks with their paths."""
        tree = self.structures.read(self.structure, read_tree)
        row_of = {node.chunks[0]: row for row, node in enumerate(tree.nodes) if node.layer == 0}
        scores = {row_of[hit.chunk.key]: hit.score for hit in hits if hit.chunk.key in row_of}
        return draft_of_nodes((tree.nodes[row], scores[row]) for row in distinct_rows(tree, scores, k))

    def _leaves(self, tree: StoredTree, hit: int, scores: Floats, ok: Allowed) -> Iterator[int]:
        """The rows of the leaves that a hit brings."""
        top, least = hit, self.tau * scores[hit]
        for _ in range(self.up):
            above = tree.parents[top]
            if not above or scores[tree.below[above[0]]].mean() < least:
                break
            top = above[0]
        below = np.sort(tree.below[top])
        whole = len(below) <= self.small
        for row in below.tolist():
            if ok.shown[row] and (whole or scores[row] >= self.delta * scores[hit]):
                yield row
