"""Lists kept as data, and the words that stand for numbers."""

from __future__ import annotations

import pytest

from decoct.text.lists import MONTHS, ONES, ORDINALS, PARTS, SCALES, SPELT, TENS, listed, table


def test_a_table_is_read_once_and_a_list_is_its_words() -> None:
    assert table("numbers") is table("numbers")
    assert {"the", "of", "and"} <= listed("words", "function")
    assert all(word == "".join(word.casefold().split()) for word in listed("words", "function"))


@pytest.mark.parametrize(("name", "key"), [("nothing", "key"), ("words", "nothing")])
def test_a_list_that_is_not_there_is_an_error_and_not_empty(name: str, key: str) -> None:
    with pytest.raises((FileNotFoundError, KeyError)):
        listed(name, key)


@pytest.mark.parametrize(
    ("word", "number"), [("zero", 0), ("one", 1), ("twelve", 12), ("nineteen", 19), ("twenty", 20), ("ninety", 90)]
)
def test_spelt_out_numbers(word: str, number: int) -> None:
    assert SPELT[word] == number


def test_every_number_below_a_hundred_can_be_spelt() -> None:
    assert (len(ONES), len(TENS), len(SPELT)) == (20, 8, 28)
    assert {tens + ones for tens in (SPELT[word] for word in TENS) for ones in range(10)} == set(range(20, 100))


@pytest.mark.parametrize(("word", "number"), [("january", 1), ("jan", 1), ("may", 5), ("sept", 9), ("december", 12)])
def test_months_and_their_short_forms(word: str, number: int) -> None:
    assert MONTHS[word] == number
    assert sorted(set(MONTHS.values())) == list(range(1, 13))


def test_ordinals_scales_and_parts() -> None:
    assert [ORDINALS[word] for word in ("first", "third", "tenth")] == [1, 3, 10]
    assert (SCALES["lakh"], SCALES["crore"], SCALES["bn"], SCALES["dozen"]) == (1e5, 1e7, 1e9, 12)
    assert (PARTS["half"], PARTS["quarter"], PARTS["fourth"]) == (2, 4, 4)
