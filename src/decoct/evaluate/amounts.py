"""Budgets as an evaluation names them: tokens (`900`), or average chunks (`5x`, as in MergeRAG: five times the mean length of those found).

A budget in chunks is another number of tokens for each question; rows keep the name, so that they can be compared, and the limit that
it was (`cost["limit"]`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from decoct.budget import budget_of
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError, ConfigError, EvaluationError

Amount: TypeAlias = int | str


def amounts(text: str, option: str) -> tuple[Amount, ...]:
    """Budgets by commas, as in `1x,900`; `ConfigError` names what is none."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ConfigError(f"{option}: expected tokens or average chunks by commas, as in 900,1800 or 1x,5x")
    return tuple(_amount(part, option) for part in parts)


def checked_amounts(asked: Iterable[Amount]) -> tuple[Amount, ...]:
    """Each budget once, in order; `EvaluationError` where there is none or one holds nothing."""
    found = sorted(set(asked), key=in_order)
    if not found or any(isinstance(one, int) and one < 1 for one in found):
        raise EvaluationError(
            "--budgets takes numbers of tokens, as in 900,1800,5400, or of average chunks, as in 1x,5x"
        )
    return tuple(found)


def in_order(amount: Amount) -> tuple[bool, float]:
    """A key to sort by: tokens by number, then chunks by number."""
    return (False, amount) if isinstance(amount, int) else (True, float(amount.removesuffix("x")))


def amount_text(amount: Amount) -> str:
    """As people read it: 5,400 or 5x."""
    return f"{amount:,}" if isinstance(amount, int) else amount


def _amount(part: str, option: str) -> Amount:
    try:
        asked = budget_of(part, default_tokenizer())
    except (ConfigError, BudgetError) as error:
        raise ConfigError(f"{option}: {error}") from error
    return asked.limit if hasattr(asked, "limit") else f"{asked.chunks:g}x"
