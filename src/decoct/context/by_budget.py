"""One step for small budgets, another for large ones.

What is best in 150 tokens is not what is best in 900: sentences of many passages hold more evidence than the first passage and a half,
and where everything fits, whole passages read better and lose nothing (docs/context.md gives the figures that `tokens` was chosen by).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from decoct import trace
from decoct.budget import Budget
from decoct.context.assemble import fit
from decoct.context.base import ContextStep, Layout
from decoct.context.layouts import Numbered
from decoct.data import Draft, Query
from decoct.errors import BudgetError, ConfigError


@dataclass(frozen=True, slots=True)
class ByBudget:
    """`small` for budgets below `tokens`, `large` from there on.

    Where nothing that `small` kept fits (one passage is left, and its title alone is over the budget), `large` chooses from all of them,
    and the trace counts `by-budget.nothing_fits`.
    """

    small: ContextStep
    large: ContextStep
    tokens: int = 500
    layout: Layout = field(default_factory=Numbered)

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise ConfigError("by-budget: tokens must be at least 1")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """What the step for this budget makes of the draft."""
        if budget.limit >= self.tokens:
            return self.large.apply(query, draft, budget)
        made = self.small.apply(query, draft, budget)
        try:
            fit(made, budget, self.layout)
        except BudgetError:
            trace.fallback("by-budget.nothing_fits")
            return self.large.apply(query, draft, budget)
        return made
