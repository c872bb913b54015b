"""Questions without their verb: which ask for yes or no is learned, so a share is held on sentences written here and not single ones."""

from __future__ import annotations

import pytest

from decoct.text.elliptical import SIZE, asks_of_predicate, elliptical_features, is_elliptical
from decoct.text.questions import asks_by_grammar, asks_yes_or_no

HOLDS = (
    "prams allowed on the upper deck?", "garden open on Sundays in March?", "two guests on one card, fine?",
    "old tickets still valid after the move?", "my bike stays free overnight, yeah?", "shoes needed in the gym?",
    "lift big enough for six people?", "returning a lamp without the box costs nothing, I take it?",
)  # fmt: skip
NAMES = (
    "price of a locker?", "opening hours of the garden?", "phone number of the warden?", "weight of the gate?",
    "deadline for the summer course?", "size of the blue tank?", "code for a blocked nozzle?", "name of the night porter?",
)  # fmt: skip


def test_what_asks_if_something_holds_is_told_from_what_asks_for_a_thing() -> None:
    assert sum(map(asks_yes_or_no, HOLDS)) >= 5
    assert sum(map(asks_yes_or_no, NAMES)) == 0


@pytest.mark.parametrize("question", [*HOLDS, *NAMES])
def test_grammar_tells_neither(question: str) -> None:
    assert is_elliptical(question)
    assert not asks_by_grammar(question)


@pytest.mark.parametrize(
    "question",
    [
        "dogs allowed in the ring",
        "dogs allowed when on a lead?",
        "What is allowed in the ring?",
        "dogs allowed in the ring or tied outside?",
        "Hunde erlaubt?",
        "¿Cuánto cuesta un billete?",
        "犬は入れますか？",
    ],
)
def test_others_are_not_told_to_ask_for_yes_or_no(question: str) -> None:
    assert not asks_yes_or_no(question)


def test_what_is_hashed_are_words_and_neighbours_with_numbers_alike() -> None:
    assert elliptical_features("6 dogs?") == elliptical_features("17 dogs?")
    assert elliptical_features("dogs, cats?") != elliptical_features("dogs cats?")
    assert all(0 <= one < SIZE for one in elliptical_features("x " * 5000))


def test_no_words_are_no_predicate() -> None:
    assert not asks_of_predicate("?")
