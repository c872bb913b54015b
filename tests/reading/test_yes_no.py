"""Which questions ask for yes or no."""

import pytest

from decoct.text.questions import asks_yes_or_no


@pytest.mark.parametrize(
    "question",
    [
        "Is the bridge open?",
        "does it rain",
        "In 1990, was the tower standing?",
        "Can't I bring a dog?",
        "As a summer worker do I need a note?",
        "With a dog may we go in?",
        "And is it open?",
        "Are Ann and Bob both painters?",
    ],
)
def test_a_question_that_begins_with_an_auxiliary_asks_for_yes_or_no(question: str) -> None:
    assert asks_yes_or_no(question)


@pytest.mark.parametrize(
    "question",
    [
        "When was it opened?",
        "When was the bridge opened?",
        "In what year was the bridge opened?",
        "For how long is the ticket good?",
        "Is it red or blue?",
        "Who is the mayor?",
        "Which is older, A or B?",
        "",
        "Do" * 5000,
        "Willow trees: where?",
    ],
)
def test_other_questions_do_not(question: str) -> None:
    assert not asks_yes_or_no(question)
