"""Workbooks as one XML file (Excel 2002 and 2003, and the exports of many programs): their sheets as those of every workbook.

The elements are those of Microsoft's "XML Spreadsheet Reference" (2001). Cells may leave out those before them (`Index`) and cover others.
"""

from __future__ import annotations

from collections import Counter

from lxml import etree

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.prose import Prose
from decoct.documents.tables.heads import CellValue
from decoct.documents.tables.numberformats import shown
from decoct.documents.tables.sheet_cells import Area, SheetCells, iso_moment
from decoct.documents.tables.sheet_tables import write_named_sheet

_SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
_EXCEL = "{urn:schemas-microsoft-com:office:excel}"
WORKBOOK = f"{_SHEET}Workbook"
_NAMED = {"Percent": "0.00%", "Fixed": "0.00", "Standard": "#,##0.00", "Scientific": "0.00E+00", "Currency": "#,##0.00"}
_MOST = 1_048_576  # rows or columns


def write_workbook(root: etree._Element, prose: Prose) -> Counter[str]:
    """Write the sheets of a workbook; what was hidden in it is counted."""
    counts: Counter[str] = Counter()
    styles = {style.get(f"{_SHEET}ID"): (_format(style), _is_bold(style)) for style in root.iter(f"{_SHEET}Style")}
    for sheet in root.iterchildren(f"{_SHEET}Worksheet"):
        cells, notes = _cells(sheet, styles)
        if not write_named_sheet(sheet.get(f"{_SHEET}Name") or "", cells, [], notes, prose):
            continue
        counts += cells.counts
        hidden = sheet.findtext(f"{_EXCEL}WorksheetOptions/{_EXCEL}Visible") or ""
        counts["hidden sheets, read with the others"] += hidden.startswith("SheetHidden")
    return counts


def _cells(sheet: etree._Element, styles: dict[str | None, tuple[str, bool]]) -> tuple[SheetCells, list[str]]:
    """The filled cells of a sheet, and the comments on them."""
    found, notes = SheetCells(), []
    number = -1
    for row in sheet.iterfind(f"{_SHEET}Table/{_SHEET}Row"):
        number = _place(row, "Index", number + 2) - 1
        filled: dict[int, CellValue] = {}
        column = -1
        for cell in row.iterchildren(f"{_SHEET}Cell"):
            column = _place(cell, "Index", column + 2) - 1
            value = _value(cell, *styles.get(cell.get(f"{_SHEET}StyleID"), ("General", False)))
            if value is None and cell.get(f"{_SHEET}Formula"):
                found.counts["formulas whose value was never stored, told as formulas"] += 1
                value = CellValue(one_line(cell.get(f"{_SHEET}Formula") or ""), "number")
            if value is not None and column < _MOST:
                filled[column] = value
            down, across = _place(cell, "MergeDown", 0), _place(cell, "MergeAcross", 0)
            if down or across:
                found.merged.append(Area(number, column, number + down, column + across))
            for note in cell.iterchildren(f"{_SHEET}Comment"):
                words = one_line(" ".join(note.itertext()))
                notes += [f"{value.text}: {words}" if value else words] if words else []
            column += across
        if filled and number < _MOST:
            found.rows[number] = filled
            found.counts["hidden rows, read with the others"] += row.get(f"{_SHEET}Hidden") == "1"
        number += _place(row, "Span", 0)
    return found, notes


def _value(cell: etree._Element, code: str, strong: bool) -> CellValue | None:
    data = cell.find(f"{_SHEET}Data")
    written = one_line("".join(data.itertext())) if data is not None else ""
    if data is None or not written:
        return None
    match data.get(f"{_SHEET}Type"):
        case "Number":
            try:
                return CellValue(one_line(shown(float(written), code)), "number", strong=strong)
            except (ValueError, OverflowError):
                return CellValue(written, strong=strong)
        case "DateTime":
            return CellValue(iso_moment(written), "date", strong=strong)
        case "Boolean":
            return CellValue("TRUE" if written == "1" else "FALSE", "text", strong=strong)
    return CellValue(written, strong=strong)


def _format(style: etree._Element) -> str:
    """The number format of a style."""
    found = style.find(f"{_SHEET}NumberFormat")
    code = (found.get(f"{_SHEET}Format") if found is not None else "") or "General"
    return _NAMED.get(code, code if any(sign in code for sign in "0#?") else "General")


def _is_bold(style: etree._Element) -> bool:
    font = style.find(f"{_SHEET}Font")
    return font is not None and font.get(f"{_SHEET}Bold") == "1"


def _place(element: etree._Element, name: str, other: int) -> int:
    """The number that an attribute says, or `other`."""
    return whole(element.get(f"{_SHEET}{name}"), other)
