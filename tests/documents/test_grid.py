"""Tables as one thing: a grid that every reader fills, and the lines that it is written as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import one

from decoct.data import Link
from decoct.documents.prose import Prose
from decoct.documents.tables.grid import GridCell, TableGrid
from decoct.errors import ParseError


def shown(page: str) -> str:
    """The text of a page of one table, its rows as `th th / td td`, without the closing tags."""
    return one("a.html", f"<p>Before.</p><table>{page}</table>").text.removeprefix("Before.").strip("\n")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("<td>Income<br><br>Tax<td>17,542<br><br>3,508<td>€<br><br>0", "Income | 17,542 | €\nTax | 3,508 | 0"),
        ("<td>Ann<td>2023<br>2024<td>12<br>14", "Ann | 2023 | 12\nAnn | 2024 | 14"),
        ("<td><a href='b.html'>Red</a><br><a href='c.html'>Blue</a><td>1<br>2", "Red | 1\nBlue | 2"),
        # no lines of a table
        ("<td>Mill Road<br>Harbour<td>Ann Holm<br>Clerk", "Mill Road; Harbour | Ann Holm; Clerk"),
        ("<td>Income<br>Tax<br>Rest<td>17<br>3", "Income; Tax; Rest | 17; 3"),
        ("<td>Income<td>17<br>3", "Income | 17; 3"),
    ],
)
def test_lines_side_by_side_in_cells_are_rows(row: str, text: str) -> None:
    document = one("a.html", f"<p>Before.</p><table><tr><td>x<td>y{'<td>z' * (row.count('<td>') - 2)}<tr>{row}</table>")
    assert document.text.partition("\n\n")[2].partition("\n")[2] == text
    assert [document.text[link.start : link.end] for link in document.links] == ["Red", "Blue"] * row.count("c.html")


HEAD = "<tr><th>Part<th>Stock<th>Ordered<th>Lead time"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        # blank cells
        (f"{HEAD}<tr><td>Rotor<td><td>12<td>3 weeks", "Part | Stock | Ordered | Lead time\nRotor | | 12 | 3 weeks"),
        (f"{HEAD}<tr><td>Rotor<td>&nbsp;<td>12<td>3", "Part | Stock | Ordered | Lead time\nRotor | | 12 | 3"),
        (f"{HEAD}<tr><td>Rotor<td><br><td>12<td>3", "Part | Stock | Ordered | Lead time\nRotor | | 12 | 3"),
        (f"{HEAD}<tr><td>Rotor<td><td><td>3", "Part | Stock | Ordered | Lead time\nRotor | | | 3"),
        (f"{HEAD}<tr><td>Rotor<td>5<td><td>", "Part | Stock | Ordered | Lead time\nRotor | 5 | | |"),
        (f"{HEAD}<tr><td>Rotor<td>5", "Part | Stock | Ordered | Lead time\nRotor | 5 | | |"),
        (f"{HEAD}<tr><td><td>5<td>7<td>1", "Part | Stock | Ordered | Lead time\n| | 5 | 7 | 1"),
        ("<tr><th><th>Mon<th>Tue<tr><td>Ida<td><td>late", "| | Mon | Tue\nIda | | late"),
        ("<tr><td>a<td>b<tr><td><td><tr><td>c<td>d", "a | b\nc | d"),
        ("<tr><td>a<td><td>b<tr><td>c<td><td>d", "a | b\nc | d"),
        ("<tr><th>a<th>n<th>b<tr><td>c<td><td>d", "a | n | b\nc | | d"),
        ("<tr><td>1<td>2<td>3<tr><td>4<tr><td>5<td>6<td>7", "1 | 2 | 3\n4 | | |\n5 | 6 | 7"),
        # spans
        ("<tr><th>Line<th>Stop<tr><td rowspan=2>Red<td>Harbour<tr><td>Mill", "Line | Stop\nRed | Harbour\nRed | Mill"),
        ("<tr><th>D<th>R<th>T<tr><td>Mon<td rowspan=2>Oak<td>a<tr><td>Tue<td>b", "D | R | T\nMon | Oak | a\nTue | Oak | b"),
        ("<tr><th>D<th>R<tr><td>Mon<td rowspan=2>Oak<tr><td>Tue", "D | R\nMon | Oak\nTue | Oak"),
        ("<tr><th>D<th>R<tr><td>x<td rowspan=0>Oak<tr><td>y<tr><td>z", "D | R\nx | Oak\ny | Oak\nz | Oak"),
        ("<tr><th>D<th>R<tr><td>x<td rowspan=99>Oak<tr><td>y", "D | R\nx | Oak\ny | Oak"),
        ("<tr><th>D<th>A<th>B<tr><td>x<td colspan=2>5<tr><td>y<td>6<td>7", "D | A | B\nx | 5 | 5\ny | 6 | 7"),
        ("<tr><th>a<th>b<th>c<tr><td rowspan=2 colspan=2>X<td>1<tr><td>2", "a | b | c\nX | X | 1\nX | X | 2"),
        ("<tr><th>a<th>b<th>c<tr><td rowspan=2>X<td>1<td rowspan=2>Y<tr><td>2", "a | b | c\nX | 1 | Y\nX | 2 | Y"),
        ("<tr><td rowspan=2>A<td>1<tr><td>2<tr><td rowspan=2>B<td>3<tr><td>4", "A | 1\nA | 2\nB | 3\nB | 4"),
        ("<tr><td colspan='2x'>a<td>b<tr><td>c<td rowspan=''>d<tr><td colspan=-1>e<td>f", "a | b\nc | d\ne | f"),
        # heads of several rows
        (
            "<tr><th rowspan=2>Team<th colspan=2>2024<th colspan=2>2025<tr><th>Wins<th>Losses<th>Wins<th>Losses"
            "<tr><td>Otters<td>5<td>7<td>9<td>3",
            "Team | 2024 / Wins | 2024 / Losses | 2025 / Wins | 2025 / Losses\nOtters | 5 | 7 | 9 | 3",
        ),
        (
            "<tr><td rowspan=2>Team<td colspan=2>2024<tr><td>Wins<td>Losses<tr><td>Otters<td>5<td>7",
            "Team | 2024 / Wins | 2024 / Losses\nOtters | 5 | 7",
        ),
        (
            "<thead><tr><td>Team<td>Wins<tr><td><td>at home</thead><tr><td>Otters<td>5",
            "Team | Wins / at home\nOtters | 5",
        ),
        (
            "<thead><tr><th rowspan=3>T<th colspan=2>2024<tr><th colspan=2>Home<tr><th>W<th>L</thead><tr><td>O<td>5<td>7",
            "T | 2024 / Home / W | 2024 / Home / L\nO | 5 | 7",
        ),
        (
            "<tr><th colspan=2>Rents from April<tr><th>House<th>Flat<tr><td>Kiln Lane<td>756",
            "Rents from April\n\nHouse | Flat\nKiln Lane | 756",
        ),
        # heads of rows stay cells
        ("<tr><th>Name<td>Ona<tr><th>Age<td>41", "Name | Ona\nAge | 41"),
        ("<tr><th scope=row>Name<th scope=row>Ona<tr><td>Age<td>41", "Name | Ona\nAge | 41"),
        # rows that head others, and heads that come again
        (
            "<tr><th>Item<th>Price<tr><td colspan=2>Fruit<tr><td>Pear<td>2<tr><td colspan=2>Fish<tr><td>Cod<td>9",
            "Fruit\nFruit | Item: Pear | Price: 2\n\nFish\nFish | Item: Cod | Price: 9",
        ),
        (
            "<tr><th>Item<th>Price<tr><td>Pear<td>2<tr><th>Fish<th>Weight<tr><td>Cod<td>9 kg",
            "Item | Price\nPear | 2\n\nFish | Weight\nCod | 9 kg",
        ),
        ("<tr><th>a<th>b<tr><td>1<td>2<tr><th>a<th>b<tr><td>3<td>4", "a | b\n1 | 2\n\na | b\n3 | 4"),
        # what stands in cells
        ("<tr><td><p>A</p><td><p>B</p><tr><td><p>C</p><td><p>8 to 12</p><p>14 to 17</p>", "A | B\nC | 8 to 12; 14 to 17"),
        ("<tr><td>A<td>B<tr><td>C<td>one.<br>two<br>three", "A | B\nC | one. two; three"),
        ("<tr><td>A<td>B<tr><td>C<td><ul><li>x<li>y</ul>", "A | B\nC | x; y"),
        ("<tr><td>A<td>B<tr><td>C<td><ol><li>x<li>y</ol>", "A | B\nC | 1. x; 2. y"),
        ("<tr><td>A<td>B<tr><td>2<sup>64</sup><td><pre>x</pre>", "A | B\n2^64 | x"),
        ("<tr><th>Sign<th>Use<tr><td>a|b<td>either", "Sign: a|b | Use: either"),
        ("<tr><td>A<td>B<tr><td>C<td><b>1</b> 000 <i>m</i>", "A | B\nC | 1 000 m"),
        # tables in cells
        (
            "<tr><th>Item<th>Parts<tr><td>Pump<td>two<table><tr><td>Rotor<td>1<tr><td>Shaft<td>2</table><tr><td>Fan<td>none",
            "Item | Parts\nPump | two; Rotor: 1; Shaft: 2\nFan | none",
        ),
        ("<caption>Prices</caption><tr><th>a<th>b<tr><td>1<td>2", "Prices\n\na | b\n1 | 2"),
        ("<thead><tr><th>a<th>b</thead><tfoot><tr><td>sum<td>3</tfoot><tbody><tr><td>x<td>3", "a | b\nx | 3\nsum | 3"),
        ("<tr><th>a<th>b", "a | b"),
        ("<tr hidden><td>s<td>t<tr><td>a<td>b<tr><td>c<td>d", "a | b\nc | d"),
        # tables that lay out a page are its blocks
        ("<tr><td>Only one cell, of two. <p>Paragraphs.</p>", "Only one cell, of two.\n\nParagraphs."),
        ("<tr><td>a<tr><td>b", "a\nb"),
        ("<tr><td><h2>Left</h2><p>Words.</p><td>Right", "Left\n\nWords.\n\nRight"),
        ("<tr><td><p>oid</p><p>A row.</p><tr><td><p>name</p><p>Its name.</p>", "oid\n\nA row.\n\nname\n\nIts name."),
        ("<tr><td>Menu<td><table><tr><td>a<td>b<tr><td>c<td>d</table>", "Menu\n\na | b\nc | d"),
        ("<tr><td>1<td><pre>one\ntwo</pre>", "1\n\none\ntwo"),
    ],
)  # fmt: skip
def test_a_table_is_written_so_that_each_value_stands_under_its_heads(page: str, text: str) -> None:
    assert shown(page) == text


def test_rows_of_a_long_table_name_their_values() -> None:
    rows = "".join(f"<tr><td>Station {n}<td>{n + 100} m<td>{'' if n % 2 else n}" for n in range(60))
    text = shown(f"<tr><th>Station<th>Altitude<th>Platforms{rows}")
    lines = text.split("\n")
    assert (lines[0], lines[1]) == (
        "Station: Station 0 | Altitude: 100 m | Platforms: 0",
        "Station: Station 1 | Altitude: 101 m",
    )
    assert len(lines) == 60


def test_a_long_table_without_heads_keeps_its_rows() -> None:
    rows = "".join(f"<tr><td>word {n} of many more<td>" for n in range(60))
    assert shown(f"<tr><td>x<td>y{rows}").split("\n")[-1] == "word 59 of many more | |"


def test_what_spans_columns_is_told_once_under_all_their_heads() -> None:
    rows = "".join(f"<tr><td>r{n}<td colspan=2>closed all the day long<td>9" for n in range(40))
    text = shown(f"<tr><th>Room<th>Mon<th>Tue<th>Wed{rows}")
    assert text.split("\n")[3] == "Room: r3 | Mon, Tue: closed all the day long | Wed: 9"


def test_links_of_cells_stand_on_their_words() -> None:
    document = one(
        "a.html",
        "<table><tr><th>a<th>b<tr><td>x|y<td>see <a href='https://a.example'>the page</a><tr><td>z<td><a href='b.html'>b</a></table>",
    )
    assert [(document.text[a.start : a.end], a.target) for a in document.links] == [
        ("the page", "https://a.example"),
        ("b", "b.html"),
    ]


def test_text_between_cells_is_not_lost() -> None:
    assert one("a.html", "<table><tr>stray<td>a<td>b<tr><td>c<td>d</table>").text == "stray\n\na | b\nc | d"


def test_a_table_of_too_many_cells_is_refused_and_spans_do_not_blow_it_up() -> None:
    grid = TableGrid()
    for _ in range(9_000):
        grid.begin_row()
    grid.add(GridCell("x", columns=1_000))
    with pytest.raises(ParseError, match="more cells than can be read"):
        grid.write(Prose())
    wide = TableGrid()
    wide.add(GridCell("word " * 1_000, columns=1_000, rows=60_000))
    wide.begin_row()
    wide.begin_row()
    prose = Prose()
    wide.write(prose)
    assert prose.length < 10_000


TEXT = st.sampled_from(["", "12", "a b", "3.5", "x"])


@given(st.lists(st.lists(TEXT, min_size=2, max_size=5), min_size=1, max_size=6))
def test_each_value_keeps_its_column(rows: list[list[str]]) -> None:
    grid, width = TableGrid(heads={0}), max(map(len, rows))
    names = [f"h{n}" for n in range(width)]
    for row in [names, *rows]:
        grid.begin_row()
        for text in row:
            grid.add(GridCell(text))
    prose = Prose()
    grid.write(prose)
    lines = prose.text.split("\n")
    filled = [row for row in rows if any(row)]
    assert lines[0].split(" | ") == names
    for line, row in zip(lines[1:], filled, strict=True):
        parts = [part.strip() for part in line.split("|")]
        parts = parts[1:] if not row[0] else parts
        assert parts[: len(row)] == row


def test_links_move_with_their_cell() -> None:
    grid = TableGrid()
    grid.add(GridCell(""))
    grid.add(GridCell("a page", (Link(2, 6, "t"),)))
    grid.begin_row()
    grid.add(GridCell("b"))
    grid.add(GridCell("c"))
    prose = Prose()
    grid.write(prose)
    assert prose.text == "| | a page\nb | c"
    assert [prose.text[link.start : link.end] for link in prose.links] == ["page"]


HEADED = "<tr><th>Item<th>Qty<th>Price"


@pytest.mark.parametrize(
    ("said", "heads"),
    [
        ("Drinks", True),
        ("2023", True),
        ("Subtotal drinks: 3 euro", False),
        ("Total 13.50", False),
        ("Total 13", False),
        ("Sum of all 3 euro", False),
        ("All prices are net.", False),
    ],
)
def test_a_row_over_all_columns_heads_others_if_it_is_a_label(said: str, heads: bool) -> None:
    text = shown(f"{HEADED}<tr><td>Tea<td>1<td>3<tr><td colspan=3>{said}<tr><td>Bread<td>2<td>5")
    assert (f"\n{said} | Item: Bread | Qty: 2 | Price: 5" in text) == heads
    assert (text == f"Item | Qty | Price\nTea | 1 | 3\n{said}\nBread | 2 | 5") != heads


def test_a_table_in_a_cell_that_is_no_list_of_values_stands_under_the_names_of_its_row_and_column() -> None:
    sizes, price = (
        "<table><tr><th>Size<th>Price<tr><td>S<td>10</table>",
        "<table><tr><td>Rent<td>5<tr><td>Buy<td><i>9</i></table>",
    )
    page = f"<tr><th>Item<th>Variants<th>Costs<tr><td>Lamp<td>{sizes}<td>{price}"
    assert shown(page) == "Item: Lamp | Costs: Rent: 5; Buy: 9\n\nLamp / Variants\n\nSize | Price\nS | 10"


def test_a_table_over_all_columns_heads_nothing() -> None:
    inner = "<tr><td colspan=3><table><tr><td>a<td>b</table><tr><td>Bread<td>2<td>5"
    assert shown(HEADED + inner) == "a | b\n\nItem: Bread | Qty: 2 | Price: 5"


def test_a_sum_stands_in_its_group_and_ends_it() -> None:
    group = "<tr><td colspan=3>Food<tr><td>Bread<td>2<td>5<tr><td colspan=3>Sum: 5 euro<tr><td>Tip<td>1<td>2"
    read = "Food\nFood | Item: Bread | Qty: 2 | Price: 5\nFood | Sum: 5 euro\nItem: Tip | Qty: 1 | Price: 2"
    assert shown(HEADED + group) == read


def test_a_label_with_a_number_heads_others_where_a_label_stands_first() -> None:
    groups = "".join(f"<tr><td colspan=3>{label}<tr><td>Bo<td>2<td>5" for label in ("Intro", "Week 1"))
    assert shown(HEADED + groups).endswith("Week 1 | Item: Bo | Qty: 2 | Price: 5")


def test_rows_of_one_kind_head_others_though_they_say_values() -> None:
    groups = "".join(f"<tr><td colspan=3>Up to {kg} kg<tr><td>Bo<td>2<td>5" for kg in (57, 65))
    assert shown(HEADED + groups).endswith("Up to 65 kg | Item: Bo | Qty: 2 | Price: 5")


def test_a_label_alone_ends_the_group_above_and_hours_of_a_break_head_nothing() -> None:
    rows = "<tr><td colspan=3>Hire<tr><td>Kayak<td>1<td>9<tr><td>Lessons<td><td><tr><td>Kayak<td>1<td>40"
    assert shown(HEADED + rows).endswith(
        "Hire | Item: Kayak | Qty: 1 | Price: 9\nItem: Lessons\nItem: Kayak | Qty: 1 | Price: 40"
    )
    rows = "<tr><td>Tea<td>1<td>3<tr><td colspan=3>Closed 12:00–12:45<tr><td>Bread<td>2<td>5"
    assert shown(HEADED + rows) == "Item | Qty | Price\nTea | 1 | 3\nClosed 12:00–12:45\nBread | 2 | 5"
