"""Which rows of a table name its columns."""

from __future__ import annotations

import pytest

from decoct.documents.tables.heads import CellValue, Labels, are_pairs, first_heads, fits, head_rows, kind_of


def rows(text: str) -> list[list[CellValue]]:
    """Rows by `/`, cells by `|`; a cell in `*` is bold."""
    return [
        [CellValue(cell.strip("*"), kind_of(cell.strip("*")), strong=cell.startswith("*")) for cell in row.split("|")]
        for row in text.split("/")
    ]


@pytest.mark.parametrize(
    ("table", "count"),
    [
        ("City|People/Bath|90000/Rye|4000", 1),
        ("City|Mayor/Bath|Ona/Rye|Per", 1),
        ("Name|Phone|Phone/Ona|100|200", 1),
        ("Plant|2023|2024|2025/Ely|410|455|502/Brno|88|97|120", 1),
        ("Plant|2024-01-01|2024-02-01/Ely|410|455", 1),
        ("Line|Week|1|2|3/A|pieces|50|61|58/B|pieces|20|22|19", 1),
        ("*yes|*no/yes|no/no|no", 1),
        ("Region|Q1|Q2|PM10/North|12|13|4/South|22|23|5", 1),
        ("FY23|FY24/1.5|2/2.5|3", 1),
        ("A1|B1/A2|B2/A3|B3", 0),
        ("A1|5/A2|6/A3|7", 0),
        ("Col1|Col2/Item 1|new/Item 2|old", 1),
        ("Case:|12|+|light/Site:|north|++|dark/Notes:|none||", 0),
        ("a|1/b|2", 0),
        ("1|2.5/x||y", 0),
        ("x|1|2|3/y|4|5|6", 0),
        ("yes|no/yes|yes/no|no", 0),
        ("Ona|2020/Per|2021/Liv|2022", 0),
        ("only|heads", 0),
        ("one/two/three", 0),
        ("Name:|Ona/Town:|Bath/Street:|High", 0),
        ("*Name|Ona/*Town|Bath/*Street|High", 0),
    ],
)
def test_rows_of_names(table: str, count: int) -> None:
    assert head_rows(rows(table)) == count


def test_where_being_texts_is_not_enough() -> None:
    assert head_rows(rows("City|Mayor/Bath|Ona/Rye|Per"), sure=True) == 0
    assert head_rows(rows("City|People/Bath|90/Rye|40"), sure=True) == 1


def test_a_second_row_of_names_stands_below_spans() -> None:
    table = rows("Team|2024|2024/Team|Wins|Losses/Otters|5|7")
    spans = [["a", "b", "b"], ["a", "c", "d"], ["e", "f", "g"]]
    assert head_rows(table, spans) == 2
    assert head_rows(rows("Team|2024|2024/Team|Q1|Q2/Otters|5|7"), spans) == 2
    assert head_rows(rows("Room|Seats/Oak|12/Oak|14"), [["a", "b"], ["c", "d"], ["c", "e"]]) == 1


def test_lines_above_the_names_are_none_of_the_table() -> None:
    assert first_heads(rows("Price list||/Article|Size|Price/Valve|DN 20|14.5")) == (1, 2)
    assert first_heads(rows("Issued|2024-01-01|/Article|Size|Price/Valve|DN 20|14.5")) == (1, 2)
    assert first_heads(rows("1|2/3|4")) is None


def test_pairs_and_rows_that_fit() -> None:
    assert are_pairs(rows("Name|Ona/Age|41/Born|1984-01-02"))
    assert not are_pairs(rows("City|People/Bath|90/Rye|40"))
    below = rows("Oak|12/Elm|20")
    assert fits(rows("Ash|7")[0], below)
    assert not fits(rows("Device|Serial")[0], below)
    assert not fits([*rows("Ash|7")[0], CellValue("x", "text")], below)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "blank"), ("12", "number"), ("-3.5", "number"), ("1,200", "number"), ("12 %", "number"), ("€ 3", "number"), ("5 kg", "number"),
        ("(5)", "number"), ("2024-03-01", "date"), ("1.3.2024", "date"), ("08:30", "date"), ("a", "text"), ("B2", "number"),
        ("Room 4 is closed", "text"), ("12 to 14 hours", "text"),
    ],
)  # fmt: skip
def test_kinds_of_values(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("table", "depth"),
    [
        ("North|Alfa|10/|Beta|30/North total||40/South|Gama|5/South total||5", 1),
        ("North|Alfa|10/|Beta|30/South|Gama|5/|Delta|7", 1),
        ("North||40/|Alfa|10/|Beta|30/South||5/|Gama|5", 1),  # a row for each label
        ("North|2024|Alfa|1/||Beta|2/|2025|Alfa|3/||Beta|4/South|2024|Alfa|5/||Beta|6", 2),
        ("Dr|Ann|10/|Bo|30/|Cy|5/Prof|Di|7", 0),  # titles of persons
        ("x|Alfa|10/|Beta|30/x|Gama|5/|Delta|7", 0),  # ticks
        ("1|Alfa|10/|Beta|30/2|Gama|5/|Delta|7", 0),  # ranks, of which some are missing
        ("North|Alfa|10/South|Beta|30", 0),
    ],
)
def test_labels_that_are_said_once(table: str, depth: int) -> None:
    assert Labels(rows(table)).depth == depth


def test_a_row_of_sums_is_of_no_label() -> None:
    table = rows("3 May|Opening|100/|stamps|-4/5 May|Toner|-39/|Ink|-7/|Balance|50")
    labels = Labels(table)
    told = [labels.row(row, [value.text for value in row])[0].text for row in table]
    assert told == ["3 May", "3 May", "5 May", "5 May", ""]


@pytest.mark.parametrize(
    ("table", "count"),
    [
        ("Name|Tu|We|Th/|1|2|3/Rao|E||N/Bo||L|", 2),
        ("Name|30|31|1/|Tu|We|Th/Rao|E||N/Bo||L|", 2),
        ("Name|Mon|Tue|Wed|Nights/|2026-12-07|2026-12-08|2026-12-09|/Rao|E||N|2/Bo||L||0", 2),
        ("Name|Tu|We|Th/Ann|1|2|3/Rao|5||7/Bo||6|", 1),  # a row with a label is one of values
        ("Name|Tu|We|Th/|1|2|9/Rao|5||7/Bo||6|", 1),
        ("Name|1|2|3/|E|L|N/Rao|E||N/Bo||L|", 0),  # what stands below too
        ("Team|Won|Drawn|Lost/|1|2|3/|4|2|0/Kite|2|2|2", 1),  # rows without a label
    ],
)
def test_days_and_their_names_are_two_rows_of_heads(table: str, count: int) -> None:
    assert head_rows(rows(table)) == count
