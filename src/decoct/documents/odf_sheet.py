"""A sheet of an OpenDocument workbook: its cells as those of every sheet (`sheet_tables`), then what is drawn on it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

from decoct.documents.canonical import canonical, one_line
from decoct.documents.heads import CellValue, Kind
from decoct.documents.html import Page
from decoct.documents.odf_page import MOST_REPEATS, OFFICE, TABLE, TEXT, OdfPage, repeats
from decoct.documents.prose import Prose
from decoct.documents.sheet_cells import Area, SheetCells, iso_moment
from decoct.documents.sheet_tables import write_named_sheet

_KINDS: dict[str, Kind] = {
    "float": "number",
    "percentage": "number",
    "currency": "number",
    "date": "date",
    "time": "date",
}
_ACROSS, _DOWN, _WIDE = (f"{TABLE}number-{name}" for name in ("columns-repeated", "rows-spanned", "columns-spanned"))
_CELL, _COVERED, _NOTE = f"{TABLE}table-cell", f"{TABLE}covered-table-cell", f"{OFFICE}annotation"
_BLOCKS = frozenset({f"{TEXT}p", f"{TEXT}h", f"{TEXT}list"})
_KIND, _DATE = f"{OFFICE}value-type", f"{OFFICE}date-value"
_BLANK = CellValue("")
_LETTER = re.compile(r"[^\W\d_]")


def write_sheet(table: etree._Element, maker: OdfPage, prose: Prose) -> None:
    """Write a sheet below its name; what is hidden is counted, and read with the others."""
    cells, notes = _cells(table, maker)
    drawn = Page()
    for shapes in table.findall(f"{TABLE}shapes"):
        drawn.write(maker.page(shapes))
    said = [words for words in (*notes, canonical(drawn.prose.text)) if words]
    if write_named_sheet(table.get(f"{TABLE}name") or "", cells, [], said, prose):
        hidden = (table.get(f"{TABLE}style-name") or "") in maker.styles.hidden_tables
        maker.counts["hidden sheets, read with the others"] += hidden


def _cells(table: etree._Element, maker: OdfPage) -> tuple[SheetCells, list[str]]:
    """The filled cells, and the comments of them."""
    found = SheetCells()
    notes: list[str] = []
    number = 0
    for row in table.iter(f"{TABLE}table-row"):
        filled = _row(row, number, maker, found.merged, notes)
        times = repeats(row, f"{TABLE}number-rows-repeated")
        for at in range(number, number + min(times, MOST_REPEATS) if filled else number):
            found.rows[at] = filled
        if filled and row.get(f"{TABLE}visibility") in ("collapse", "filter"):
            maker.counts["hidden rows, read with the others"] += min(times, MOST_REPEATS)
        number += times
    return found, notes


def _row(
    row: etree._Element, number: int, maker: OdfPage, merged: list[Area], notes: list[str]
) -> dict[int, CellValue]:
    """The filled cells of a row by column; its merged areas and comments are added to those of the sheet."""
    filled: dict[int, CellValue] = {}
    remarks: list[str] = []
    column = 0
    for cell in row.iter(_CELL, _COVERED):
        said = dict(cell.items())
        shown = ""
        for part in cell:
            if (tag := part.tag) in _BLOCKS:
                shown = f"{shown} {_words(maker, part)}" if shown else _words(maker, part)
            elif tag == _NOTE:
                remarks.append(one_line(_words(maker, part)))
        value = _value(said, one_line(shown), maker) if cell.tag == _CELL else _BLANK
        if value.text:
            filled[column] = value
        if remarks:
            notes += [f"{value.text}: {words}" if value.text else words for words in remarks if words]
            remarks = []
        if _DOWN in said or _WIDE in said:
            area = Area(number, column, number + repeats(said, _DOWN) - 1, column + repeats(said, _WIDE) - 1)
            merged += [area] if area.bottom > number or area.right > column else []
        if _ACROSS in said:
            across = repeats(said, _ACROSS)
            if value.text:
                filled.update(dict.fromkeys(range(column, column + min(across, MOST_REPEATS)), value))
            column += across - 1
        column += 1
    return filled


def _value(said: Mapping[str, str], text: str, maker: OdfPage) -> CellValue:
    """What a cell with these attributes and words shows; a date that is told in numbers alone in ISO 8601, as its order is a setting."""
    kind = _KINDS.get(said.get(_KIND, ""))
    if kind == "date" and (stored := said.get(_DATE)) and not _LETTER.search(text):
        text = iso_moment(stored)
    text = text or said.get(f"{OFFICE}value") or said.get(f"{OFFICE}string-value") or ""
    if not text and (formula := said.get(f"{TABLE}formula")):
        maker.counts["formulas whose value was never stored, told as formulas"] += 1
        return CellValue(f"={formula.partition('=')[2]}", "number")
    return CellValue(text, kind) if text else _BLANK


def _words(maker: OdfPage, element: etree._Element) -> str:
    """The words of an element as a page writes them."""
    if not len(element):
        return element.text or ""
    page = Page(prose=Prose(in_one_line=True))
    page.write(maker.page(element))
    return page.prose.text
