from __future__ import annotations

from typing import Any

import pytest
from word_tokenizer import Words

from decoct.budget import Budget, BudgetInChunks, budget_of
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import BudgetError, ConfigError

WORDS = Words()


def test_tokens_may_be_a_number_or_its_digits() -> None:
    assert budget_of(12, WORDS) == budget_of(" 12 ", WORDS) == Budget(12, WORDS)


@pytest.mark.parametrize(("asked", "limit"), [("5x", 13), ("1.5X", 4), ("1 ×", 3), ("0.1x", 1)])
def test_chunks_are_the_mean_of_those_found_rounded_up(asked: str, limit: int) -> None:
    budget = budget_of(asked, WORDS)
    assert isinstance(budget, BudgetInChunks)
    assert budget.over(["a b", "a b c"]).limit == limit  # the mean is 2.5


def test_nothing_found_leaves_the_least_budget() -> None:
    assert BudgetInChunks(5, WORDS).over([]).limit == 1


@pytest.mark.parametrize("asked", ["", "x", "5y", "five", "0x", "-5x", "5x5", "9" * 19, "9" * 5000, "9" * 400 + "x"])
def test_what_is_no_budget_says_what_is(asked: str) -> None:
    with pytest.raises(ConfigError, match="5x"):
        budget_of(asked, WORDS)


@pytest.mark.parametrize("asked", [0, "0", "-3"])
def test_no_tokens_hold_nothing(asked: int | str) -> None:
    with pytest.raises(BudgetError):
        budget_of(asked, WORDS)


@pytest.mark.parametrize("asked", [True, 1.5, None, "many"])
def test_what_is_no_budget_is_a_config_error(asked: Any) -> None:
    with pytest.raises(ConfigError, match="give a number of tokens"):
        budget_of(asked, WordPieceTokenizer())
