"""PDF tables without ruling lines: heads of several rows, labels of several rows; and what no reader sees."""

from __future__ import annotations

from minimal_pdf import drawn_pdf
from reading import one

Drawn = list[tuple[float, float, str]]
BODY = [("Lions", "14", "6", "11", "9"), ("Bears", "3", "17", "", "20"), ("Hawks", "10", "", "12", "8")]


def drawn(*lines: list[tuple[float, str]], step: float = 16) -> Drawn:
    """Lines of words at their places; each a step further down."""
    return [(x, 700 - step * at, text) for at, line in enumerate(lines) for x, text in line]


def body(at: tuple[float, ...] = (60, 150, 220, 290, 360)) -> list[list[tuple[float, str]]]:
    """The rows of a table at the places of its columns."""
    return [[(x, text) for x, text in zip(at, row, strict=True) if text] for row in BODY]


def text_of(words: Drawn, drawing: str = "") -> str:
    """What is read of a page."""
    return one("a.pdf", drawn_pdf(words, drawing=drawing)).text


WON = [(150.0, "Won"), (220.0, "Lost"), (290.0, "Won"), (360.0, "Lost")]
WHOLE = "Team | 2023 / Won | 2023 / Lost | 2024 / Won | 2024 / Lost\nLions | 14 | 6 | 11 | 9\nBears | 3 | 17 |  | 20"


def test_heads_over_columns_whose_names_come_again_are_those_of_each() -> None:
    assert text_of(drawn([(60, "Team"), (150, "2023"), (290, "2024")], WON, *body())).startswith(WHOLE)  # at the left
    assert text_of(drawn([(185, "2023"), (325, "2024")], [(60, "Team"), *WON], *body())).startswith(WHOLE)  # amid


def test_a_head_amid_columns_is_over_them() -> None:
    heads = [[(60.0, "Team"), (245.0, "Points")], [(150.0, "May"), (220.0, "June"), (290.0, "July"), (360.0, "All")]]
    assert text_of(drawn(*heads, *body())).split("\n")[0] == (
        "Team | Points / May | Points / June | Points / July | Points / All"
    )


def test_a_head_along_whose_columns_a_line_is_drawn_is_over_them() -> None:
    heads = [
        [(60.0, "Team"), (150.0, "Home"), (290.0, "Away")],
        [(150.0, "A"), (220.0, "B"), (290.0, "C"), (360.0, "D")],
    ]
    lines = "150 696 m 240 696 l S 290 696 m 380 696 l S"
    assert text_of(drawn(*heads, *body()), lines).split("\n")[0] == "Team | Home / A | Home / B | Away / C | Away / D"
    beside = text_of(drawn(heads[0][1:], [heads[0][0], *heads[1]], *body())).split("\n")
    assert "Team | A | B | C | D" in beside  # of how many columns each is the head is not to be told
    assert not any("Home / B" in line for line in beside)


def test_heads_that_begin_with_one_below_are_over_all_up_to_the_next_where_others_have_none_below() -> None:
    heads = [
        [(60.0, "Team"), (150.0, "Home"), (290.0, "Away")],
        [(150.0, "A"), (220.0, "B"), (290.0, "C"), (360.0, "D")],
    ]
    assert text_of(drawn(*heads, *body())).split("\n")[0] == "Team | Home / A | Home / B | Away / C | Away / D"


def test_a_title_above_a_table_is_none_of_its_heads() -> None:
    heads = [(60.0, "Team"), *WON]
    for title in ((60.0, "Season"), (190.0, "Season of 2024")):
        told = text_of(drawn([title], heads, *body())).split("\n")
        assert told[0] == title[1]
        assert "Team | Won | Lost | Won | Lost" in told


def test_a_label_amid_its_rows_stands_in_each() -> None:
    rows = [
        ("Oslo", "12", "340"),
        ("Bergen", "7", "215"),
        ("Rome", "21", "610"),
        ("Bari", "9", "143"),
        ("Porto", "5", "77"),
    ]
    words = [(60.0, 716.0, "Region"), (150.0, 716.0, "Shop"), (250.0, 716.0, "Staff"), (320.0, 716.0, "Sales")]
    words += [
        (x, 700.0 - 16 * at, cell)
        for at, row in enumerate(rows)
        for x, cell in zip((150.0, 250.0, 320.0), row, strict=True)
    ]
    labels = [(60.0, 692.0, "North"), (60.0, 660.0, "South"), (60.0, 636.0, "West")]
    told = text_of([*words, *labels]).split("\n")
    assert told[1:] == [
        "North | Oslo | 12 | 340",
        "North | Bergen | 7 | 215",
        "South | Rome | 21 | 610",
        "South | Bari | 9 | 143",
        "West | Porto | 5 | 77",
    ]


def test_numbers_of_verses_are_no_labels_of_the_lines_around() -> None:
    verses = [
        [(60.0, "1"), (150.0, "Thou seest the world"), (320.0, "2")],
        [(150.0, "our enemies have beat us")],
        [(60.0, "3"), (150.0, "It would be better so")],
        [(150.0, "than tarry till they push")],
    ]
    assert text_of(drawn(*verses)).count("3") == 1
