"""A sheet of an OpenDocument workbook: its cells as those of every sheet (`sheet_tables`), then what is drawn on it."""

from __future__ import annotations

import re

from lxml import etree

from decoct.documents.canonical import canonical, one_line
from decoct.documents.heads import CellValue, Kind, kind_of
from decoct.documents.html import Page
from decoct.documents.odf_page import MOST_REPEATS, OFFICE, TABLE, TEXT, OdfPage, repeats
from decoct.documents.prose import PARAGRAPH, Prose
from decoct.documents.sheet_cells import Area, SheetCells, iso_moment
from decoct.documents.sheet_tables import write_tables

_KINDS: dict[str, Kind] = {
    "float": "number",
    "percentage": "number",
    "currency": "number",
    "date": "date",
    "time": "date",
}
_ACROSS, _DOWN, _WIDE = (f"{TABLE}number-{name}" for name in ("columns-repeated", "rows-spanned", "columns-spanned"))
_COVERED = f"{TABLE}covered-table-cell"
_LETTER = re.compile(r"[^\W\d_]")


def write_sheet(table: etree._Element, maker: OdfPage, prose: Prose) -> None:
    """Write a sheet below its name; what is hidden is counted, and read with the others."""
    cells, notes = _cells(table, maker)
    drawn = Page()
    for shapes in table.findall(f"{TABLE}shapes"):
        drawn.write(maker.page(shapes))
    said = [words for words in (*notes, canonical(drawn.prose.text)) if words]
    if not cells.rows and not said:
        return
    maker.counts["hidden sheets, read with the others"] += (
        table.get(f"{TABLE}style-name") or ""
    ) in maker.styles.hidden_tables
    prose.title(canonical(table.get(f"{TABLE}name") or ""), 1)
    prose.gap(PARAGRAPH)
    write_tables(cells, [], prose)
    for words in said:
        prose.gap(PARAGRAPH)
        prose.put(words)


def _cells(table: etree._Element, maker: OdfPage) -> tuple[SheetCells, list[str]]:
    """The filled cells, and the comments of them."""
    found, notes = SheetCells(), []
    number = 0
    for row in table.iter(f"{TABLE}table-row"):
        filled: dict[int, CellValue] = {}
        column = 0
        for cell in row.iter(f"{TABLE}table-cell", _COVERED):
            across = repeats(cell, _ACROSS)
            value = _value(cell, maker)
            if value.text:
                filled.update(dict.fromkeys(range(column, column + min(across, MOST_REPEATS)), value))
            down, wide = repeats(cell, _DOWN), repeats(cell, _WIDE)
            if down > 1 or wide > 1:
                found.merged.append(Area(number, column, number + down - 1, column + wide - 1))
            for note in cell.iterchildren(f"{OFFICE}annotation"):
                words = one_line(_words(maker, note))
                notes += [f"{value.text}: {words}" if value.text else words] if words else []
            column += across
        times = repeats(row, f"{TABLE}number-rows-repeated")
        for at in range(number, number + min(times, MOST_REPEATS) if filled else number):
            found.rows[at] = filled
        if filled and row.get(f"{TABLE}visibility") in ("collapse", "filter"):
            maker.counts["hidden rows, read with the others"] += min(times, MOST_REPEATS)
        number += times
    return found, notes


def _value(cell: etree._Element, maker: OdfPage) -> CellValue:
    """What a cell shows; a date that is told in numbers alone in ISO 8601, as the order of day and month is the reader's setting."""
    if cell.tag == _COVERED:
        return CellValue("", "blank")
    kind = _KINDS.get(cell.get(f"{OFFICE}value-type") or "")
    text = one_line(
        " ".join(_words(maker, block) for block in cell.iterchildren(f"{TEXT}p", f"{TEXT}h", f"{TEXT}list"))
    )
    stored = cell.get(f"{OFFICE}date-value") or ""
    if stored and not _LETTER.search(text):
        text = iso_moment(stored)
    text = text or cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}string-value") or ""
    if not text and (formula := cell.get(f"{TABLE}formula")):
        maker.counts["formulas whose value was never stored, told as formulas"] += 1
        return CellValue(f"={formula.partition('=')[2]}", "number")
    return CellValue(text, kind if text and kind else kind_of(text))


def _words(maker: OdfPage, element: etree._Element) -> str:
    """The words of an element as a page writes them."""
    if not len(element):
        return element.text or ""
    page = Page(prose=Prose(in_one_line=True))
    page.write(maker.page(element))
    return page.prose.text
