from __future__ import annotations

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.answers import exact_match


def test_best_over_aliases() -> None:
    assert exact_match("the United States.", ["USA", "United States"]) == 1
    assert exact_match("United States of America", ["USA", "United States"]) == 0


def test_nothing_matches_nothing() -> None:
    assert exact_match("", ["The"]) == 0
    assert exact_match("", [""]) == 0


def test_no_gold_answer_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="at least one gold answer"):
        exact_match("x", [])
