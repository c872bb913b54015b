"""The features of three sentences by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from decoct.context.sentence_judge import NAMES, features
from decoct.data import Passage, Span

LANTERN = Passage(
    "The red lantern was bought in 1934. It hangs in Graz.", (Span("a", 0, 53),), score=2.0, title="Red Lantern"
)
GRAZ = Passage("Graz is a city.", (Span("b", 0, 15),), score=1.0, title="Graz (city)")
QUESTION = "When was the red lantern bought?"


def column(name: str, *passages: Passage, question: str = QUESTION) -> list[float]:
    rows = features(question, passages or (LANTERN, GRAZ))[1]
    return [round(value, 5) for value in rows[:, NAMES.index(name)].tolist()]


def test_each_sentence_has_a_row() -> None:
    places, rows = features(QUESTION, [LANTERN, GRAZ])
    assert places == [[(0, 35), (36, 53)], [(0, 15)]]
    assert rows.shape == (3, len(NAMES))
    assert rows.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rank", [0.0, 0.0, math.log(2)]),
        ("prior", [1.0, 1.0, 0.0]),  # 2.0 is the greatest score, 1.0 the least
        ("first", [1.0, 0.0, 1.0]),
        ("place", [0.0, math.log(2), 0.0]),
        ("title_asked", [1.0, 1.0, 0.0]),  # both words of "Red Lantern" stand in the question, "Graz" does not
        ("number_wanted", [1.0, 0.0, 0.0]),  # "when" wants a number, and one sentence has one
        ("best_of_passage", [1.0, 0.0, 1.0]),
        ("names_other", [0.0, 1 / math.sqrt(2), 0.0]),  # "Graz" is the title of the passage of rank 1
        ("named_by_better", [0.0, 0.0, 1.0]),  # and that passage is named by the one of rank 0
        ("first_named", [0.0, 0.0, 1.0]),
        ("first_title", [1.0, 0.0, 0.0]),
        ("prior_first", [1.0, 0.0, 0.0]),
    ],
)
def test_by_hand(name: str, expected: list[float]) -> None:
    assert column(name) == pytest.approx(expected, abs=1e-5)


def test_the_questions_words_weigh_by_how_rare_they_are() -> None:
    """All three words stand in the first sentence alone, so it has all of the weight and the others none."""
    shares = column("sentence_words")
    assert shares[1:] == [0.0, 0.0]
    assert shares[0] == pytest.approx(column("passage_words")[0])


def test_a_sentence_with_its_title_has_the_titles_words_too() -> None:
    titled, own = column("titled_words"), column("sentence_words")
    assert titled[1] > own[1] == 0.0


def test_ranks_are_by_score_whatever_the_order() -> None:
    assert column("rank", GRAZ, LANTERN) == pytest.approx([math.log(2), 0.0, 0.0], abs=1e-5)


def test_equal_scores_have_one_prior() -> None:
    same = Passage(GRAZ.text, GRAZ.support, score=2.0, title="Graz")
    assert column("prior", LANTERN, same) == [1.0, 1.0, 1.0]


def test_a_passage_does_not_name_one_of_its_own_title() -> None:
    other = Passage("It hangs in Graz.", (Span("c", 0, 17),), score=0.5, title="Graz")
    same = Passage(GRAZ.text, GRAZ.support, score=1.0, title="Graz")
    assert column("names_other", same, other) == [0.0, 0.0]


def test_a_title_of_three_letters_is_mentioned_by_chance() -> None:
    short = Passage("Ulm is a city.", (Span("b", 0, 14),), score=1.0, title="Ulm")
    there = Passage("It hangs in Ulm.", (Span("a", 0, 16),), score=2.0, title="Red Lantern")
    assert column("names_other", there, short) == [0.0, 0.0]


def test_where_no_number_is_wanted_none_counts() -> None:
    assert column("number_wanted", question="Who bought the red lantern?") == [0.0, 0.0, 0.0]


def test_no_passages_have_no_rows() -> None:
    places, rows = features(QUESTION, [])
    assert (places, rows.shape) == ([], (0, len(NAMES)))


def test_the_best_passage_that_a_sentence_names_counts() -> None:
    """Both other titles stand in the passage, each in a sentence of its own, and both in the last."""
    text = "It hangs in Graz. It burns in Oslo. Graz is south of Oslo."
    naming = Passage(text, (Span("a", 0, len(text)),), score=3.0, title="Red Lantern")
    graz = Passage("A city.", (Span("b", 0, 7),), score=1.0, title="Graz")
    oslo = Passage("A port.", (Span("c", 0, 7),), score=2.0, title="Oslo")
    second, third = 1 / math.sqrt(2), 1 / math.sqrt(3)
    assert column("names_other", naming, graz, oslo) == pytest.approx([third, second, second, 0.0, 0.0], abs=1e-5)
    assert column("named_by_better", naming, graz, oslo) == pytest.approx([0.0, 0.0, 0.0, 1.0, 1.0], abs=1e-5)


def test_a_title_inside_a_longer_word_is_not_named() -> None:
    inside = Passage("The Grazerin sings.", (Span("a", 0, 19),), score=2.0, title="Red Lantern")
    assert column("names_other", inside, GRAZ) == [0.0, 0.0]
    assert column("named_by_better", inside, GRAZ) == [0.0, 0.0]
