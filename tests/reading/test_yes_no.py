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
        "I'm 74, is the first half hour free?",
        "We pump sandy water. Should we service it more often?",
        "When the rate falls, is my rent lowered",
        "new customer - must we pay before you ship?",
        "Can my daughter, who is 13, train with me?",
        "The tags are green this year, right?",
        "It stops by itself, doesn't it?",
    ],
)
def test_a_clause_that_begins_with_an_auxiliary_asks_for_yes_or_no(question: str) -> None:
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
        "If the bus is late, what do I do?",
        "Which form do I take, is it H-2?",
        "Does it still exist, and who runs it?",
        "It is red, do I stop it or go on?",
        "a, " * 700 + "is it",
    ],
)
def test_other_questions_do_not(question: str) -> None:
    assert not asks_yes_or_no(question)
