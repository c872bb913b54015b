"""Heads that are ranges hold what lies in them."""

from __future__ import annotations

import pytest

from decoct.text.cells import cell_meant
from decoct.text.values import held_by_ranges

CRATES = ("Up to 6 crates", "7-18 crates", "From 19 crates")


@pytest.mark.parametrize(
    ("question", "heads", "held"),
    [
        ("What do 20 crates cost?", CRATES, {2}),
        ("What do 18 crates cost?", CRATES, {1}),
        ("What do 6 crates cost?", CRATES, {0}),
        ("What do 6 lorries cost?", CRATES, set()),
        ("What do crates cost?", CRATES, set()),
        ("The boat for 90 minutes?", ("under 2 hours", "2-4 hours", "over 4 hours"), {0}),
        ("The boat for 4 hours?", ("under 2 hours", "2-4 hours", "over 4 hours"), {1}),
        ("A parcel of 3 kg?", ("0-5 kg", "Price"), set()),  # one range among others says nothing
        ("On a Thursday?", ("Monday-Thursday", "Friday-Sunday"), {0}),
        ("On a Thursday?", ("Thursday", "Friday"), set()),
    ],
)
def test_what_lies_in_a_range_names_it(question: str, heads: tuple[str, ...], held: set[int]) -> None:
    assert held_by_ranges(question, heads) == held


def test_a_column_and_a_row_are_named_by_what_lies_in_them() -> None:
    columns = "Zone | Up to 6 crates | 7-18 crates | From 19 crates\nA | 5.90 | 8.40 | 9.90\nB | 8.90 | 12.50 | 15.00"
    at = columns.index("12.50")
    meant = cell_meant("What do 20 crates to zone B cost?", columns, (at, at + 5))
    assert meant is not None
    assert columns[slice(*meant)] == "15.00"
    rows = "Weight | Inland | Abroad\nup to 2 kg | 4.90 | 9.90\n2-5 kg | 6.90 | 14.90\n6-10 kg | 9.90 | 24.90"
    at = rows.index("9.90")
    meant = cell_meant("What does a parcel of 8 kg cost abroad?", rows, (at, at + 4))
    assert meant is not None
    assert rows[slice(*meant)] == "24.90"


def test_a_blank_cell_is_meant_before_another_whose_head_says_as_much() -> None:
    text = "Order | Ordered | Delivered\nO-1 | 5 January | 9 January\nO-2 | 1 February |  | x"
    at = text.index("1 February")
    assert cell_meant("When was order O-2 delivered?", text, (at, at + 10)) is None
