"""Words that say how a value is meant, and words that only look like them."""

from __future__ import annotations

import pytest

from decoct.context.casc.cues import status_of


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("The restart delay changed from 30 s to 10 s.", "30 s"),
        ("The limit went from 30 s to 60 s in 2023.", "30 s"),
        ("The opening was moved from 3 May to 10 May.", "3 May"),
    ],
)
def test_a_change_from_one_value_to_another_takes_the_first_back(text: str, old: str) -> None:
    assert status_of(text, text.index(old), text.index(old) + len(old)) == "withdrawn"


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
