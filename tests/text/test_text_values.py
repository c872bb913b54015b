"""Numbers, units, dates and their equality: tables worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.aliases import same_name
from decoct.text.equality import known_equal
from decoct.text.numbers import numbers
from decoct.text.values import Value, quantities


def only(text: str) -> Value:
    (value,) = quantities(text)
    return value


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1,280 items", 1280, 1280),
        ("1.2k downloads", 1200, 1200),
        ("2.4 × 10⁻¹² of it", 2.4e-12, 2.4e-12),
        ("5 x 10^3 cells", 5000, 5000),
        ("1.2 trillion tokens", 1.2e12, 1.2e12),
        ("eight hundred and seventy-one people", 871, 871),
        ("five and a half thousand tokens", 5500, 5500),
        ("between 13 and 15 items", 13, 15),
        ("57 to 70 points", 57, 70),
        ("1.87 ± 0.02 units", 1.85, 1.89),
        ("one million people", 1e6, 1e6),
    ],
)
def test_numbers_are_read_as_written(text: str, low: float, high: float) -> None:
    (number,) = numbers(text)
    assert number.low == pytest.approx(low)
    assert number.high == pytest.approx(high)


@pytest.mark.parametrize("text", ["HX-4", "version 2", "figure 7", "K3", "section 4", "2nd", "T31"])
def test_digits_that_name_something_are_no_quantities(text: str) -> None:
    assert numbers(text) == []


def test_rose_from_one_to_another_is_a_change_and_no_range() -> None:
    assert [(n.low, n.high) for n in numbers("rose from 12 to 15 points")] == [(12, 12), (15, 15)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.5 g", "500 mg"),
        ("half a gram", "500 mg"),
        ("1.2 MHz", "1,200 kHz"),
        ("-185 °C", "88 K"),
        ("450 °C", "723 K"),
        ("18.4 mW/(m·K)", "0.0184 W/(m·K)"),
        ("12 µg/kg", "12 micrograms per kilogram"),
        ("16 S/cm", "1,600 S/m"),
        ("91 GPa", "91,000 MPa"),
        ("five minutes", "300 seconds"),
        ("14 %", "between 13 and 15 per cent"),
        ("14 %", "one seventh"),
        ("almost four per cent", "3.8 %"),
        ("1.2 trillion", "1,200 billion"),
        ("14 November 2017", "November 2017"),
        ("November 2017", "2017"),
        ("2023-04-09", "9 April 2023"),
        ("5 mL/100 g", "50 mL/kg"),
    ],
)
def test_equal_quantities_in_other_words_are_the_same(one: str, other: str) -> None:
    assert known_equal(only(one), only(other))
    assert known_equal(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 µg/kg", "12 mg/kg"),
        ("1.2 GHz", "1.2 MHz"),
        ("88 °C", "88 K"),
        ("14.3 %", "15.9 %"),
        ("1.87 eV", "1.94 eV"),
        ("212 mAh/g", "248 mAh/g"),
        ("40 mg", "15 mg"),
        ("November 2017", "March 2016"),
        ("655", "871"),
        ("3 mL/100 g", "5 mL/100 g"),
        ("12 mg", "12 hours"),
    ],
)
def test_different_quantities_are_not_the_same(one: str, other: str) -> None:
    assert not known_equal(only(one), only(other))


def test_names_agree_without_articles_case_and_word_forms() -> None:
    assert same_name("the Field Voles", "field vole")
    assert same_name("World Health Organization", "WHO")
    assert not same_name("field vole", "wood mouse")


@given(st.floats(min_value=0.1, max_value=1e6, allow_nan=False))
def test_a_quantity_is_the_same_as_itself_in_a_smaller_unit(amount: float) -> None:
    written = round(amount, 3)
    assert known_equal(only(f"{written:.3f} g"), only(f"{written * 1000:.0f} mg"))


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for value in quantities(text):
        assert value.low <= value.high
        assert text[value.start : value.end] == value.raw
