"""PDF: what is read in which order: columns, tables, turned pages, forms, divided words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from minimal_pdf import drawn_pdf, minimal_pdf
from reading import one

from decoct.documents.paged.pdf_grid import piece_rows, with_grids
from decoct.documents.paged.pdf_layout import in_reading_order
from decoct.documents.paged.pdf_pieces import Piece
from decoct.documents.paged.pdf_rules import Ruling, as_seen, grids, turned
from decoct.documents.paged.pdf_text import PageLine, large_lines, lines_of, page_texts
from decoct.text.cells import cell_asked_for

LEFT = ["The committee reviewed the yearly", "report of the harbour board and", "approved it in full last Friday."]
RIGHT = ["The ferry to the island leaves at", "nine each morning and takes", "about two hours to arrive there."]


def rows_of(
    *lines: tuple[str, ...], step: float = 14, at: tuple[float, ...] = (60, 200, 330, 460)
) -> list[tuple[float, float, str]]:
    """Words in rows from the top of the page, each cell at its place; empty ones are not drawn."""
    return [
        (at[column], 700 - step * row, text)
        for row, line in enumerate(lines)
        for column, text in enumerate(line)
        if text
    ]


def test_columns_drawn_row_by_row_are_read_one_after_the_other() -> None:
    words = [word for pair in zip(LEFT, RIGHT, strict=True) for word in pair]
    places = [(60.0 if at % 2 == 0 else 330.0, 700.0 - 14 * (at // 2), text) for at, text in enumerate(words)]
    text = one("a.pdf", drawn_pdf(places)).text
    assert text.split("\n\n") == ["\n".join(LEFT), "\n".join(RIGHT)]


def test_what_the_file_draws_one_after_the_other_beside_running_text_is_a_column() -> None:
    short = ["Nomenclature", "k: heat", "p: pressure", "T: time", "v: speed of the water", "End"]
    text = [*LEFT, *RIGHT]
    words = [(60.0, 700.0 - 14 * at, line) for at, line in enumerate(short)]
    words += [(330.0, 700.0 - 14 * at, line) for at, line in enumerate(text)]
    assert one("a.pdf", drawn_pdf(words)).text.replace("\n\n", "\n") == "\n".join([*short, *text])
    mixed = [word for pair in zip(words[:6], words[6:], strict=True) for word in pair]
    assert one("a.pdf", drawn_pdf(mixed)).text.count(" | ") == len(short)


def test_values_drawn_behind_all_labels_stay_beside_them() -> None:
    labels = ["Name of the applicant", "Name of the harbour", "Day of the arrival", "Length of the vessel"]
    values = ["A. Rook", "Kelmouth", "3 May", "12 m"]
    words = [
        (at, 700.0 - 14 * row, said) for at, side in ((60.0, labels), (330.0, values)) for row, said in enumerate(side)
    ]
    assert one("a.pdf", drawn_pdf(words)).text.split("\n") == [
        f"{a} | {b}" for a, b in zip(labels, values, strict=True)
    ]


def test_the_last_lines_of_a_text_are_a_column_though_they_are_few() -> None:
    words = [(60.0, 700.0 - 14 * at, line) for at, line in enumerate(LEFT * 2)]
    words += [(330.0, 700.0 - 14 * at, line) for at, line in enumerate(RIGHT[:2])]
    assert one("a.pdf", drawn_pdf(words)).text.replace("\n\n", "\n") == "\n".join([*LEFT * 2, *RIGHT[:2]])


def test_the_right_column_is_first_where_letters_are_read_from_the_right() -> None:
    words = [(60.0 + 270 * side, 700.0 - 14 * at, "bbb ccc ddd eee fff ggg") for at in range(4) for side in (1, 0)]
    words[0] = (330.0, 700.0, "aaa ccc ddd eee fff ggg")
    assert one("a.pdf", drawn_pdf(words, first_letter="\u05d0")).text.find("\u05d0\u05d0\u05d0") < 24


def test_a_numbered_heading_over_a_line_with_a_wide_gap_is_no_table() -> None:
    words = [
        (60.0, 700.0, "2."),
        (90.0, 700.0, "Citations"),
        (60.0, 680.0, "Citations are numbers."),
        (260.0, 680.0, "Names"),
    ]
    assert "|" not in one("a.pdf", drawn_pdf(words, size=10)).text


def ruled(left: float, top: float, rows: list[tuple[str, str]]) -> tuple[str, list[tuple[float, float, str]]]:
    """The lines of a table of two columns, and its words."""
    lines = [f"{left} {top - 18 * at} m {left + 160} {top - 18 * at} l S" for at in range(len(rows) + 1)]
    lines += [f"{x} {top} m {x} {top - 18 * len(rows)} l S" for x in (left, left + 80, left + 160)]
    words = [(left + 6 + 80 * at, top - 13 - 18 * row, cells[at]) for row, cells in enumerate(rows) for at in (0, 1)]
    return "\n".join(lines), words


@pytest.mark.parametrize("second", [[], [("Line", "Km"), ("North", "120"), ("South", "88")]])
@pytest.mark.parametrize("lower", [0, 6])
def test_columns_with_ruled_tables_are_read_one_after_the_other(second: list[tuple[str, str]], lower: int) -> None:
    first = [("Year", "Boats"), ("1880", "31"), ("1890", "47"), ("1900", "52")]
    lines, cells = ruled(60, 640, first)
    other_lines, other_cells = ruled(330, 640 - lower, second) if second else ("", [])
    words = [(60.0, 700.0 - 14 * at, line) for at, line in enumerate(LEFT)] + cells
    words += [(60.0, 550.0 - 14 * at, line) for at, line in enumerate(LEFT)]
    words += [(330.0, 700.0 - lower - 14 * at, line) for at, line in enumerate(RIGHT)] + other_cells
    text = one("a.pdf", drawn_pdf(words, drawing=f"{lines}\n{other_lines}", size=11)).text
    tables = ["\n".join(" | ".join(row) for row in table) for table in (first, second)]
    said = ["\n".join(LEFT), tables[0], "\n".join(LEFT), "\n".join(RIGHT), tables[1]]
    assert text == "\n\n".join(filter(None, said))


def test_columns_whose_lines_stand_between_those_of_the_other_are_read_one_after_the_other() -> None:
    words = [(60.0, 700.0 - 14 * at, line) for at, line in enumerate(LEFT * 3)]
    words += [(330.0, 693.0 - 14 * at, line) for at, line in enumerate(RIGHT * 3)]
    assert one("a.pdf", drawn_pdf(words, size=9)).text.split("\n\n") == ["\n".join(LEFT * 3), "\n".join(RIGHT * 3)]


def test_what_stands_over_both_columns_is_read_before_them() -> None:
    wide = "A title that runs over the two columns of this page, from the left margin to the right one"
    places = [(60.0, 730.0, wide), *rows_of(*((one, "", other) for one, other in zip(LEFT, RIGHT, strict=True)))]
    text = one("a.pdf", drawn_pdf(places, size=11)).text
    assert text.startswith(wide)
    assert text.index(LEFT[-1]) < text.index(RIGHT[0])


def test_a_table_keeps_its_rows_and_its_empty_cells() -> None:
    table = (("Part", "Stock", "Ordered"), ("Rotor", "", "12"), ("Shaft", "7", ""), ("Valve", "5", "3"))
    text = one("a.pdf", drawn_pdf(rows_of(*table))).text
    assert text.split("\n") == ["Part | Stock | Ordered", "Rotor |  | 12", "Shaft | 7 |", "Valve | 5 | 3"]


def test_a_ruled_table_has_the_cells_that_its_lines_part() -> None:
    strokes = [f"50 {y} m 350 {y} l S" for y in (720, 690, 660, 630)] + [
        f"{x} 720 m {x} 630 l S" for x in (50, 150, 250, 350)
    ]
    words = [(55.0, 700.0, "Line"), (155.0, 700.0, "2024"), (255.0, 700.0, "2025")]
    words += [
        (55.0, 675.0, "Red"),
        (55.0, 663.0, "mill"),
        (255.0, 670.0, "31"),
        (55.0, 640.0, "Blue"),
        (155.0, 640.0, "40"),
    ]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert text.split("\n") == ["Line | 2024 | 2025", "Red mill |  | 31", "Blue | 40 |"]


def test_a_blank_corner_of_a_table_is_a_cell_of_its_own() -> None:
    strokes = [f"50 {y} m 350 {y} l S" for y in (720, 690, 660)] + [
        f"{x} 720 m {x} 660 l S" for x in (50, 150, 250, 350)
    ]
    words = [(155.0, 700.0, "K20"), (255.0, 700.0, "K20S"), (55.0, 670.0, "Heat")]
    words += [(155.0, 670.0, "900 W"), (255.0, 670.0, "1400 W")]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert text.split("\n") == ["| | K20 | K20S", "Heat | 900 W | 1400 W"]
    cell = cell_asked_for("What is the heat of the K20S?", text)
    assert cell is not None
    assert text[slice(*cell.place)] == "1400 W"


def test_the_words_of_a_merged_cell_stand_in_each_row_that_it_spans() -> None:
    strokes = ["50 720 m 350 720 l S", "200 690 m 350 690 l S", "50 660 m 350 660 l S", "50 630 m 350 630 l S"]
    strokes += [f"{x} 720 m {x} 630 l S" for x in (50, 200, 350)]
    words = [
        (55.0, 685.0, "Red"),
        (205.0, 700.0, "Mill"),
        (205.0, 670.0, "Press"),
        (55.0, 640.0, "Blue"),
        (205.0, 640.0, "Saw"),
    ]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert text.split("\n") == ["Red | Mill", "Red | Press", "Blue | Saw"]


def test_heads_of_two_rows_of_a_ruled_table_are_one() -> None:
    strokes = [f"50 {y} m 350 {y} l S" for y in (720, 660, 630)] + [f"{x} 720 m {x} 630 l S" for x in (50, 150, 350)]
    strokes += ["150 690 m 350 690 l S", "250 690 m 250 630 l S"]
    words = [(55.0, 685.0, "Boat"), (225.0, 700.0, "Summer"), (155.0, 670.0, "Fare"), (255.0, 670.0, "Seats")]
    words += [(55.0, 640.0, "Tern"), (155.0, 640.0, "12"), (255.0, 640.0, "40")]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert text.split("\n") == ["Boat | Summer / Fare | Summer / Seats", "Tern | 12 | 40"]


def test_a_ruled_table_that_is_open_at_its_sides_keeps_its_outer_columns() -> None:
    strokes = [f"50 {y} m 350 {y} l S" for y in (720, 700, 680, 660)]
    strokes += [f"{x} 720 m {x} 660 l S" for x in (150, 250)]
    table = (("Car", "Power", "Gears"), ("Datsun", "93", "4"), ("Hornet", "110", "3"))
    words = [
        (x, 705.0 - 20 * at, text) for at, row in enumerate(table) for x, text in zip((60, 160, 260), row, strict=True)
    ]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert text.split("\n") == ["Car | Power | Gears", "Datsun | 93 | 4", "Hornet | 110 | 3"]


def test_a_cell_goes_on_behind_the_last_words_of_its_line() -> None:
    words = rows_of(
        ("GLM", "ML", "the model of most, fitted"),
        ("Poisson", "quasi", "as a model:"),
        ("", "", "or another"),
        ("NB", "ML", "more"),
    )
    text = one("a.pdf", drawn_pdf([*words, (405.0, 686.0, "the same")], size=10)).text
    assert text.split("\n")[1] == "Poisson | quasi | as a model: the same or another"


@pytest.mark.parametrize(
    "level", [0, 0.5, 1]
)  # where the short cells of a row stand: at its first line, in its middle, at its last
@pytest.mark.parametrize("more", ["", "A line of text behind the table."])
def test_lines_of_a_cell_stay_in_its_row_wherever_the_others_stand(level: float, more: str) -> None:
    duties = {
        "Clerk": ["Files papers and answers all", "phones during the whole of", "the day, also on Sundays"],
        "Cook": ["Prepares lunch for ninety", "people and cleans the kitchen"],
        "Guard": ["Rings the bell", "at night"],
        "Porter": ["Carries the bags of all the", "Guests from the lift to the", "Taxi"],  # no room for capitals either
    }
    words = [(60.0, 700.0, "Role"), (160.0, 700.0, "Duty"), (380.0, 700.0, "Pay")]
    top = 680.0
    for role, lines in duties.items():
        words += [(160.0, top - 12 * at, line) for at, line in enumerate(lines)]
        short = top - 12 * level * (len(lines) - 1)
        words += [(60.0, short, role), (380.0, short, f"{len(role)}00")]
        top -= 12 * len(lines) + 6
    words.append((60.0, 300.0, more))
    said = [f"{role} | {' '.join(lines)} | {len(role)}00" for role, lines in duties.items()]
    text = one("a.pdf", drawn_pdf(words, size=10)).text
    assert text == "\n".join(["Role | Duty | Pay", *said]) + f"\n\n{more}" * bool(more)


def test_numbers_at_the_right_of_their_columns_stand_under_heads_at_the_left() -> None:
    heads = ((60.0, "Dept"), (110.0, "Opening"), (170.0, "In"), (230.0, "Out"), (290.0, "Note"))
    rows = {"Sales": ("120", "30", "", "new"), "Harbour": ("", "7", "45", ""), "Legal": ("1250", "", "3", "sold out")}
    words = [(x, 700.0, head) for x, head in heads]
    for y, (name, cells) in zip((680.0, 660.0, 640.0), rows.items(), strict=True):
        words.append((60.0, y, name))
        words += [(end - 6.67 * len(cell), y, cell) for end, cell in zip((166, 226, 286), cells, strict=False) if cell]
        words += [(290.0, y, cells[3])] * bool(cells[3])
    said = ["Dept | Opening | In | Out | Note", "Sales | 120 | 30 |  | new", "Harbour |  | 7 | 45 |"]
    assert one("a.pdf", drawn_pdf(words)).text.split("\n") == [*said, "Legal | 1250 |  | 3 | sold out"]


def test_a_head_that_stands_over_two_columns_leaves_them_apart() -> None:
    rows = [("Age", "n", "%", "n", "%"), ("18-24", "12", "4.5", "15", "6.1"), ("25-34", "", "", "20", "8.0")]
    rows += [("35+", "30", "11.2", "", ""), ("65+", "4", "0.2", "5", "0.3")]
    places = (60.0, 120.0, 150.0, 200.0, 230.0)
    words = [(130.0, 720.0, "Men"), (207.0, 720.0, "Women"), *rows_of(*rows, at=places)]
    assert one("a.pdf", drawn_pdf(words)).text.split("\n") == [
        "Age | Men / n | Men / % | Women / n | Women / %",
        "18-24 | 12 | 4.5 | 15 | 6.1",
        "25-34 |  |  | 20 | 8.0",
        "35+ | 30 | 11.2 |  |",
        "65+ | 4 | 0.2 | 5 | 0.3",
    ]


def test_a_table_below_lines_with_other_gaps_has_its_own_columns() -> None:
    words = rows_of(("Nordwind", "", "No.", "4711-B"), ("1010 Vienna", "", "Date", "5 March"), at=(60, 100, 340, 460))
    table = rows_of(("Pos", "Article", "Qty", "Total"), ("1", "Pump P40", "2", "80.00"), at=(60, 110, 300, 440))
    text = one("a.pdf", drawn_pdf([*words, *((x, y - 80, said) for x, y, said in table)])).text
    assert text.split("\n\n") == [
        "Nordwind | No. | 4711-B\n1010 Vienna | Date | 5 March",
        "Pos | Article | Qty | Total\n1 | Pump P40 | 2 | 80.00",
    ]


def test_cells_close_to_each_other_are_apart_where_spaces_are_written() -> None:
    rows = [("Ann Vik", "1980", "Oslo"), ("Bo Li", "1975", "Rome"), ("Cy Noor", "1990", "Bergen")]
    words = [(60.0, 740.0, "A line of text with its spaces, before the table."), *rows_of(*rows, at=(60, 113, 149))]
    said = one("a.pdf", drawn_pdf(words)).text.split("\n\n")[1]
    assert said == "\n".join(map(" | ".join, rows))
    parts = [(60.0, 700.0, "Words"), (102.0, 700.0, "set"), (127.0, 700.0, "by"), (147.0, 700.0, "place")]
    assert one("a.pdf", drawn_pdf(parts)).text == "Words set by place"


@pytest.mark.parametrize(
    "lines",
    [
        [("41", "switch on the pump"), ("42", "{"), ("43", "let it run for {5} minutes"), ("44", "}")],
        [("1", "take the valve", "# of brass"), ("2", "close it", ""), ("3", "wait", ""), ("4", "open it", "")],
        [
            ("The ferry to the far island", "leaves at nine each morning"),
            ("and takes about two hours", "to arrive at the pier"),
        ],
    ],
)
def test_numbered_lines_and_running_text_with_wide_spaces_are_no_table(lines: list[tuple[str, ...]]) -> None:
    text = one("a.pdf", drawn_pdf(rows_of(*lines, at=(60, 211 if len(lines) == 2 else 90, 300)))).text
    assert text.split("\n") == [" ".join(filter(None, line)) for line in lines]


def test_numbered_rows_of_values_are_a_table() -> None:
    lines = [("1", "5,391"), ("2", "10,379"), ("3", "5,548")]
    assert one("a.pdf", drawn_pdf(rows_of(*lines))).text.split("\n") == [" | ".join(line) for line in lines]


def test_lines_of_a_formula_that_reach_into_each_other_are_no_table() -> None:
    signs = ["12 60 600 n! =", "10 110 606 a", "20 140 600 X", "12 300 606 k", "8 140 590 i", "10 110 594 b"]
    parts = [sign.split(" ", 3) for sign in [*signs, "12 400 594 [5]"]]
    drawing = " ".join(f"BT /F1 {size} Tf {x} {y} Td ({said}) Tj ET" for size, x, y, said in parts)
    assert "|" not in one("a.pdf", drawn_pdf([], drawing=drawing)).text


def test_a_foot_far_below_a_table_is_no_row_of_it() -> None:
    table = rows_of(("Part", "Stock"), ("Rotor", "12"), ("Shaft", "7"))
    text = one("a.pdf", drawn_pdf([*table, (60, 40, "c.html"), (400, 40, "2/3")])).text
    assert text == "Part | Stock\nRotor | 12\nShaft | 7\n\nc.html 2/3"


def test_what_a_frame_holds_is_told_once() -> None:
    strokes = ["50 720 m 350 720 l S", "200 675 m 350 675 l S", "50 630 m 350 630 l S"]
    strokes += [f"{x} 720 m {x} 630 l S" for x in (50, 200, 350)]
    words = [(x, y, f"R{x + y}") for y in (700, 660, 640) for x in (55, 130)]
    words += [(205, 690, "Motor"), (205, 650, "Pump")]
    text = one("a.pdf", drawn_pdf(words, drawing="\n".join(strokes))).text
    assert sorted(re.findall(r"\w+", text)) == sorted(word for _, _, word in words)


def test_a_wide_gap_that_no_space_fills_parts_words() -> None:
    written = "(many) Tj 26.5 0 Td (edges of) Tj 40 0 Td [(T) 80 (o) -20 (day)] TJ"
    text = one("a.pdf", drawn_pdf([(60, 700, "A first line.")], drawing=f"BT /F1 10 Tf 60 600 Td {written} ET")).text
    assert text.endswith("many edges of Today")


@pytest.mark.parametrize("mark", ["2", "a"])
def test_the_mark_of_a_note_stands_apart_from_its_first_word(mark: str) -> None:
    drawing = f"BT /F1 6 Tf 60 604 Td ({mark}) Tj /F1 10 Tf 3.4 -4 Td (The case where 3D is 2nd in 2The line.) Tj ET"
    text = one("a.pdf", drawn_pdf([(60, 700, "A first line.")], drawing=drawing)).text
    assert text.endswith(f"{mark} The case where 3D is 2nd in 2The line.")


@pytest.mark.parametrize(
    ("drawn", "written"),
    [
        (
            "(was built in 1984) 5 (2) 0 ( and holds 45) 5 (3) 0 ( litres.)",
            "was built in 1984^2 and holds 45^3 litres.",
        ),
        ("(It has 10) 5 (6) 0 ( bricks, 3 x 10) 5 (-8) 0 (.)", "It has 10^6 bricks, 3 x 10^-8."),
        ("(40 m) 5 (2) 0 (, the 3) 5 (rd) 0 ( of them)", "40 m^2, the 3rd of them"),
        ("(H) -5 (2) 0 (O and x) -5 (i) 0 ( of it)", "H2O and x_i of it"),
        ("(words,) 5 (12) 0 ( \\(103\\) and 10) 5 (3)", "words,^12 (103) and 10^3"),
    ],
)
@pytest.mark.parametrize("turn", ["1 0 0 1 60 600", "0 1 -1 0 300 100", "2 0 0 2 60 600"])
def test_raised_and_lowered_letters_are_marked(drawn: str, written: str, turn: str) -> None:
    drawing = f"BT {turn} Tm /F1 10 Tf " + re.sub(
        r"(-?\d+) (?=\()", lambda rise: f"/F1 {7 if rise[1] != '0' else 10} Tf {rise[1]} Ts ", drawn
    ).replace(")", ") Tj").replace("\\) Tj", "\\)")
    assert one("a.pdf", drawn_pdf([], drawing=f"{drawing} ET")).text == written


def test_a_raised_link_is_a_note() -> None:
    drawing = "BT /F1 10 Tf 60 600 Td (It holds 45) Tj /F1 7 Tf 5 Ts (3) Tj /F1 10 Tf 0 Ts ( litres.) Tj ET"
    box = (105.0, 603.0, 112.0, 611.0)
    assert one("a.pdf", drawn_pdf([], drawing=drawing, links=[box])).text == "It holds 45 (note 3) litres."


def test_letters_that_differ_in_size_on_one_line_are_not_raised() -> None:
    large = "BT /F1 30 Tf 60 580 Td (T) Tj /F1 10 Tf 19 14 Td (he dam has 7 gates.) Tj ET"
    text = one("a.pdf", drawn_pdf([(60, 700, "A first line.")], drawing=large)).text
    assert "he dam has 7 gates." in text
    assert "^" not in text
    drawing = "BT /F1 10 Tf 60 600 Td (S) Tj /F1 7 Tf (MALL) Tj /F1 10 Tf ( 19) Tj /F1 7 Tf (84) Tj ET"
    assert one("a.pdf", drawn_pdf([], drawing=drawing)).text == "SMALL 1984"


def test_letters_beyond_the_first_plane_are_whole() -> None:
    assert (
        one("a.pdf", drawn_pdf([(60, 700, "1 = k b")], first_letter="\U0001d44e")).text == "1 = \U0001d458 \U0001d44f"
    )


@pytest.mark.parametrize(
    "drawn",
    [
        "60 (.mlk jihg 1931 fed cba)",
        "144 (cba) -22 (fed) -32 (1931) -28 (jihg) -26 (.mlk)",
    ],
)
def test_a_line_of_hebrew_is_read_from_its_right(drawn: str) -> None:
    drawing = re.sub(r"(-?\d+) (?=\()", r"\1 0 Td ", drawn).replace(")", ") Tj")
    text = one("a.pdf", drawn_pdf([], drawing=f"BT /F1 12 Tf 0 600 Td {drawing} ET", first_letter="\u05d0")).text
    letters = {ord(sign): chr(0x5D0 + at) for at, sign in enumerate("abcdefghijklm")}
    assert text == "abc def 1931 ghij klm.".translate(letters)


@pytest.mark.parametrize(
    ("drawn", "said"),  # \\310 is the accent
    [
        (r"(F) Tj 7.2 0 Td (\310) Tj -1.1 0 Td (ur) Tj", "Für"),
        (r"(Fur) Tj 7.2 0 Td (\310) Tj", "Für"),
        (
            r"(Fur Stahl und Holz, amtsger) Tj 7.2 0 Td (\310) Tj 117.3 0 Td (echt) Tj",
            "Für Stahl und Holz, amtsgerecht",
        ),
        (r"(Fur) Tj 40 0 Td (\310) Tj", "Fur ¨"),
    ],
)
def test_an_accent_that_is_drawn_over_a_letter_is_part_of_it(drawn: str, said: str) -> None:
    text = one("a.pdf", drawn_pdf([(60, 700, "A first line.")], drawing=f"BT /F1 10 Tf 60 600 Td {drawn} ET")).text
    assert text.split("\n")[-1] == said


@pytest.mark.parametrize(
    ("rotate", "matrix", "places"),
    [
        (90, "1 0 0 1", [(60, 700), (60, 686), (60, 672)]),
        (180, "1 0 0 1", [(60, 700), (60, 686), (60, 672)]),
        (0, "0 1 -1 0", [(60, 100), (74, 100), (88, 100)]),
        (0, "0 -1 1 0", [(88, 600), (74, 600), (60, 600)]),
        (0, "-1 0 0 -1", [(500, 60), (500, 74), (500, 88)]),
    ],
)
def test_turned_text_is_read_from_its_own_top(rotate: int, matrix: str, places: list[tuple[float, float]]) -> None:
    words = [(x, y, text) for (x, y), text in zip(places, LEFT, strict=True)]
    assert one("a.pdf", drawn_pdf(words, rotate=rotate, matrix=matrix)).text == "\n".join(LEFT)


def test_a_filled_form_reads_with_its_values_beside_their_labels() -> None:
    words = [(60.0, 740.0, "Customer name:"), (60.0, 700.0, "Order total:"), (60.0, 660.0, "Paid:")]
    fields = [
        ((160, 736, 360, 752), "Halvard Brekke"),
        ((160, 696, 360, 712), "845 euros"),
        ((160, 656, 172, 672), "[x]"),
    ]
    assert one("a.pdf", drawn_pdf(words, fields=fields)).text.split("\n") == [
        "Customer name: Halvard Brekke",
        "Order total: 845 euros",
        "Paid: [x]",
    ]


def divided(*lines: str) -> str:
    """The text of lines that end with the hyphens they are drawn with."""
    return one("a.pdf", drawn_pdf([(60.0, 700.0 - 14 * at, line) for at, line in enumerate(lines)])).text


def test_hyphens_at_the_end_of_a_line_are_taken_out_of_words_alone() -> None:
    assert (
        divided("The boiler has an electro-", "magnetic switch in it.")
        == "The boiler has an electromagnetic switch in it."
    )
    assert "type KX-4410, as" in divided("The boiler has a valve of type KX-", "4410, as ordered last week.")
    assert "model E-1042" in divided("It came with a switch of model E-", "1042 and a cable of two metres.")
    assert "CVE-2024-3094 and" in divided("The hole is known as CVE-2024-", "3094 and was found in spring.")
    assert "state-of-the-art" in divided("It was planned as a state-of-the-", "art kitchen for long journeys.")


def test_two_words_of_the_document_that_are_never_one_keep_their_hyphen() -> None:
    lines = ["The model is based on data. The model", "was based on three years. No model", "is based on less.", ""]
    assert "a model-based estimate" in divided(*lines, "It is a model-", "based estimate of all that is known.")


def test_a_word_that_the_document_writes_with_a_hyphen_keeps_it() -> None:
    said = divided("A long-term plan is a plan for the long-", "term future, and no other plan is.")
    assert "the long-term future" in said


def test_words_drawn_twice_for_a_shadow_are_read_once() -> None:
    words = [(60.0, 700.0, "Annual report"), (60.7, 699.4, "Annual report"), (60.0, 660.0, "Annual report")]
    assert one("a.pdf", drawn_pdf(words)).text.split("\n") == ["Annual report", "Annual report"]


def test_larger_lines_are_headings_where_there_is_no_outline() -> None:
    small = [
        f"BT /F1 10 Tf 1 0 0 1 60 {y} Tm (Words about the pump and its two valves.) Tj ET" for y in (700, 688, 640, 628)
    ]
    large = [f"BT /F1 15 Tf 1 0 0 1 60 {y} Tm ({words}) Tj ET" for y, words in ((730, "Pumps"), (660, "Two valves"))]
    document = one("a.pdf", drawn_pdf([], drawing="\n".join([large[0], *small[:2], large[1], *small[2:]])))
    assert [document.text[start:end] for start, end in document.headings] == ["Pumps", "Two valves"]
    assert document.levels == (1, 1)
    assert "\n\nTwo valves\n\n" in document.text


def test_a_placeholder_is_no_title() -> None:
    assert one("a.pdf", minimal_pdf(["Words."], title="(anonymous)")).title == ""
    assert one("a.pdf", minimal_pdf(["Words."], title="88300 162..177")).title == ""


def piece(text: str, left: float, top: float, *, order: int = 0, width: float = 60, hyphen: bool = False) -> Piece:
    return Piece(text, left, top, left + width, top + 10, order, hyphen)


def test_pieces_on_one_height_are_a_row_from_left_to_right() -> None:
    rows = piece_rows([piece("b", 100, 1), piece("c", 0, 20), piece("a", 0, 0)])
    assert [[one.text for one in row] for row in rows] == [["a", "b"], ["c"]]


def test_a_frame_around_a_text_is_no_table() -> None:
    boxes = [
        (0, -100, 0, 0),
        (50, -100, 50, 0),
        (100, -100, 100, 0),
        (0, -100, 100, -100),
        (0, -50, 100, -50),
        (0, 0, 100, 0),
    ]
    (grid,) = grids(as_seen(boxes, 0))
    inside = [piece("only", 5, 10, width=20)]
    assert list(with_grids(inside, [grid])) == inside
    assert grid.cell_at(10, 10) != grid.cell_at(60, 10) != grid.cell_at(60, 60)
    assert grid.cell_at(200, 10) is None


def test_a_line_parts_words_only_where_it_stands() -> None:
    rules = Ruling(down=((50, 0, 100),))
    assert rules.part(45, 55, 50)
    assert not rules.part(45, 55, 150)
    assert turned((0, 10, 5, 20), 1) == (-20, -5, -10, 0)


@pytest.mark.parametrize(
    ("drawing", "said", "count"),
    [
        ("130 604 m 160 604 l S", "The rent is 10,250 a year", 1),
        ("130 603.7 30 0.6 re f", "The rent is 10,250 a year", 1),
        ("126 604 m 160 604 l S", "The rent is 10,250 a year", 1),  # begun by hand before its words
        ("130 598 m 160 598 l S", "The rent is 9,50010,250 a year", 0),  # a line below
        ("130 604 m 180 604 l S", "The rent is 9,50010,250 a year", 0),  # one that ends within a letter
        ("130 596 30 8 re f", "The rent is 9,50010,250 a year", 0),  # a mark behind the lower half
    ],
)
def test_what_is_struck_out_is_left_out_and_told(drawing: str, said: str, count: int) -> None:
    words = [(60.0, 600.0, "The rent is"), (130.0, 600.0, "9,50010,250 a year")]
    read = one("a.pdf", drawn_pdf(words, drawing=drawing))
    told = f"struck-out text ({count})" if count else None
    assert (read.text, read.metadata.get("left_out")) == (said, told)


def test_a_page_without_words_has_no_lines() -> None:
    assert lines_of([]) == []
    assert one("a.pdf", minimal_pdf(["Said", ""])).metadata["pages"] == 2


def test_a_word_that_goes_on_behind_a_label_keeps_its_hyphen() -> None:
    words = rows_of(
        ("(a)", "The tide came in with a great electro-"),
        ("(b)", "magnetic wave of the northern sea there."),
        at=(60, 90),
    )
    assert "electro-\n(b) magnetic" in one("a.pdf", drawn_pdf(words)).text


def test_blocks_lines_and_pages_keep_every_word() -> None:
    blocks = in_reading_order([piece("one", 0, 0), piece("two", 0, 12, order=1, hyphen=True)])
    assert page_texts([lines_of(blocks)]) == ["one\ntwo-"]
    assert page_texts([[PageLine("an electro", 10, hyphen=True), PageLine("magnet", 10)]]) == ["an electromagnet"]
    assert list(large_lines([[PageLine("Big", 20), PageLine("a long line of small letters", 10)]])) == [(0, "Big", 1)]


def test_letters_that_are_drawn_one_by_one_are_one_line() -> None:
    """A page by wkhtmltopdf, which sets letters one by one: pdfium tells a line break behind each."""
    text = one("a.pdf", Path(__file__).with_name("letters_apart.pdf").read_bytes()).text
    assert text == "Order 55/2024\n\nTenant: Ms Ngo, flat 12, rent £950\n\nFee | £455.00\nInterest | £61.20"


def test_signs_of_a_font_of_signs_are_those_that_it_shows() -> None:
    ticks = drawn_pdf([(60.0, 700.0, "bd")], first_letter="\uf0fb")
    assert one("a.pdf", ticks.replace(b"/Helvetica", b"/Wingdings")).text == "✓☑"
    brackets = drawn_pdf([(60.0, 700.0, "adg")], first_letter="\uf8eb")
    assert one("a.pdf", brackets).text == "⎛⎡⎧"
