from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.answers import exact_match, token_f1


def test_overlap_is_of_multisets() -> None:
    # predicted: new york new york (4), gold: new york city (3); shared new, york = 2
    assert token_f1("New York, New York", ["New York City"]) == pytest.approx(2 * 2 / (4 + 3))


def test_the_best_answer_counts() -> None:
    # against "paris": 2 * 1 / (3 + 1); against "paris in france": "in" is no article: 2 * 3 / 6
    assert token_f1("Paris in France", ["Paris"]) == pytest.approx(0.5)
    assert token_f1("Paris in France", ["Paris", "Paris, in France"]) == 1


def test_an_empty_side_scores_nothing() -> None:
    assert token_f1("", ["Paris"]) == 0
    assert token_f1("Paris", ["The"]) == 0
    assert token_f1("the", ["a"]) == 0


def test_a_yes_with_more_words_is_partly_right() -> None:
    assert token_f1("yes it is", ["yes"]) == pytest.approx(2 * 1 / (3 + 1))  # HippoRAG 2 has no such rule


def test_no_gold_answer_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="at least one gold answer"):
        token_f1("x", [])


texts = st.text(alphabet="ab the!.", max_size=12)


@given(texts, st.lists(texts, min_size=1, max_size=3))
def test_exact_match_never_exceeds_f1(prediction: str, answers: list[str]) -> None:
    f1 = token_f1(prediction, answers)
    assert 0 <= f1 <= 1
    assert exact_match(prediction, answers) <= f1
