"""Days of the week and months, whatever the year."""

from __future__ import annotations

import pytest

from decoct.text.times import months, weekdays


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is closed on Mondays.", {0}),
        ("Tuesday to Friday, and Sun", {1, 2, 3, 4, 6}),
        ("Fri-Mon", {4, 5, 6, 0}),
        ("open every day", set(range(7))),
        ("at weekends and on weekdays", set(range(7))),
        ("the sun and a monsoon", set()),
    ],
)
def test_days_are_told_with_their_ranges(text: str, found: set[int]) -> None:
    assert weekdays(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("in March and October", {2, 9}), ("November to February", {10, 11, 0, 1}), ("it may march", set())],
)
def test_months_are_told_with_their_ranges(text: str, found: set[int]) -> None:
    assert months(text) == found
