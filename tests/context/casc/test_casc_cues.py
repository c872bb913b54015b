"""Words that say how a value is meant, and words that only look like them."""

from __future__ import annotations

import pytest

from decoct.context.casc.cues import CHANGED, hedge_of, planned, status_of


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("The restart delay changed from 30 s to 10 s.", "30 s", "10 s"),
        ("The delay, from 30 s to 10 s, is no longer felt.", "30 s", "10 s"),
        ("The limit went from 30 s to 60 s in 2023.", "30 s", "60 s"),
        ("The age limit was raised from 16 to 18 years.", "16", "18 years"),
        ("They reduced the dose from 40 mg (2019) to 20 mg.", "40 mg", "20 mg"),
        ("The opening was moved from 3 May to 10 May.", "3 May", "10 May"),
        ("The fare rose from £2.50 to £3.", "2.50", "3"),
    ],
)
def test_a_change_from_one_value_to_another_takes_the_first_back(text: str, old: str, new: str) -> None:
    assert status_of(text, text.index(old), text.index(old) + len(old)) == "withdrawn"
    assert status_of(text, text.rindex(new), text.rindex(new) + len(new)) == "correction"


def test_what_is_added_puts_nothing_right() -> None:
    for text, status in (
        ("The desk is now at Oslo Street.", "correction"),
        ("The desk is now also at Oslo Street.", "stated"),
    ):
        at = text.index("Oslo")
        assert status_of(text, at, at + len("Oslo Street")) == status


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The shop is open from 8:00 to 18:30 daily.", "8:00"),
        ("The shop is open from 8 am to 6 pm.", "6 pm"),
        ("The valve works from 5 °C to 40 °C.", "5 °C"),
        ("A ride from 10 km to 20 km takes an hour.", "20 km"),
        ("The dose fell from 40 mg (2019) to 20 mg.", "2019"),
        ("From 30 s on the pump waits; it leads to 10 s of silence.", "10 s"),
    ],
)
def test_what_reaches_from_one_value_to_another_takes_none_back(text: str, value: str) -> None:
    assert status_of(text, text.index(value), text.index(value) + len(value)) == "stated"


@pytest.mark.parametrize("text", ["The bridge opened on 3 May.", "In May 2021 it was 5 m.", "It opened on 3 May 2021."])
def test_the_month_of_may_is_no_doubt(text: str) -> None:
    assert hedge_of(text) == "none"


def test_the_verb_may_is_a_doubt() -> None:
    assert hedge_of("The bridge may open on 3 May.") == "weak"


@pytest.mark.parametrize("text", ["Engineers know the pump well.", "He is known for it.", "The snow lay 20 cm deep."])
def test_words_that_hold_now_say_nothing_of_a_change(text: str) -> None:
    assert CHANGED.search(text) is None
    assert not planned(text)


@pytest.mark.parametrize("verb", ["plans", "aims", "intends", "expects", "hopes"])
def test_what_somebody_means_to_do_is_planned(verb: str) -> None:
    assert planned(f"The mill {verb} to grind 40 tonnes.")
