"""One step for small budgets, another for large ones.

What is best in 150 tokens is not what is best in 900: sentences of many passages hold more evidence than the first passage and a half,
and where everything fits, whole passages read better and lose nothing (lab/docs/context.md gives the figures that `tokens` was chosen by).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from decoct.budget import Budget
from decoct.context.assemble import fit
from decoct.context.base import ContextStep, Layout
from decoct.context.layouts import Numbered
from decoct.data import Draft, Passage, Query
from decoct.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ByBudget:
    """`small` for budgets below `tokens`, `large` from there on."""

    small: ContextStep
    large: ContextStep
    tokens: int = 500

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise ConfigError("by-budget: tokens must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """What the step for this budget makes of the draft."""
        step = self.small if budget.limit < self.tokens else self.large
        return step.apply(query, draft, budget)


# The order in which the reader meets the passages. Without this step it is the order of the ranking.
#
# - `score`: best score first (stable), for steps that changed the scores.
# - `document`: the original order inside each document, documents by their best passage. DOS RAG (Laitenberger, Manning, Liu 2025,
#   "Stronger Baselines for Retrieval-Augmented Generation with Long-Context Language Models") restores the retrieved chunks of a
#   long document to their order in it; over many documents there is no original order among them, so the ranking decides.
# - `sides`: the best at both ends, the weakest in the middle (Liu et al. 2024, "Lost in the Middle"): ranks 1, 3, 5 … 6, 4, 2.
#
# The last two separate place from rank, so the passages that the budget has room for are chosen first, in ranking order (`fit`): otherwise
# the cut at the end would take good passages for bad ones.
@dataclass(frozen=True, slots=True)
class Order:
    """Puts the passages `by` score, document order, or best at both sides; `layout` is what the budget is counted on."""

    by: Literal["score", "document", "sides"] = "document"
    layout: Layout = field(default_factory=Numbered)

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The passages that fit, in the new order."""
        if self.by != "score":
            draft = fit(draft, budget, self.layout)
        return replace(draft, passages=_ORDERS[self.by](draft.passages))


def _by_document(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(passages):
        ranks.setdefault(passage.support[0].doc_id, rank)
    return tuple(sorted(passages, key=lambda passage: (ranks[passage.support[0].doc_id], passage.support[0])))


_ORDERS: Mapping[str, Callable[[tuple[Passage, ...]], tuple[Passage, ...]]] = {
    "score": lambda passages: tuple(sorted(passages, key=lambda passage: -passage.score)),
    "document": _by_document,
    "sides": lambda passages: passages[::2] + passages[1::2][::-1],
}
