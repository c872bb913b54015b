"""Dates by hand: each expectation is the days as `datetime.date` counts them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.dates import When, dates, day_of, ordinal


def days(first: tuple[int, int, int], last: tuple[int, int, int] | None = None) -> tuple[int, int]:
    return date(*first).toordinal(), date(*(last or first)).toordinal()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2021-05-03", (2021, 5, 3), (2021, 5, 3)),
        ("2021-05", (2021, 5, 1), (2021, 5, 31)),
        ("3 May 2021", (2021, 5, 3), (2021, 5, 3)),
        ("May 3rd, 2021", (2021, 5, 3), (2021, 5, 3)),
        ("2021 May 3", (2021, 5, 3), (2021, 5, 3)),
        ("3. Mai 2021", (2021, 5, 3), (2021, 5, 3)),
        ("03.05.2021", (2021, 5, 3), (2021, 5, 3)),
        ("2021年5月3日", (2021, 5, 3), (2021, 5, 3)),
        ("February 2024", (2024, 2, 1), (2024, 2, 29)),
        ("1999", (1999, 1, 1), (1999, 12, 31)),
        ("Q2 2020", (2020, 4, 1), (2020, 6, 30)),
        ("the second half of 2020", (2020, 7, 1), (2020, 12, 31)),
        ("the 1990s", (1990, 1, 1), (1999, 12, 31)),
        ("the 1800s", (1800, 1, 1), (1899, 12, 31)),
        ("the 19th century", (1801, 1, 1), (1900, 12, 31)),
        ("from 1914 to 1918", (1914, 1, 1), (1918, 12, 31)),
        ("1914-18", (1914, 1, 1), (1918, 12, 31)),
        ("3-5 May 2021", (2021, 5, 3), (2021, 5, 5)),
        ("28 June 1914 to 11 November 1918", (1914, 6, 28), (1918, 11, 11)),
        ("March to June 2020", (2020, 3, 1), (2020, 6, 30)),
        ("AD 476", (476, 1, 1), (476, 12, 31)),
    ],
)
def test_a_date_is_its_range_of_days(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    (found,) = dates(text)
    assert (found.first, found.last) == days(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "31 February 2021",
        "29 February 2023",
        "no date at all",
        "5 kg of it",
        "it may 20",
        "version 1.2020.3",
        "32/13/2021",
        "Mars 2020",
    ],
)
def test_what_is_no_day_of_the_calendar_is_left_out(text: str) -> None:
    assert [text[when.start : when.end] for when in dates(text) if not when.bare] == []


def test_a_leap_day_exists_in_leap_years_only() -> None:
    assert day_of("29 February 2024") == date(2024, 2, 29).toordinal()
    assert day_of("29 February 2000") == date(2000, 2, 29).toordinal()
    assert day_of("29 February 1900") is None


def test_a_stroke_leaves_the_order_of_day_and_month_open() -> None:
    """03/05/2021 is 3 May, or 5 March; 25/05/2021 can only be 25 May; points are day first."""
    (either,) = dates("03/05/2021")
    assert ((either.first, either.last), either.readings) == (days((2021, 5, 3)), (days((2021, 3, 5)),))
    (one,) = dates("25/05/2021")
    assert ((one.first, one.last), one.readings) == (days((2021, 5, 25)), ())


def test_two_figures_of_a_year_are_of_this_century_before_69() -> None:
    assert day_of("03.05.68") == date(2068, 5, 3).toordinal()
    assert day_of("03.05.69") == date(1969, 5, 3).toordinal()


def test_a_season_is_read_north_and_south() -> None:
    (found,) = dates("summer 2021")
    assert (found.first, found.last) == days((2021, 6, 1), (2021, 8, 31))
    assert found.readings == (days((2021, 12, 1), (2022, 2, 28)), days((2020, 12, 1), (2021, 2, 28)))


def test_a_day_without_a_year_is_marked_so() -> None:
    (found,) = dates("It opens on 9 April.")
    assert found.yearless
    assert found.last == found.first == ordinal(4, 4, 9)


def test_a_year_alone_may_be_a_number() -> None:
    assert [when.bare for when in dates("in 1934 it had 12 seats")] == [True]


def test_years_before_christ_are_counted_through_zero() -> None:
    """44 BC is the year -43: there is no year 0, so 1 BC is 0."""
    (found,) = dates("44 BC")
    assert (found.first, found.last) == (ordinal(-43, 1, 1), ordinal(-43, 12, 31))
    assert ordinal(0, 12, 31) == ordinal(1, 1, 1) - 1


def test_the_longer_date_wins_and_none_lies_inside_another() -> None:
    text = "On 3 May 2021 and in 1999."
    assert [text[when.start : when.end] for when in dates(text)] == ["3 May 2021", "1999"]


def test_a_range_that_ends_before_it_begins_is_none() -> None:
    assert [(when.first, when.last) for when in dates("from 1918 to 1914") if not when.bare] == []


def test_early_and_late_are_five_months_of_twelve() -> None:
    """2001 has 365 days, so 364 between its first and last: 364 * 5 // 12 = 151 of them at either end."""
    begin, end = days((2001, 1, 1), (2001, 12, 31))
    (early,), (late,) = dates("early 2001"), dates("late 2001")
    assert (early.first, early.last) == (begin, begin + 151)
    assert (late.first, late.last) == (end - 151, end)


@given(st.dates())
def test_ordinals_are_those_of_the_calendar(day: date) -> None:
    assert ordinal(day.year, day.month, day.day) == day.toordinal()


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)))
def test_every_iso_date_is_read_back(day: date) -> None:
    assert dates(f"seen {day.isoformat()}, noted") == [When(5, 15, day.toordinal(), day.toordinal())]


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    ends = 0
    for when in dates(text):
        assert ends <= when.start < when.end <= len(text)
        assert when.first <= when.last
        ends = when.end
