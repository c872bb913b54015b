"""The cell of a table that a question names by row and column."""

from __future__ import annotations

import pytest

from decoct.text.cells import cell_asked_for, cell_meant, placed_cells, row_said

TARIFFS = """## Tariffs

| Zone | Single | Day pass | Remark |
|:---|---:|---:|---|
| `inner` | 2.40 | 6.10 | most of the town |
| `outer` | 3.10 | 8.00 | villages beyond the river |
| `night` | 4.00 | – | after midnight |
"""
OFFICES = (
    "Offices\n\nTown | Street | Opens\nMalmö | Fiskgatan 3 | 08:30\nLund | Bredgatan 7 | 10:00\nMail us at any hour."
)
PLANS = "| Plan | Storage | Price |\n|---|---|---|\n| Starter | 10 GB | 4.50 |\n| Standard | 50 GB | 9.90 |"
ACTIONS = "Action | Owner | Due\nLint the migrations | Wei | 31 January\nUpdate the runbook | Jonas | 24 January"
SHEET = (
    "AquaWash - data sheet\n\nModel: AW\nWater per cycle: 9.5 litres\nProgrammes: Eco, Quick\n\nIt needs cold water."
)
PERSON = "name: Ida Holm\nposition: Crane driver\nphone: 2291\nsince: 2014-05-02"


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("What does a day pass for the outer zone cost?", TARIFFS, "8.00"),
        ("single outer", TARIFFS, "3.10"),
        ("What is the single price in villages beyond the river?", TARIFFS, "3.10"),
        ("When does the office in Lund open?", OFFICES, "10:00"),
        ("In which street is the office in Malmö?", OFFICES, "Fiskgatan 3"),
        ("What is the phone number of Ida Holm?", PERSON, "2291"),
        ("Which position does Ida Holm have?", PERSON, "Crane driver"),
        ("How much storage does the standard plan have?", PLANS, "50 GB"),
        ("When is the runbook due?", ACTIONS, "24 January"),
        ("Which programmes does the AquaWash have?", SHEET, "Eco, Quick"),
        ("How much water does the AquaWash use per cycle?", SHEET, "9.5 litres"),
        ("WHAT IS IDA HOLM'S PHONE", PERSON, "2291"),
    ],
)
def test_row_and_column_name_the_cell(question: str, text: str, said: str) -> None:
    cell = cell_asked_for(question, text)
    assert cell is not None
    assert text[slice(*cell.place)] == said
    assert cell.row[0] <= cell.place[0] < cell.place[1] <= cell.row[1]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does a day pass cost?", TARIFFS),  # every row has one
        ("What does a day pass for the night zone cost?", TARIFFS),  # a dash is no answer
        ("When does the office in Oslo open?", OFFICES),  # no such row
        ("Who founded the office in Lund?", OFFICES),  # no such column
        ("What is the phone number of Nils Berg?", PERSON),
        ("How much is the gold plan?", PLANS),
        ("How many mailboxes does the standard plan have?", PLANS),  # no such column, and none that "how many" may mean
        ("Which programmes does the dryer have?", SHEET),
        ("the", PERSON),
        (
            "What is the phone number?",
            "A note: call us\nThe line is busy until noon and then free.\nphone: 12",
        ),  # no record
        ("What is a pipe?", "a | b"),
    ],
)
def test_what_is_not_named_by_both_is_none(question: str, text: str) -> None:
    assert cell_asked_for(question, text) is None


def test_words_read_in_another_row_are_those_of_the_row_named() -> None:
    read = OFFICES.index("08:30")
    place = cell_meant("When does the office in Lund open?", OFFICES, (read, read + 5))
    assert place is not None
    assert OFFICES[slice(*place)] == "10:00"
    assert cell_meant("When does the office in Malmö open?", OFFICES, (read, read + 5)) == (read, read + 5)
    assert cell_meant("When does an office open?", OFFICES, (read, read + 5)) == (read, read + 5)
    prose = OFFICES.index("any"), len(OFFICES)
    assert cell_meant("When can I mail Lund?", OFFICES, prose) == prose


TEAM = (
    "| Name | Phone | Room |\n|---|---|---|\n| Ona Reed | | 4 |\n| Per Moen | 555-0101 | |\n| Liv Dahl | 555-0102 | 9 |"
)
FARES = "| Zone | Adult | Child |\n|---|---|---|\n| A | 3 | |\n| B | 5 | 2 |"


@pytest.mark.parametrize(
    ("question", "text", "read", "meant"),
    [
        ("What is the phone of Ona Reed?", TEAM, "4", None),  # blank
        ("What is the room of Per Moen?", TEAM, "555-0101", None),
        ("What is the phone of Liv Dahl?", TEAM, "9", "555-0102"),
        ("Who has the phone 555-0101?", TEAM, "Per Moen", "Per Moen"),
        ("What is the child fare in zone A?", FARES, "3", None),
        ("What does a child pay in zone B?", FARES, "5", "2"),
        ("What does a child pay in zone B?", FARES, "Child", None),  # a head
    ],
)
def test_no_neighbour_stands_for_the_cell_that_is_named(question: str, text: str, read: str, meant: str | None) -> None:
    at = text.index(read)
    place = cell_meant(question, text, (at, at + len(read)))
    assert (text[slice(*place)] if place else None) == meant


def test_items_of_several_sentences_are_no_record() -> None:
    text = "1. Long blast: leave the ship.\n2. Bell: muster.\n3. Gong: fire. You have 90 seconds to answer it."
    place = text.index("90 seconds"), text.index("90 seconds") + 10
    assert cell_meant("How long is there to answer the gong?", text, place) == place


def test_rows_that_name_their_values_are_a_table() -> None:
    text = "Stations\n\nStation: Ely | Altitude: 153 | Platforms: 4\nStation: Rye | Platforms: 14\nStation: Bath | Altitude: 20"
    for question, answer in (
        ("What is the altitude of Ely?", "153"),
        ("How many platforms has Rye?", "14"),
        ("What is the altitude of Bath?", "20"),
    ):
        cell = cell_asked_for(question, text)
        assert cell is not None, question
        assert text[slice(*cell.place)] == answer
    assert cell_meant("What is the altitude of Rye?", text, (text.index("153"), text.index("153") + 3)) is None
    assert cell_asked_for("What is the altitude of Rye?", text) is None


RENTS = (
    "Boat: Punt | Hour rate (£): 9 | Day rate (£): 40\nBoat: Canoe | Hour rate (£): 12\n"
    "Boat: Skiff | Day rate (£): 55 | Fuel (£ per mile): 2"
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the day rate of the punt?", "40"),
        ("What is the day rate of the canoe?", None),  # blank: the hour rate is no day rate
        ("What is the hour rate of the skiff?", None),
    ],
)
def test_no_column_stands_for_one_whose_head_says_more_of_the_question(question: str, said: str | None) -> None:
    cell = cell_asked_for(question, RENTS)
    assert (RENTS[slice(*cell.place)] if cell else None) == said


@pytest.mark.parametrize(("read", "said"), [("Fuel (£ per mile", "2"), ("£ per mile): 2", "2"), ("Day rate", "40")])
def test_of_a_head_that_a_row_says_its_value_is_the_answer(read: str, said: str) -> None:
    at = RENTS.index(read)
    place = cell_meant("What does it come to?", RENTS, (at, at + len(read)))
    assert place is not None
    assert RENTS[slice(*place)] == said


def test_of_tables_with_the_same_heads_the_heading_says_which_is_meant() -> None:
    text = "gate.width\n\ntype | default\nnumber | 16\n\nHow wide it is.\n\ngate.colour\n\ntype | default\nname | red\n"
    for question, said in (
        ("What is the default of gate.width?", "16"),
        ("What is the default of gate.colour?", "red"),
    ):
        cell = cell_asked_for(question, text)
        assert cell is not None
        assert text[slice(*cell.place)] == said
    assert cell_asked_for("What is the default?", text) is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is the shop open on Saturday?", "Day: Saturday, Shop: 9-13"),
        ("What is on Saturday?", "Day: Saturday, Hall: closed, Shop: 9-13"),
        ("Is it warm?", "Day: Saturday, Hall: closed, Shop: 9-13"),
    ],
)
def test_a_row_is_said_in_the_columns_that_are_named(question: str, said: str) -> None:
    text = "Day | Hall | Shop\nFriday | 8-12 | 9-17\nSaturday | closed | 9-13"
    start = text.index("Saturday")
    assert row_said(question, text, (start, len(text))) == said


def test_of_running_text_the_row_is_the_text() -> None:
    assert row_said("Is it open?", "It is open.", (0, 11)) == "It is open."


FORM = """Loan 7731

Borrower | Ida Holm, no. 4410 | Branch | Malmö
Taken on | 3 May 2026 | Due back | |
Deputy borrower | | Second signature | Wei Tang
Reason for the loan | repair of the 2 pumps | Approved by hand | not needed"""


@pytest.mark.parametrize(
    ("question", "said", "meant"),
    [
        ("Who gave the second signature?", "Wei Tang", "Wei Tang"),
        ("Who gave the second signature?", "Ida Holm", "Wei Tang"),
        ("When is loan 7731 due back?", "3 May 2026", None),
        ("Who is the deputy borrower?", "Wei Tang", None),
        ("Who is the deputy borrower?", "Deputy borrower", None),
        ("Who is the borrower?", "Borrower", "Ida Holm, no. 4410"),
    ],
)
def test_of_a_form_the_value_of_a_label_stands_behind_it(question: str, said: str, meant: str | None) -> None:
    at = FORM.index(said)
    found = cell_meant(question, FORM, (at, at + len(said)))
    assert (FORM[slice(*found)] if found else None) == meant


def test_a_cell_of_a_form_is_quoted_in_its_line() -> None:
    found = cell_asked_for("Who gave the second signature on loan 7731?", FORM)
    assert found is not None
    assert FORM[slice(*found.row)] == "Deputy borrower | | Second signature | Wei Tang"
    cells = placed_cells(FORM, found.row)
    assert cells is not None
    assert [FORM[slice(*cell)] for _, cell in cells] == ["Wei Tang"]


def test_columns_are_no_form() -> None:
    wards = "Ward | Nurse | Team | Beds\nOtter | Ann Lee | red | 18\nKite | | blue | 24"
    at = wards.index("red")
    assert cell_meant("In which team is the nurse Ann Lee?", wards, (at, at + 3)) == (at, at + 3)
    assert placed_cells(wards, (wards.index("Otter"), len(wards))) is not None
