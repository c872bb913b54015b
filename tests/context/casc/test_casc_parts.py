"""The small parts of CASC by themselves: background and conditions."""

from __future__ import annotations

import pytest

from decoct.context.casc.check import exclude_each_other
from decoct.context.casc.claims import Claim
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.step import background
from decoct.data import Span
from decoct.text.values import Value, quantities


def claim(quote: str, value: str = "", title: str = "") -> Claim:
    """A source says in `quote` that it is `value`, a quantity that stands there (the first one, where none is named)."""
    span = Span("d", 0, len(quote))
    source = EvidenceSource("D1", "d", ((span, quote),), title)
    found = [one for one in quantities(quote) if value in one.raw]
    said = found[0] if found else Value(quote[:1], "entity", 0, 1)
    return Claim(source, quote, span, said, Span("d", said.start, said.end), 1.0)


# -- background --------------------------------------------------------------------------------------------------
SAME = "The river rose by three metres in the spring of that year."
AGAIN = "In short, the river rose by three metres in the spring of that year."  # 10 of 13 word 3-grams in common
OTHER = "A bridge was built of stone."


def test_background_is_the_first_sentences_none_nearly_twice() -> None:
    given_sentences = [claim(SAME), claim(AGAIN), claim(OTHER)]
    assert [one.quote for one in background(given_sentences, 9)] == [SAME, OTHER]
    assert [one.quote for one in background(given_sentences, 1)] == [SAME]
    assert background(given_sentences, 0) == []
    assert background([], 3) == []


def test_background_says_nothing_that_is_said_already() -> None:
    # What is passed over is not what others are compared with.
    assert [one.quote for one in background([claim(SAME), claim(OTHER)], 9, {Span("d", 0, len(OTHER))})] == [SAME]


# -- conditions --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other", "exclude"),
    [
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 77 K.", True),
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 27 °C.", False),  # the same temperature
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm.", False),  # nothing is said of the other
        ("Its resistance is 5 ohm at 300 K.", "Its resistance is 9 ohm at 5 V.", False),  # not to be compared
        ("It closes at 20 h on weekdays.", "It closes at 18 h on Sundays.", True),
        ("It closes at 20 h on weekdays.", "It closes at 18 h on Monday to Friday.", False),
        ("It closes at 20 h on weekdays and weekends.", "It closes at 18 h on Sundays.", False),
        ("It closes at 20 h on weekdays.", "It closes at 18 h.", False),
        ("It closes at 20 h on Mondays.", "It closes at 18 h on Tuesdays.", True),
    ],
)
def test_claims_hold_side_by_side_where_their_conditions_exclude_each_other(
    one: str, other: str, exclude: bool
) -> None:
    assert exclude_each_other(claim(one), claim(other)) is exclude
    assert exclude_each_other(claim(other), claim(one)) is exclude


def test_a_title_may_say_the_day() -> None:
    weekend = claim("It closes at 18 h.", title="Hours on public holidays")
    assert exclude_each_other(claim("It closes at 20 h on working days."), weekend)
