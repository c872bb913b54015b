"""Rows of a file that are documents of their own: the row and the field that the question names, or no claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Library
from decoct.data import Answer


def _asked(folder: Path, name: str, text: str, question: str) -> Answer:
    (folder / name).write_text(text, encoding="utf-8")
    with Library.open(folder / "library") as library:
        library.add([folder / name])
        return library.ask(question)


ORDERS = "Order,Ordered,Delivered\nO-1,2025-01-05,2025-01-09\nO-2,2025-02-01,\n"
SHIFTS = "Day,Counter,Driver\nMonday,Ann Low,Bob Hart\nTuesday,Ann Low,\nWednesday,Eva Kern,Bob Hart\n"
TOOLS = "Machine,Serial number\nMixer,SN-440\nOven,\n"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (TOOLS, "What is the serial number of the oven?"),
        (SHIFTS, "Who is the driver on Tuesday?"),
        (ORDERS, "When was order O-2 delivered?"),
    ],
)
def test_a_blank_field_is_not_filled_from_another_row_or_field(tmp_path: Path, text: str, question: str) -> None:
    answer = _asked(tmp_path, "rows.csv", text, question)
    assert answer.outcome != "answer"
    assert not answer.answers


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (TOOLS, "What is the serial number of the mixer?", "SN-440"),
        (ORDERS, "When was O-2 ordered?", "2025-02-01"),
        (SHIFTS, "Who is the driver on Monday?", "Bob Hart"),
    ],
)
def test_a_field_that_is_there_is_claimed(tmp_path: Path, text: str, question: str, said: str) -> None:
    assert [one.text for one in _asked(tmp_path, "rows.csv", text, question).answers] == [said]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "# Cleaning\n\nThe toilets are cleaned daily. The hall is cleaned weekly.\n",
            "Are the toilets cleaned weekly?",
        ),
        ("# Notes\n\nParking is not free.\n", "Is parking free?"),
    ],
)
def test_what_is_said_of_a_sibling_or_denied_is_no_yes(tmp_path: Path, text: str, question: str) -> None:
    answers = _asked(tmp_path, "notes.md", text, question).answers
    assert [one.text for one in answers] != ["yes"]
