from __future__ import annotations

from itertools import product

from decoct_lab.reproduce.contain_any import contain_any, contain_first


def test_every_word_of_the_first_answer_in_any_draw() -> None:
    draws = ["She was born in Paris.", "In 1900, Warsaw city", "unsure"]
    assert contain_any(draws, ["city of Warsaw", "Paris"]) == 0  # no draw has "of"; other answers do not count
    assert contain_any(draws, ["Warsaw city"]) == 1
    assert contain_first(draws, ["Warsaw city"]) == 0


def test_words_not_substrings_and_no_draws() -> None:
    assert contain_any(["Warsawians"], ["Warsaw"]) == 0
    assert contain_any([], ["Warsaw"]) == 0
    assert contain_any(["x"], ["The"]) is None


def test_the_mean_over_n_questions_is_a_multiple_of_one_over_n() -> None:
    scores = [contain_any([a, b, c], ["x"]) for a, b, c in product("xy", repeat=3)]
    assert [score for score in scores if score is not None].count(1.0) == 7  # all but y, y, y
