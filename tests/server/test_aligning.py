"""Characters of a cleaned text are found in the page's own, in linear time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.server import pages
from decoct.server.pages import aligned

LEFT = "Theannualreportofthecommitteewasreadaloud,andeverybodylistenedtoit."
RIGHT = "TheferrytoSkagenleavesattenandarrivesateleveninfairweather."


def share(ours: str, places: list[int]) -> float:
    return sum(place >= 0 for place in places) / len(ours)


def test_equal_texts_are_the_same_place_by_place() -> None:
    assert aligned(LEFT, LEFT) == list(range(len(LEFT)))
    assert aligned("", "x") == []
    assert aligned("1934", "") == [-1] * 4


def test_what_was_taken_out_is_passed_over() -> None:
    """A running head before, a hyphen within, a page's number after."""
    at = LEFT.index("everybody") + 4
    page = f"REPORT1934{LEFT[:at]}-{LEFT[at:]}17"
    assert aligned(LEFT, page) == [10 + n for n in range(at)] + [11 + n for n in range(at, len(LEFT))]


def test_a_character_that_is_two_elsewhere_is_left_out_alone() -> None:
    ours = "theofficeisopenandtheflagshipshopisclosed"
    page = ours.replace("ffi", "\ufb03")
    places = aligned(ours, page)
    assert [ours[n] for n in range(len(ours)) if places[n] < 0] == ["f", "f", "i"]
    assert all(ours[n] == page[place] for n, place in enumerate(places) if place >= 0)


def test_columns_in_another_order_are_found() -> None:
    places = aligned(LEFT + RIGHT, RIGHT + LEFT)
    assert places == [len(RIGHT) + n for n in range(len(LEFT))] + list(range(len(RIGHT)))


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_pairs_are_of_equal_characters_and_no_place_is_given_twice(ours: str, theirs: str) -> None:
    places = aligned(ours, theirs)
    taken = [place for place in places if place >= 0]
    assert len(places) == len(ours)
    assert len(set(taken)) == len(taken)
    assert all(ours[at] == theirs[place] for at, place in enumerate(places) if place >= 0)


def test_the_work_grows_with_the_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of one sign over and over: what `difflib` compares of it grows with the square."""
    looked = 0
    once, paired = pages._once, pages._Pairs._paired

    def counted_once(text: str, size: int) -> dict[str, int]:
        nonlocal looked
        looked += len(text)
        return once(text, size)

    def counted_paired(self: Any, at: int, place: int) -> bool:
        nonlocal looked
        looked += 1
        return paired(self, at, place)

    monkeypatch.setattr(pages, "_once", counted_once)
    monkeypatch.setattr(pages._Pairs, "_paired", counted_paired)
    for ours, theirs in (("1," * 20_000, "1," * 20_000 + "x"), (RIGHT * 300, LEFT + RIGHT * 300)):
        looked = 0
        aligned(ours, theirs)
        assert looked < 20 * (len(ours) + len(theirs))


def test_repeated_lines_between_known_ones_are_found_from_both_sides() -> None:
    ours = f"{LEFT}{'0,0;' * 30}{RIGHT}"
    assert share(ours, aligned(ours, ours)) == 1
