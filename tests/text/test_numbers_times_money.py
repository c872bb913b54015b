"""Numbers, times of the day and currencies by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.numbers import numbers
from decoct.text.times import DAY, times
from decoct.text.units import Money, money_after, money_before


# -- numbers -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,280 seats", 1280),
        ("1.2k users", 1200),
        ("2.4 × 10⁻¹² m", 2.4e-12),
        ("3e5 cells", 3e5),
        ("eight hundred and seventy-one pages", 871),
        ("two million people", 2e6),
        ("3 lakh rupees", 300_000),
        ("10^6 cells", 1e6),
        ("−5 degrees", -5),
        ("1.234,56 euros", 1234.56),
        ("one in four of them", 0.25),
        ("two thirds of it", 2 / 3),
    ],
)
def test_a_number_is_read(text: str, value: float) -> None:
    (found,) = numbers(text)
    assert [found.low, found.high] == pytest.approx([value, value])
    assert found.middle == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["see figure 7", "version 2", "the 7th of them", "HX-4", "K3", "section 12", "no digits"]
)
def test_digits_that_name_something_are_no_quantity(text: str) -> None:
    assert numbers(text) == []


def test_a_range_is_an_interval() -> None:
    (found,) = numbers("between 13 and 15 people")
    assert (found.low, found.high, found.middle, found.spread) == (13, 15, 14, False)


def test_an_uncertainty_is_a_spread() -> None:
    (found,) = numbers("1.87 ± 0.02 m")
    assert [found.low, found.high] == pytest.approx([1.85, 1.89])
    assert found.spread


def test_how_precisely_it_is_stated() -> None:
    """The last digit of 2,300 is worth 1, the last that is not 0 a hundred; a 0 after the point is meant, so 0.50 is to a hundredth."""
    (round_,), (fine,) = numbers("2,300 people"), numbers("0.50 m")
    assert (round_.step, round_.zeros) == (1, 100)
    assert [fine.step, fine.zeros] == pytest.approx([0.01, 0.01])


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("more than 600", "bound", ">"),
        ("fewer than 600", "bound", "<"),
        ("no more than 600", "limit", "≤"),
        ("at least 600", "limit", "≥"),
        ("600 or more", "limit", "≥"),
        ("up to 600", "limit", "≤"),
        ("roughly 600", "about", True),
        ("nearly 600", "side", "below"),
        ("just over 600", "side", "above"),
    ],
)
def test_words_beside_a_number(text: str, field: str, value: object) -> None:
    (found,) = numbers(text)
    assert getattr(found, field) == value
    assert found.low == 600


def test_a_letter_is_a_scale_beside_a_currency_only() -> None:
    assert [one.low for one in numbers("It cost $1.2bn.")] == [1.2e9]
    assert [one.low for one in numbers("It cost 5m euros.")] == [5e6]
    assert [one.low for one in numbers("It is 5 m long.")] == [5]


@pytest.mark.parametrize("text", ["1e999", "9e-999", "3 × 10^4000", "10^999", "1e" + "9" * 5000])
def test_a_power_beyond_all_numbers_is_read_all_the_same(text: str) -> None:
    for found in numbers(text):
        assert found.low <= found.high


@given(st.text(alphabet="0123456789., -–to×^kM$€%halfone two", max_size=40))
def test_any_writing_can_be_read(text: str) -> None:
    end = 0
    for found in numbers(text):
        assert end <= found.start < found.end <= len(text)
        assert found.low <= found.high
        end = found.end


# -- times ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "seconds", "other"),
    [
        ("at 9:30", 34200, 77400),  # or half past nine in the evening
        ("at 09:30", 34200, None),
        ("at 9.30 am", 34200, None),
        ("at 12:15 am", 900, None),
        ("at 12 pm", 43200, None),
        ("at 15:00 UTC", 54000, None),
        ("at 3 o'clock", 10800, 54000),
        ("at 3 o'clock in the afternoon", 54000, None),
        ("at noon", 43200, None),
        ("at midnight", 0, None),
        ("at half past nine", 34200, 77400),
        ("at quarter to one", 2700, 45900),  # 12:45, by the half of the day
        ("at half past six in the morning", 23400, None),
        ("at half past six in the evening", 66600, None),
        ("at quarter to twelve at night", 85500, None),
        ("at half past twelve at night", 1800, None),
        ("at nine o'clock in the evening", 75600, None),
        ("at 12 o'clock at night", 0, None),
        ("2024-05-03T07:05:09Z", 25509, None),
    ],
)
def test_a_time_is_seconds_since_midnight(text: str, seconds: float, other: float | None) -> None:
    (found,) = times(text)
    assert (found.seconds, found.other) == (seconds, other)


@pytest.mark.parametrize(("text", "step"), [("9:30:15 am", 1), ("9:30 am", 60), ("9 am", 3600)])
def test_how_precisely_a_time_is_stated(text: str, step: float) -> None:
    assert [found.step for found in times(text)] == [step]


def test_hours_minutes_and_seconds_may_last() -> None:
    assert [found.lasting for found in times("in 2:08:41")] == [True]
    assert [found.lasting for found in times("at 2:08:41 pm")] == [False]


def test_a_zone_is_its_minutes_from_utc() -> None:
    assert [found.zone for found in times("15:00 UTC and 16:00 CET, or 17:00")] == [0, 60, None]


@pytest.mark.parametrize("text", ["9", "at 25:00", "a 3:1 win", "€9.30", "1.2.9:30"])
def test_what_is_no_time(text: str) -> None:
    assert times(text) == []


@given(st.text(alphabet="0123456789:. apmT'Zclock", max_size=30))
def test_every_time_lies_in_a_day(text: str) -> None:
    for found in times(text):
        assert 0 <= found.seconds <= DAY


# -- currencies ----------------------------------------------------------------------------------------------------
def test_a_sign_before_a_number() -> None:
    assert money_before("US$5", 3) == Money(0, 3, ("USD",))
    assert money_before("paid NOK 5 million", 9) == Money(5, 9, ("NOK",))
    assert money_before("the 5", 4) is None


def test_a_dollar_may_be_of_several_countries() -> None:
    found = money_before("$5", 1)
    assert found is not None
    assert "USD" in found.codes
    assert len(found.codes) > 1


@pytest.mark.parametrize(
    ("text", "codes", "factor"),
    [("5 yen", ("JPY",), 1.0), ("5 EUR", ("EUR",), 1.0), ("5€", ("EUR",), 1.0), ("5 RMB", ("CNY",), 1.0)],
)
def test_a_name_after_a_number(text: str, codes: tuple[str, ...], factor: float) -> None:
    assert money_after(text, 1) == Money(1, len(text), codes, factor)


def test_a_hundredth_is_told_by_its_factor() -> None:
    found = money_after("50 pence", 2)
    assert found is not None
    assert (found.codes, found.factor) == (("GBP",), 0.01)


@pytest.mark.parametrize("text", ["5 metres", "5", "5 yentl"])
def test_what_is_no_currency(text: str) -> None:
    assert money_after(text, 1) is None


@pytest.mark.parametrize(
    ("text", "low"), [("minus 8", -8.0), ("minus eight", -8.0), ("12 minus 8", 12.0), ("plus or minus 8", 8.0)]
)
def test_minus_in_words_belongs_to_the_number_unless_it_takes_away(text: str, low: float) -> None:
    assert numbers(text)[0].low == low
