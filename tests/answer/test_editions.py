"""Which editions a later one replaces."""

from __future__ import annotations

import pytest

from decoct.answer.editions import replaced_editions

NAMES = [
    "Shift rules, edition 2023",
    "Shift rules, edition 2025",
    "Harbour dues 2025",
    "Minutes of May",
    "Tide tables 2019",
]


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("How long may a shift be?", {"Shift rules, edition 2023"}),
        ("How long might a shift be in 2023?", set()),
        ("What are the dues of 2025?", {"Shift rules, edition 2023"}),
    ],
)
def test_the_later_year_of_one_name_holds_unless_the_question_names_the_other(
    question: str, replaced: set[str]
) -> None:
    assert replaced_editions(question, NAMES) == replaced
