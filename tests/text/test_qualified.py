"""Words that belong to a value: what it must be told with, and what they make of a number."""

from __future__ import annotations

import pytest

from decoct.text.equality import same_value
from decoct.text.numbers import after, before, numbers, whole
from decoct.text.values import Value, quantities, value_of


def only(text: str) -> Value:
    (value,) = quantities(text)
    return value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It pays between 2.1 and 2.6 % a year.", "between 2.1 and 2.6 % a year"),
        ("There is room for at least 45 guests.", "at least 45"),
        ("The lamp burns for about a week", "about a week"),
        ("Swimmers must be nine or older to enter", "nine or older"),
        ("Do not load more than 90 kg on it", "not load more than 90 kg"),
        ("It weighs 12 kg or less", "12 kg or less"),
        ("It weighs 12 kg at most", "12 kg at most"),
        ("Some 300 people came", "Some 300"),
        ("It weighs 12 kg", "12 kg"),
        ("It stands in Room with 12 chairs", "12"),
    ],
)
def test_a_value_is_told_with_the_words_that_belong_to_it(text: str, told: str) -> None:
    value = only(text)
    start, end = whole(text, value.start, value.end)
    assert text[start:end] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It was ready by the end of May 2021.", "the end of May 2021"),
        ("It was built before 1890.", "before 1890"),
        ("It was built in 1890.", "1890"),
    ],
)
def test_a_date_is_told_with_its_part_and_side(text: str, told: str) -> None:
    value = only(text)
    start, end = whole(text, value.start, value.end, dated=True)
    assert text[start:end] == told


def test_what_says_when_belongs_to_dates_alone() -> None:
    assert whole("It fell by 12 points", len("It fell by "), len("It fell by 12")) == (11, 13)


@pytest.mark.parametrize(
    ("text", "bound", "limit"),
    [
        ("more than 6 boxes", ">", ""),
        ("no more than 6 boxes", "", "≤"),
        ("do not take more than 6 boxes", "", "≤"),
        ("nothing above 6 kg", "", "≤"),
        ("never exceed 6 boxes", "", "≤"),
        ("not less than 6 boxes", "", "≥"),
        ("not only more than 6 boxes", ">", ""),
        ("fewer than 6 boxes", "<", ""),
        ("6 kg or more", "", "≥"),
        ("€6 or more", "", "≥"),
        ("6 kg at the most", "", "≤"),
        ("up to 6 kg", "", "≤"),
        ("the fee went up to 6 euros", "", ""),
    ],
)
def test_a_denied_open_end_is_a_limit(text: str, bound: str, limit: str) -> None:
    value = only(text)
    assert (value.bound, value.limit) == (bound, limit)


def test_a_lease_and_a_leaflet_say_the_limit_that_they_say() -> None:
    assert same_value(only("not less than two months"), only("one month")) is False
    assert same_value(only("do not take more than 6 tablets"), only("8 tablets")) is False


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("3 to 4 million", 3e6, 4e6),
        ("2-3k", 2e3, 3e3),
        ("two to three hundred", 200, 300),
        ("between 900 and 1.2 million", 900, 1.2e6),
    ],
)
def test_the_scale_of_a_range_is_that_of_both_its_ends(text: str, low: float, high: float) -> None:
    (number,) = numbers(text)
    assert number.low == pytest.approx(low)
    assert number.high == pytest.approx(high)


def test_the_full_stop_after_a_month_is_the_sentences() -> None:
    assert [
        value.raw for value in quantities("It ends on 17 July. Then come the holidays, until 2 Sept. at least.")
    ] == [
        "17 July",
        "2 Sept",
    ]
    assert value_of("44 B.C.").raw == "44 B.C."


def test_qualifiers_say_how_long_they_are() -> None:
    assert (before("roughly 6", 8).length, before("roughly 6", 8).about) == (8, True)
    assert (after("6 or so", 1).length, after("6 or so", 1).about, after("6 boxes", 1).length) == (6, True, 0)
