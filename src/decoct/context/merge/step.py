"""MergeRAG: merge retrieved passages, seen from the question, until they fit the budget.

Guo et al. 2026, "Rethinking Retrieval-Augmentation as Synthesis: A Query-Aware Context Merging Approach" (arXiv 2603.20286). While
the passages are over the budget and more than one: choose pairs (`decoct.context.merge.pairing`), merge each by the operator M (a
`Fuser`), score what came out again. Sequential: one pair a turn (Algorithms 1, 2). Hierarchical: all disjoint pairs of a layer at once,
the budget looked at between layers only (Algorithms 3, 4); depth <= ceil(log2 n).

Kept: all of that. Every point the paper leaves open is a field, its default as docs/methods.md has it (no other is an option):

- `n` passages are merged, the best of the ranking; lower ones are not seen.
- `concurrency` (B) pairs are handed to the fuser at once. Results stand by pair, so neither B nor the order of completion changes anything.
- `rescore`: merged passages are scored by the scorer again; `max`, `mean`, `len_weighted` take it from the parts. Without a scorer the
  ranking's own scores count, and a merged passage has the better one's.
- `pair_order`: in symmetric merging the better passage stands first in the prompt and the text.
- `order` of the merged passages in the context: `score_desc`, `score_asc`, `document`, `sides` (as the step `order` has them).
- `grow_policy`: a merged text that is not shorter than its parts together is replaced by `fallback`'s (extractive), cut to that length;
  `cut` cuts the grown text itself.
- Nothing relevant: symmetric merging drops both, asymmetric keeps the anchor as it is; the last passages are never all dropped. A
  fuser that is told its room (`extract`) says so itself when an anchor stays: what it leaves out is dropped.
- `overflow`: one passage left and still too long is cut by sentences, the least relevant first (`trim`), or handed on as it is
  (`paper`; the assembly then cuts its end, since the budget is hard).
- `layer_mode="just_enough"` (ours) makes only as many pairs as are probably needed, by the mean shrinking seen so far.

Ours: neighbours of one document are one passage first (windows that overlap would otherwise be merged with their own text); the scorer and
the affinity read titles too; the budget is measured on the rendered text, titles and numbers included; every merged text that our fusers
make is a quote with exact spans, so provenance survives all layers; a record a pair goes into the note "merges". Passages that a model has
already rewritten cannot be quoted, so they are not merged: they follow the merged ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Affinity, Fuser, Layout
from decoct.context.layouts import Numbered
from decoct.context.merge.affinity_cache_lm import CacheLM
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.nodes import leaves
from decoct.context.merge.tree import Tree
from decoct.context.order import Order
from decoct.data import Draft, Passage, Query
from decoct.errors import ConfigError
from decoct.retrieve.base import Scorer


@dataclass(frozen=True, slots=True)
class Merge:
    """Merges passages until they fit; see the module for the fields."""

    fuser: Fuser
    strategy: Literal["symmetric", "asymmetric"] = "symmetric"
    scorer: Scorer | None = None
    affinity: Affinity = field(default_factory=CacheLM)
    schedule: Literal["hierarchical", "sequential"] = "hierarchical"
    layer_mode: Literal["full", "just_enough"] = "full"
    n: int = 20
    concurrency: int = 8
    rescore: Literal["scorer", "max", "mean", "len_weighted"] = "scorer"
    pair_order: Literal["score_desc", "score_asc"] = "score_desc"
    order: Literal["score_desc", "score_asc", "document", "sides"] = "score_desc"
    grow_policy: Literal["fallback_extract", "cut"] = "fallback_extract"
    overflow: Literal["trim", "paper"] = "trim"
    fallback: Fuser = field(default_factory=Extract)
    layout: Layout = field(default_factory=Numbered)

    def __post_init__(self) -> None:
        if self.n < 1 or self.concurrency < 1:
            raise ConfigError("merge: n and concurrency must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The merged passages in the order asked for, and a record of each merge in the note "merges"."""
        taken = draft.passages[: self.n]
        aside = tuple(passage for passage in taken if passage.kind == "rewrite")
        if aside:
            trace.fallback("merge.rewritten", len(aside))
        tree = Tree(self, query.text, budget, aside)
        nodes = tree.grow(leaves([p for p in taken if p.kind == "quote"], budget))
        trace.count(merges=len(tree.records), merge_layers=tree.layer)
        passages = self._ordered(query, tuple(node.passage for node in nodes), budget)
        notes = {**draft.notes, "merges": (*draft.notes.get("merges", ()), *tree.records)}
        return replace(draft, passages=passages + aside, notes=notes)

    def _ordered(self, query: Query, best_first: tuple[Passage, ...], budget: Budget) -> tuple[Passage, ...]:
        if self.order == "score_desc" or len(best_first) < 2:
            return best_first
        if self.order == "score_asc":
            return best_first[::-1]
        return Order(self.order, self.layout).apply(query, Draft(best_first), budget).passages
