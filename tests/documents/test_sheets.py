"""XLSX: every value as its sheet shows it, under its own names."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.reader.strings import read_rich_text
from openpyxl.styles import Alignment, Font
from openpyxl.worksheet.table import Table
from reading import one
from small_files import replaced, saved
from test_new_shapes import cell, opendocument, row

from decoct.documents.prose import Prose
from decoct.documents.tables.heads import CellValue
from decoct.documents.tables.sheet_cells import MAIN, Area, SheetCells, Styles, area_of, sheet_cells
from decoct.documents.tables.sheet_tables import write_tables
from decoct.documents.tables.xlsx import SheetParts
from decoct.errors import ParseError

Change = Callable[[Any], None]


def text_of(rows: Sequence[Sequence[Any]], change: Change = lambda sheet: None) -> str:
    """The text of a workbook of one sheet named S, without that name."""
    return one("a.xlsx", made(rows, change)).text.removeprefix("S\n\n")


def made(rows: Sequence[Sequence[Any]], change: Change = lambda sheet: None) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "S"
    for values in rows:
        sheet.append(list(values))
    change(sheet)
    return saved(book)


def merged(*areas: str) -> Change:
    def change(sheet: Any) -> None:
        for area in areas:
            sheet.merge_cells(area)

    return change


def formatted(place: str, code: str) -> Change:
    def change(sheet: Any) -> None:
        sheet[place].number_format = code

    return change


def bold(*places: str) -> Change:
    def change(sheet: Any) -> None:
        for place in places:
            sheet[place].font = Font(bold=True)

    return change


@pytest.mark.parametrize(
    ("rows", "change", "text"),
    [
        ([["Line", "Stop"], ["Red", "Harbour"], [None, "Mill"], ["Blue", "Lake"]], merged("A2:A3"),
         "Line: Red | Stop: Harbour\nLine: Red | Stop: Mill\nLine: Blue | Stop: Lake"),
        ([["Team", 2024, None], [None, "Wins", "Losses"], ["Otters", 5, 7]], merged("B1:C1", "A1:A2"),
         "Team: Otters | 2024 / Wins: 5 | 2024 / Losses: 7"),
        ([[None, 2024, None, 2025, None], ["Team", "W", "L", "W", "L"], ["Otters", 5, 7, 9, 3]], merged(),
         "Team: Otters | 2024 / W: 5 | 2024 / L: 7 | 2025 / W: 9 | 2025 / L: 3"),
        ([["Prices 2026"], [], ["Article", "Price"], ["Valve", 14.5]], merged(), "Prices 2026\n\nArticle: Valve | Price: 14.5"),
        ([["Prices 2026", None, None], ["Article", "Size", "Price"], ["Valve", "DN 20", 14.5]], merged("A1:C1"),
         "Prices 2026\n\nArticle: Valve | Size: DN 20 | Price: 14.5"),
        ([["Room", "Seats"], ["Oak", 12], [], ["Device", "Serial"], ["Beamer", "BX-77"]], merged(),
         "Room: Oak | Seats: 12\n\nDevice: Beamer | Serial: BX-77"),
        ([["Room", "Seats"], ["Oak", 12], [], ["Elm", 20], ["Ash", 7]], merged(),
         "Room: Oak | Seats: 12\n\nRoom: Elm | Seats: 20\nRoom: Ash | Seats: 7"),
        ([["Plant", 2023, 2024], ["Ely", 410, 455]], merged(), "Plant: Ely | 2023: 410 | 2024: 455"),
        ([["Name", "Phone", "Phone"], ["Ona", "100", "200"]], merged(), "Name: Ona | Phone: 100 | Phone: 200"),
        ([["Name", "Ona"], ["Born", datetime.date(1990, 5, 1)], ["Height", 180]], merged(), "Name: Ona\nBorn: 1990-05-01\nHeight: 180"),
        ([["yes", "no"], ["no", "no"], ["yes", "yes"]], bold("A1", "B1"), "yes: no | no: no\nyes: yes | no: yes"),
        ([["a", 1, None], ["b", None, 3]], merged(), "a | 1 | |\nb | | 3"),
        ([["Code", "Rate"], ["A", 0.075]], formatted("B2", "0.0%"), "Code: A | Rate: 7.5%"),
        ([["Town", "Zip"], ["Rye", 420]], formatted("B2", "00000"), "Town: Rye | Zip: 00420"),
        ([["Item", "Price"], ["Desk", 1234.5]], formatted("B2", "#,##0.00 [$€-407]"), "Item: Desk | Price: 1,234.50 €"),
        ([["Day", "Count"], [datetime.datetime(2024, 3, 5), 4]], formatted("A2", "d mmmm yyyy"), "Day: 5 March 2024 | Count: 4"),
        ([["Bus", "Leaves"], ["7", datetime.time(8, 30)]], formatted("B2", "hh:mm"), "Bus: 7 | Leaves: 08:30"),
        ([["Item", "Net"], ["Desk", 0.1 + 0.2]], merged(), "Item: Desk | Net: 0.3"),
        ([["Item", "Open"], ["Desk", True]], merged(), "Item: Desk | Open: TRUE"),
        ([["Item", "Gross"], ["Desk", "=B1*1.2"]], merged(), "Item: Desk | Gross: =B1*1.2"),
        ([["only"], ["one"], ["column"]], merged(), "only\none\ncolumn"),
    ],
)  # fmt: skip
def test_values_stand_under_their_names(rows: Sequence[Sequence[Any]], change: Change, text: str) -> None:
    assert text_of(rows, change) == text


def test_a_title_over_all_columns_names_none_of_them() -> None:
    rows: list[list[Any]] = [
        ["Net rents from April", None, None],
        ["House", "2 rooms", "3 rooms"],
        ["Kiln Lane", 756, 986],
        ["Weir", 815, 990],
    ]
    text = "Net rents from April\n\nHouse: Kiln Lane | 2 rooms: 756 | 3 rooms: 986\nHouse: Weir | 2 rooms: 815 | 3 rooms: 990"
    assert text_of(rows, merged("A1:C1")) == text


def test_a_date_below_a_blank_row_is_no_amount_and_raised_letters_are_told() -> None:
    rows: list[list[Any]] = [
        ["No", "Title", "Sum"],
        [1, "Fence", 1250.5],
        ["Total", None, 939],
        [],
        ["seen by Ott", "on", "2026-02-03"],
    ]
    assert text_of(rows).endswith("No: Total | Sum: 939\n\nseen by Ott | on | 2026-02-03")
    up, down = (InlineFont(vertAlign=f"{kind}script") for kind in ("super", "sub"))
    said = [CellRichText("120 m", TextBlock(up, "2")), CellRichText("CO", TextBlock(down, "2"), " 5")]
    assert text_of([["Yard", "Air"], said, [4, 5]]) == "Yard: 120 m^2 | Air: CO2 5\nYard: 4 | Air: 5"


def test_what_excel_knows_as_a_table_has_its_names() -> None:
    def change(sheet: Any) -> None:
        sheet.add_table(Table(displayName="T", ref="A2:B4"))

    rows: list[list[Any]] = [["x", 1], ["yes", "no"], ["yes", "yes"], ["no", "no"]]
    assert text_of(rows, change) == "x | 1\n\nyes: yes | no: yes\nyes: no | no: no"


def test_hidden_parts_are_read_and_told() -> None:
    book = openpyxl.load_workbook(io.BytesIO(made([["Item", "Price"], ["Desk", 4], ["Lamp", "=1+1"]])))
    book["S"].row_dimensions[2].hidden = True
    book.create_sheet("Base").append(["x", 1])
    book["Base"].sheet_state = "hidden"
    document = one("a.xlsx", saved(book))
    assert document.text == "S\n\nItem: Desk | Price: 4\nItem: Lamp | Price: =1+1\n\nBase\n\nx | 1"
    told = str(document.metadata["left_out"])
    for part in ("hidden rows, read", "hidden sheets, read", "formulas whose value was never stored"):
        assert part in told


def test_comments_and_charts_follow_the_cells() -> None:
    def change(sheet: Any) -> None:
        sheet["B2"].comment = Comment("Net of tax", "Ona")
        chart = BarChart()
        chart.title = "Prices"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        sheet.add_chart(chart, "D2")

    text = text_of([["Item", "Price"], ["Desk", 4], ["Lamp", 2]], change)
    assert text.endswith("Comment on B2 (Desk: 4) by Ona: Net of tax")
    assert text.startswith("Item: Desk | Price: 4\nItem: Lamp | Price: 2\n\nPrices")


def test_areas_and_merges_beyond_the_sheet() -> None:
    assert area_of("$A$1:C4") == Area(0, 0, 3, 2)
    assert (area_of("B2"), area_of("A:A"), area_of("")) == (Area(1, 1, 1, 1), None, None)
    sheet = SheetCells(
        {0: {0: CellValue("x", "text"), 1: CellValue("y", "text")}}, [Area(0, 0, 1_000_000, 16_000), Area(5, 5, 6, 6)]
    )
    prose = Prose()
    write_tables(sheet, [], prose)
    assert "x" in prose.text
    assert len(prose.text) < 100


def test_the_words_of_a_diagram_of_a_sheet_are_read() -> None:
    def change(sheet: Any) -> None:
        chart = BarChart()
        chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=2))
        sheet.add_chart(chart, "D2")

    office = "http://schemas.openxmlformats.org/"
    points = "".join(
        f"<dgm:pt><a:p>{words}</a:p></dgm:pt>"
        for words in ("<a:t>Or</a:t><a:t>der</a:t>", "<a:t>Paint</a:t><a:br/><a:t>7</a:t>")
    )
    kinds = {"dgm": "drawingml/2006/diagram", "a": "drawingml/2006/main", "r": "officeDocument/2006/relationships"}
    names = " ".join(f'xmlns:{name}="{office}{kind}"' for name, kind in kinds.items())
    drawing = f'<x {names}><dgm:relIds r:dm="rId1"/></x>'
    parts = {"xl/drawings/drawing1.xml": drawing.encode(), "xl/charts/chart1.xml": f"<x {names}>{points}</x>".encode()}
    assert one("a.xlsx", replaced(made([["Steps", 2], ["x", 3]], change), parts)).text.endswith("Order\nPaint 7")


def test_a_sheet_without_further_parts() -> None:
    with zipfile.ZipFile(io.BytesIO(made([["x", 1]]))) as archive:
        parts = SheetParts(archive, "xl/worksheets/sheet1.xml")
    assert (parts.tables(), parts.comments(SheetCells()), list(parts.drawn())) == ([], [], [])


def test_a_cell_whose_place_is_no_place_follows_the_one_before_it() -> None:
    found = sheet_cells(
        io.BytesIO(
            b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
            b'<c r="AB1"><v>1</v></c><c r="?"><v>2</v></c><c><v>2</v></c></row></sheetData></worksheet>'
        ),
        Styles(openpyxl.Workbook()),
        "S",
        100,
    )
    assert {column: cell.text for column, cell in found.rows[0].items()} == {27: "1", 28: "2", 29: "2"}


def test_a_sheet_with_a_document_type_is_refused_before_its_entities_grow() -> None:
    data = b'<!DOCTYPE worksheet [<!ENTITY a "aaaa">]><worksheet><v>&a;</v></worksheet>'
    with pytest.raises(ParseError, match="document type"):
        sheet_cells(io.BytesIO(data), Styles(openpyxl.Workbook()), "S", 100)


HEADS = ["Item", "Qty", None, "Worker", "Room"]
LAMP, SOFA = ["Lamp", 2, None, "Mara", 204], ["Sofa", 1, None, "Ona", 310]
LEFT, RIGHT = "Item: Lamp | Qty: 2\nItem: Sofa | Qty: 1", "Worker: Mara | Room: 204\nWorker: Ona | Room: 310"
PERSON = "Contact: Mara\nPhone: 555 100\nUntil: 2026-01-31"
BESIDE: list[tuple[list[list[Any]], str]] = [
    ([HEADS, LAMP, SOFA], f"{LEFT}\n\n{RIGHT}"),
    ([HEADS, LAMP, SOFA, ["Rug", 5]], f"{LEFT}\nItem: Rug | Qty: 5\n\n{RIGHT}"),
    ([HEADS, LAMP, SOFA, [None, None, None, "Ida", 311]], f"{LEFT}\n\n{RIGHT}\nWorker: Ida | Room: 311"),
    ([["Prices", None, None, "Rooms"], HEADS, LAMP, SOFA], f"Prices\n\n{LEFT}\n\nRooms\n\n{RIGHT}"),
    ([["Prices", None, None, "Rooms"], [], HEADS, LAMP, SOFA], f"Prices\n\n{LEFT}\n\nRooms\n\n{RIGHT}"),
    ([["Item", "Qty"], ["Lamp", 2, *HEADS[2:]], ["Sofa", 1, *LAMP[2:]], [None, None, *SOFA[2:]]], f"{LEFT}\n\n{RIGHT}"),
    ([["Item", "Qty", None, "Contact", "Mara"], ["Lamp", 2, None, "Phone", "555 100"], ["Sofa", 1, None, "Until", "2026-01-31"]],
     f"{LEFT}\n\n{PERSON}"),
    ([["Contact:", "Mara", None, "Item", "Qty"], ["Phone:", "555 100", None, "Lamp", 2], [None, None, None, "Sofa", 1]],
     f"Contact: Mara\nPhone: 555 100\n\n{LEFT}"),
    ([["Income", None, None, "Expenses"], ["Pay", 2900, None, "Rent", 1100], ["Total", 2900, None, "Total", 1100]],
     "Income\n\nPay | 2900\nTotal | 2900\n\nExpenses\n\nRent | 1100\nTotal | 1100"),
    ([HEADS, LAMP, SOFA, ["Total", 3, None, "Total", 514]], f"{LEFT}\nItem: Total | Qty: 3\n\n{RIGHT}\nWorker: Total | Room: 514"),
    ([["May", None, None, "June"], ["Item", "Qty", None, "Item", "Qty"], ["Lamp", 2, None, "Lamp", 4], ["Lamp", 1, None, "Lamp", 3]],
     "May\n\nItem: Lamp | Qty: 2\nItem: Lamp | Qty: 1\n\nJune\n\nItem: Lamp | Qty: 4\nItem: Lamp | Qty: 3"),
    ([HEADS, LAMP, SOFA, [None, None, None, "Ida", 311], ["Town", "Zip", None, "Ina", 312], ["Rye", 31, None, "Iwo", 313]],
     f"{LEFT}\n\nTown: Rye | Zip: 31\n\n{RIGHT}\nWorker: Ida | Room: 311\nWorker: Ina | Room: 312\nWorker: Iwo | Room: 313"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "text"), BESIDE)
def test_tables_with_a_blank_column_between_them_are_told_apart(rows: list[list[Any]], text: str) -> None:
    assert text_of(rows) == text
    lines = [",".join("" if cell is None else str(cell) for cell in (*row, *[None] * (5 - len(row)))) for row in rows]
    assert one("a.csv", "\n".join(lines)).text == text
    cells = "".join(row(*(cell("" if value is None else str(value)) for value in values)) for values in rows)
    sheet = f'<office:spreadsheet><table:table table:name="S">{cells}</table:table></office:spreadsheet>'
    assert opendocument("a.ods", sheet).text == f"S\n\n{text}"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([["Part", "Price", None, "2024", "2025"], ["Rotor", 2, None, 4, 3], ["Seal", 3, None, 5, 4]],
         "Part: Rotor | Price: 2 | 2024: 4 | 2025: 3\nPart: Seal | Price: 3 | 2024: 5 | 2025: 4"),
        ([["Part", "Price", None, "Note", "Stock"], ["Rotor", 2, None, "old", 3], ["Seal", 3, None, None, 4]],
         "Part: Rotor | Price: 2 | Note: old | Stock: 3\nPart: Seal | Price: 3 | Stock: 4"),
        ([["Part", "Price", None, "Sold", "Left"], ["Rotor", 2, None, 8, 3], ["Seal", 3, None, 5, 4], [None, None, None, 13, 7]],
         "Part: Rotor | Price: 2 | Sold: 8 | Left: 3\nPart: Seal | Price: 3 | Sold: 5 | Left: 4\nSold: 13 | Left: 7"),
        ([["Item", "Qty", None, "Without tax"], ["Lamp", 2], ["Sofa", 1]], f"Item | Qty | Without tax\n{LEFT}"),
    ],
)  # fmt: skip
def test_columns_behind_a_blank_one_that_tell_no_rows_apart_are_of_the_same_table(
    rows: list[list[Any]], text: str
) -> None:
    assert text_of(rows) == text


TEAM: list[list[Any]] = [["Name", "Goals", "Cards"], ["Mia", 7, 0], ["Tom", 3, 2]]


@pytest.mark.parametrize(
    ("rows", "marked", "text"),
    [
        ([["Seniors"], ["Name", "Matches", "Age"], ["Ulf", 14, 41]], [], "\n\nSeniors\n\nName: Ulf | Matches: 14 | Age: 41"),
        ([["Name", "Matches", "Age"], ["Ulf", 14, 41]], [], "\n\nName: Ulf | Matches: 14 | Age: 41"),
        ([["Halls"], ["Hall", "Seats"], ["North", 40]], ["A1", "A5", "B5"], "\n\nHalls\n\nHall: North | Seats: 40"),
        ([["Ida", "out", "out"], ["Ulf", 14, 1]], [], "\nName: Ida | Goals: out | Cards: out\nName: Ulf | Goals: 14 | Cards: 1"),
        ([[], [], ["Ulf", 14, 1], ["Kai", 9, 0]], [], "\n\nName: Ulf | Goals: 14 | Cards: 1\nName: Kai | Goals: 9 | Cards: 0"),
        ([*[[]] * 5, ["Fri", 81], ["Sat", 117]], [], "\n\nFri | 81\nSat | 117"),  # of another one
    ],
)  # fmt: skip
def test_a_table_below_another_has_its_own_names(rows: list[list[Any]], marked: list[str], text: str) -> None:
    above = "Name: Mia | Goals: 7 | Cards: 0\nName: Tom | Goals: 3 | Cards: 2"
    assert text_of([*TEAM, *rows], bold(*marked)) == f"{above}{text}"


def test_a_sum_above_the_names_is_none_of_them_and_codes_stand_behind_theirs() -> None:
    rows: list[list[Any]] = [["Total", None, 640], ["Drink", "Sold", "Income"], ["Cider", 80, 400]]
    assert text_of(rows) == "Total | 640\n\nDrink: Cider | Sold: 80 | Income: 400"
    assert text_of([["Vendor", "K-7781"], ["VAT ID", "DE811907980"]]) == "Vendor: K-7781\nVAT ID: DE811907980"


def test_lines_over_and_below_tables_side_by_side_are_lines() -> None:
    rows: list[list[Any]] = [["House 4"], HEADS, LAMP, SOFA, ["As of May"]]
    assert text_of(rows, merged("A1:E1", "A5:E5")) == f"House 4\n\n{LEFT}\n\n{RIGHT}\n\nAs of May"
    between: list[list[Any]] = [["Prices", None, "As of May", "Rooms"], [], HEADS, LAMP, SOFA]
    assert text_of(between) == f"Prices | As of May | Rooms\n\n{LEFT}\n\n{RIGHT}"


def test_a_table_that_excel_knows_is_its_own_beside_another() -> None:
    rows: list[list[Any]] = [["Part", "Note", None, "Room", "Seats"], ["Rotor", "no", None, "Oak", 12]]
    rows += [["Rotor", "no", None, "Elm", 8], ["Seal", "yes"]]

    def change(sheet: Any) -> None:
        sheet.add_table(Table(displayName="T", ref="D1:E3"))

    left, right = (
        "Part: Rotor | Note: no\nPart: Rotor | Note: no\nPart: Seal | Note: yes",
        "Room: Oak | Seats: 12\nRoom: Elm | Seats: 8",
    )
    assert text_of(rows, change) == f"{left}\n\n{right}"


def test_the_names_of_a_pivot_table_stand_above_its_values() -> None:
    names = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    link = '<Relationship Id="rId1" Type="http://x/pivotTable" Target="../pivot1.xml"/>'
    place = '<location ref="B2:D9" firstHeaderRow="1" firstDataRow="2" firstDataCol="1"/>'
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", f"<Relationships {names}>{link}</Relationships>")
        archive.writestr("xl/pivot1.xml", f'<pivotTableDefinition xmlns="{MAIN[1:-1]}">{place}</pivotTableDefinition>')
        assert SheetParts(archive, "xl/worksheets/sheet1.xml").tables() == [Area(2, 1, 8, 3)]


def test_struck_out_text_is_not_read_and_told() -> None:
    def change(sheet: Any) -> None:
        sheet["B3"].font = Font(strike=True)

    struck = CellRichText("old ", TextBlock(InlineFont(strike=True), "500"), " new 600")
    data = made([["Name", "Note", "No"], ["Pump", struck, 1], ["Lid", "900", 2], ["Cap", "x", 3]], change)
    document = one("a.xlsx", data)
    assert (
        document.text == "S\n\nName: Pump | Note: old new 600 | No: 1\nName: Lid | No: 2\nName: Cap | Note: x | No: 3"
    )
    assert document.metadata["left_out"] == "struck-out text (2)"
    runs = "<si><r><t>old </t></r><r><rPr><strike/></rPr><t>500</t></r></si><si><t>Lid</t></si>"
    texts = f'<sst xmlns="{MAIN[1:-1]}">{runs}</sst>'
    found = Styles(openpyxl.Workbook(), read_rich_text(io.BytesIO(texts.encode())))
    assert [told.text for at in "01" if (told := found.told("s", None, at))] == ["old", "Lid"]


def test_what_a_format_hides_is_told() -> None:
    def change(sheet: Any) -> None:
        sheet["A2"].number_format, sheet["A3"].number_format, sheet["B3"].number_format = ";;;", "0;-0;;@", ";;;"
        sheet["B2"].font = Font(color="FFFFFFFF")

    document = one("a.xlsx", made([["Fee", "Note"], [55, "white"], [0, "text"], [7, "x"]], change))
    assert document.metadata["left_out"] == "cells that their format hides, read with the others (4)"


def test_indents_sheets_of_charts_values_still_to_be_calculated_and_what_is_printed_around() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "S"
    for cells in (["Item", "Cost"], ["Running", 9], ["Heating", 4], ["Gas", 3], ["Staff", 2], [None, "=SUM(B2:B5)"]):
        sheet.append(cells)
    sheet["A3"].alignment, sheet["A4"].alignment = Alignment(indent=1), Alignment(indent=2)
    sheet.oddHeader.left.text, sheet.oddHeader.right.text = "Report 9", "Page &P of &N"
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    chart.title = "Shares"
    book.create_chartsheet("Plot").add_chart(chart)
    data, path = saved(book), "xl/worksheets/sheet1.xml"
    part = zipfile.ZipFile(io.BytesIO(data)).read(path)
    assert b"<f>SUM(B2:B5)</f><v" in part
    part = re.sub(rb"(?<=</f>)<v\s*/>|(?<=</f>)<v></v>", b"<v>0</v>", part)
    document = one("a.xlsx", replaced(data, {path: part}))
    table = "Item: Running | Cost: 9\nItem: Running / Heating | Cost: 4\nItem: Running / Heating / Gas | Cost: 3"
    assert document.text.startswith(f"S\n\n{table}\nItem: Staff | Cost: 2\nCost: =SUM(B2:B5)\n\nPlot\n\nShares")
    assert document.text.endswith("\n\nHeader: Report 9")


def test_values_of_opendocument_without_words_are_told() -> None:
    values = '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>'
    values += '<table:table-cell office:value-type="time" office:time-value="PT08H30M00S"/>'
    rows = f'<table:table table:name="S"><table:table-row>{values}</table:table-row></table:table>'
    assert "TRUE | 08:30:00" in opendocument("a.ods", f"<office:spreadsheet>{rows}</office:spreadsheet>").text


def test_names_that_come_again_under_each_upper_one_are_names_though_no_numbers_stand_below() -> None:
    rows: list[list[Any]] = [
        [None, "Hall", None, "Yard"],
        ["Day", "Clean", "Safe", "Clean", "Safe"],
        ["Mon", "ok", "bad", "ok", "ok"],
        ["Tue", "bad", "ok", "ok", "bad"],
    ]
    assert text_of(rows).startswith(
        "Day: Mon | Hall / Clean: ok | Hall / Safe: bad | Yard / Clean: ok | Yard / Safe: ok"
    )


def test_notes_beside_a_table_and_a_line_of_a_form_below_it_are_of_no_column() -> None:
    rows: list[list[Any]] = [["Boat", "Oct", None, "Key: with Ane"], ["Iris", 4, None, "Cox: Bo"], ["Odin", 7]]
    assert text_of(rows) == "Boat: Iris | Oct: 4 | Cox: Bo\nBoat: Odin | Oct: 7\n\nKey: with Ane"
    rows = [["Check", "OK"], ["Mast", "x"], ["Keel", "x"], [], ["Signed:", "____"]]
    assert text_of(rows).endswith("Check: Keel | OK: x\n\nSigned: | ____")


@pytest.mark.parametrize(
    ("asks", "shown"), [("", "0"), (' fullCalcOnLoad="0"', "0"), (' fullCalcOnLoad="1"', "=C2-C3")]
)
def test_a_stored_nought_is_a_value_unless_the_workbook_asks_to_be_calculated(asks: str, shown: str) -> None:
    data = made([["Plant", "Left", "On"], ["Lime", "=C2-C3", "=FALSE()"], ["Elm", 4, 5]])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        book, sheet = (archive.read(f"xl/{part}.xml").decode() for part in ("workbook", "worksheets/sheet1"))
    book = re.sub("<calcPr[^>]*>", f'<calcPr calcId="1"{asks}/>', book)
    sheet = re.sub("(C2-C3</f>)<v.*?(?=</c>)", r"\1<v>0</v>", sheet)
    sheet = re.sub('<c r="C2".*?</f><v.*?(?=</c>)', '<c r="C2" t="b"><f>FALSE()</f><v>0</v>', sheet)
    said = one("a.xlsx", replaced(data, {"xl/workbook.xml": book.encode(), "xl/worksheets/sheet1.xml": sheet.encode()}))
    assert said.text == f"S\n\nPlant: Lime | Left: {shown} | On: FALSE\nPlant: Elm | Left: 4 | On: 5"


@pytest.mark.parametrize(("cells", "note"), [("<text:p/>", ""), ("", " | Note: =1")])
def test_a_formula_that_was_calculated_to_nothing_shows_nothing(cells: str, note: str) -> None:
    told = f'<table:table-cell table:formula="of:=1">{cells}</table:table-cell>'
    rows = row(cell("Item"), cell("Left"), cell("Note")) + row(cell("Lime"), cell("4"), told)
    rows += row(cell("Elm"), cell("5"), cell("open"))
    sheet = f'<office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet>'
    shown = opendocument("a.ods", sheet).text
    assert shown == f"S\n\nItem: Lime | Left: 4{note}\nItem: Elm | Left: 5 | Note: open"


@pytest.mark.parametrize(
    ("below", "end"),
    [
        (["Order by noon of the day before."], "\n\nOrder by noon of the day before."),
        (["Ask at the gate for keys"], "\n\nAsk at the gate for keys"),  # far longer than the labels
        (["Rug"], "\nItem: Rug"),
        (["See the list of rooms.", 3], "\nItem: See the list of rooms. | Qty: 3"),
    ],
)
def test_a_note_right_under_a_table_is_no_row_of_it(below: list[Any], end: str) -> None:
    assert (
        text_of([["Item", "Qty"], ["Lamp", 2], ["Sofa", 1], below]) == f"Item: Lamp | Qty: 2\nItem: Sofa | Qty: 1{end}"
    )


def test_tasks_whose_other_columns_are_still_blank_are_rows() -> None:
    tasks = [["Oil the gate of the yard."], ["Wash the floor of the hall."], ["Lock all of the doors."]]
    assert "Task: Lock all" in text_of([["Task", "Hours"], ["Sweep", 2], *tasks])


def _text_of(*rows: Sequence[Any]) -> str:
    return one("a.xlsx", made(rows)).text.split("\n\n", 1)[1]


def test_a_label_alone_amid_codes_heads_the_rows_below_it() -> None:
    rows: list[list[Any]] = [
        ["Part", "Stock", "Bin"],
        ["Pumps", None, None],
        ["P-12", 4, "A1"],
        ["P-21", 7, "A2"],
        ["Valves", None, None],
    ]
    text = _text_of(*rows, ["V-3", 1, "B1"], ["V-8", 0, "B2"])
    assert "Pumps | Part: P-21 | Stock: 7 | Bin: A2" in text
    assert "Valves | Part: V-8 | Stock: 0 | Bin: B2" in text


def test_a_label_alone_amid_names_is_a_row_of_its_own() -> None:
    text = _text_of(["Who", "Days", "Desk"], ["Ona", None, None], ["Ben", 4, "A1"], ["Cy", 7, "A2"], ["Dee", 1, "B1"])
    assert text.split("\n")[:2] == ["Who: Ona", "Who: Ben | Days: 4 | Desk: A1"]
