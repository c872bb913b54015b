from __future__ import annotations

import pytest

from decoct.errors import ConfigError, EvaluationError
from decoct.evaluate.amounts import Amount, amount_text, amounts, checked_amounts, in_order


def test_tokens_and_chunks_are_read_by_commas() -> None:
    assert amounts("1x, 900,2.5X", "--budgets") == ("1x", 900, "2.5x")
    assert [amount_text(one) for one in (5400, "5x")] == ["5,400", "5x"]
    given: list[Amount] = ["10x", 900, "2x", 30]
    assert sorted(given, key=in_order) == [30, 900, "2x", "10x"]
    assert checked_amounts(["2x", 900, 30, 900]) == (30, 900, "2x")


@pytest.mark.parametrize("text", ["", "many", "0", "-5", "0x", "x5"])
def test_what_is_no_budget_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="--budgets"):
        amounts(text, "--budgets")


def test_a_run_needs_a_budget() -> None:
    for wrong in ([], [0, 900]):
        with pytest.raises(EvaluationError, match="as in 900,1800,5400"):
            checked_amounts(wrong)
