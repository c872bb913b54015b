"""Units by hand: dimension, factor to the dimension's own unit, and where the unit ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.units import Unit, unit_after


@pytest.mark.parametrize(
    ("written", "dimension", "factor"),
    [
        ("kg", "mass", 1000.0),
        ("mg", "mass", 0.001),
        ("micrograms", "mass", 1e-6),
        ("kHz", "frequency", 1000.0),
        ("m2", "area", 1.0),
        ("square kilometres", "area", 1e6),
        ("cubic metres", "volume", 1000.0),  # a cubic metre is a thousand litres
        ("litres", "volume", 1.0),
        ("km/h", "length/time", 1000 / 3600),
        ("mg/kg", "mass/mass", 1e-6),  # no percentage: dimensions are not cancelled
        ("milligrams per kilogram", "mass/mass", 1e-6),
        ("kWh", "energy", 3.6e6),
    ],
)
def test_a_unit_is_a_dimension_and_a_factor(written: str, dimension: str, factor: float) -> None:
    found = unit_after(f"5 {written}", 1)
    assert found is not None
    assert (found.dimension, found.end) == (dimension, len(written) + 2)
    assert found.factor == pytest.approx(factor)


def test_temperatures_have_an_offset() -> None:
    """-40 °C and -40 °F are one temperature: -40 + 273.15 K, and -40 * 5/9 + 255.372 K."""
    celsius, fahrenheit = unit_after("-40 °C", 3), unit_after("-40 °F", 3)
    assert celsius is not None
    assert fahrenheit is not None
    assert -40 * celsius.factor + celsius.offset == pytest.approx(233.15)
    assert -40 * fahrenheit.factor + fahrenheit.offset == pytest.approx(233.15, abs=0.001)


def test_what_is_counted_is_no_part_of_the_dimension() -> None:
    assert unit_after("500 mg per participant", 3) == Unit(22, "mass", 0.001)


def test_a_dose_a_day_is_the_dose() -> None:
    """ "500 mg a day" and "500 mg daily" say the same."""
    assert unit_after("500 mg a day", 3) == Unit(6, "mass", 0.001)


@pytest.mark.parametrize("text", ["5 patients", "5 in the morning", "5", "5 ", "5 (see above)"])
def test_a_noun_is_no_unit(text: str) -> None:
    assert unit_after(text, 1) is None


def test_inches_are_units_where_a_size_is_told() -> None:
    found = unit_after("12 in wide", 2)
    assert found is not None
    assert (found.dimension, found.end) == ("length", 5)


def test_a_word_that_begins_the_next_line_is_no_unit() -> None:
    assert unit_after("58\nHour of work, Saturday", 2) is None
    assert unit_after("58\nhours of work", 2) is not None


@given(st.text(max_size=30))
def test_any_text_can_be_asked(text: str) -> None:
    found = unit_after(text, 0)
    assert 0 <= (found.end if found else 0) <= len(text)
