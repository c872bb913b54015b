from __future__ import annotations

from decoct.context.quotes import closed_ranges, passage_of_ranges
from decoct.data import Passage, Span

ONE = Passage("First one. Second one. Third one.", (Span("a", 10, 43),), "quote", 0.3, "A")
TWO = Passage("Other.", (Span("b", 0, 6),), "quote", 0.7, "B")


def test_neighbours_are_closed_up_and_others_stand_on_their_own_line() -> None:
    found = passage_of_ranges([(ONE, [(0, 10), (11, 22)]), (TWO, [(0, 6)])])
    assert found == Passage(
        "First one. Second one.\nOther.", (Span("a", 10, 32), Span("b", 0, 6)), "quote", 0.7, "A; B"
    )
    apart = passage_of_ranges([(ONE, [(0, 10), (23, 33)])])
    assert apart == Passage("First one.\nThird one.", (Span("a", 10, 20), Span("a", 33, 43)), "quote", 0.3, "A")


def test_no_character_is_shown_twice_and_nothing_is_none() -> None:
    found = passage_of_ranges([(ONE, [(0, 22)]), (ONE, [(11, 33)])])
    assert found is not None
    assert found.text == ONE.text
    assert found.support == ONE.support
    assert passage_of_ranges([(ONE, [])]) is None


def test_ranges_close_only_over_white_space() -> None:
    assert closed_ranges("a  b-c", [(0, 1), (3, 4), (5, 6)]) == [(0, 4), (5, 6)]
