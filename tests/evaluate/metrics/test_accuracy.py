from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.answers import accuracy, exact_match, word_accuracy


def test_a_substring_is_enough_for_the_papers_form() -> None:
    assert accuracy("It was the City of Paris, France.", ["paris"]) == 1
    assert accuracy("I do not know", ["no"]) == 1  # why word_accuracy exists
    assert accuracy("15 mg", ["5 mg"]) == 1


def test_whole_words_in_a_row() -> None:
    assert word_accuracy("I do not know", ["no"]) == 0
    assert word_accuracy("15 mg", ["5 mg"]) == 0
    assert word_accuracy("about 5 mg a day", ["5 mg"]) == 1
    assert word_accuracy("No.", ["no"]) == 1


def test_an_answer_of_nothing_matches_nothing() -> None:
    assert accuracy("anything", ["The"]) == 0
    with pytest.raises(EvaluationError, match="at least one gold answer"):
        word_accuracy("anything", [])


@given(st.text(alphabet="ab c", max_size=9), st.lists(st.text(alphabet="ab c", max_size=5), min_size=1, max_size=3))
def test_exact_implies_words_implies_substring(prediction: str, answers: list[str]) -> None:
    assert exact_match(prediction, answers) <= word_accuracy(prediction, answers) <= accuracy(prediction, answers)
