"""One step for small budgets, another for large ones.

What is best in 150 tokens is not what is best in 900: sentences of many passages hold more evidence than the first passage and a half,
and where everything fits, whole passages read better and lose nothing (lab/docs/context.md gives the figures that `tokens` was chosen by).
"""

from __future__ import annotations

from dataclasses import dataclass

from decoct.budget import Budget
from decoct.context.base import ContextStep
from decoct.data import Draft, Query
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
