"""The cells of one sheet of a workbook, read as a stream: what each shows, of which kind that is, which are merged, what is hidden.

openpyxl opens the workbook and knows its texts and styles; the sheet's own XML is read here, since its readers know either values or
formulas, and in a stream neither merged cells nor hidden rows.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, BinaryIO

from lxml import etree
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from decoct.documents.canonical import one_line
from decoct.documents.dateformats import is_date
from decoct.documents.heads import CellValue, Kind, kind_of
from decoct.documents.numberformats import general, shown, text_shown
from decoct.errors import ParseError

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROWS, _COLUMNS = 1_048_576, 16_384
_CUSTOM = 164  # the first number of a format that the workbook itself defines
_CELL, _VALUE, _FORMULA = f"{MAIN}c", f"{MAIN}v", f"{MAIN}f"
_MOST_DIGITS = 15  # that a double always holds
_LONG = re.compile(r"-?\d{16,300}")
_DIGITS = "0123456789"
_MOST_KEPT = 500_000  # values of which it is known what they show
_AREA = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?")
_MOST_MERGED = 200_000  # ranges


@dataclass(frozen=True, slots=True)
class Area:
    """Cells from `top` to `bottom` and `left` to `right`, counted from 0, both ends within."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class SheetCells:
    """The filled cells of a sheet by row and column, counted from 0; merged areas; the area of a filter; what was counted."""

    rows: dict[int, dict[int, CellValue]] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    filtered: Area | None = None
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Style:
    """A cell's number format, whether that is one of dates, and whether its letters are bold."""

    code: str = "General"
    date: bool = False
    strong: bool = False


class Styles:
    """How a workbook shows values: by the number of a cell's style."""

    def __init__(self, book: Any) -> None:  # noqa: ANN401 - openpyxl's types do not tell of this
        self.texts: list[str] = []
        self.of_1904 = book.epoch == CALENDAR_MAC_1904
        formats, fonts = book._number_formats, book._fonts
        self._styles: list[Style] = []
        for style in book._cell_styles:
            code, own = str(BUILTIN_FORMATS.get(style.numFmtId, "General")), style.numFmtId - _CUSTOM
            if own >= 0:
                code = str(formats[own]) if own < len(formats) else "General"
            bold = style.fontId < len(fonts) and bool(fonts[style.fontId].b)
            self._styles.append(Style(code, is_date(code), bold))
        self._told: dict[tuple[str | None, str | None, str], CellValue | None] = {}

    def told(self, kind: str | None, number: str | None, value: str) -> CellValue | None:
        """What a cell of a kind and a style shows of a stored value; None where that is nothing. Each is looked at once."""
        key = kind, number, value
        try:
            return self._told[key]
        except KeyError:
            pass
        if len(self._told) > _MOST_KEPT:
            self._told.clear()
        at = int(number) if number and number.isascii() and number.isdigit() else 0
        style = self._styles[at] if at < len(self._styles) else Style()
        text, of_kind = _shown(self._text(value) if kind == "s" else value, kind or "n", style, of_1904=self.of_1904)
        found = self._told[key] = CellValue(text, of_kind, style.strong) if text else None
        return found

    def _text(self, number: str) -> str:
        at = int(number) if number.strip().isdecimal() else -1
        return self.texts[at] if 0 <= at < len(self.texts) else ""


def sheet_cells(stream: BinaryIO, styles: Styles, name: str, most: int) -> SheetCells:
    """Read a sheet; `ParseError` where it has more rows than a sheet can have, or its texts more than `most` characters."""
    found = SheetCells()
    number, size = -1, 0
    wanted = [MAIN + tag for tag in ("row", "mergeCell", "autoFilter", "col")]
    for _, element in etree.iterparse(stream, tag=wanted, resolve_entities=False, no_network=True, load_dtd=False):
        if element.tag == f"{MAIN}row":
            said = element.get("r") or ""
            number = int(said) - 1 if said.isascii() and said.isdigit() else number + 1
            if number >= _ROWS:
                raise ParseError(f"the sheet {name!r} has more rows than a sheet can have: save it again")
            cells = _row(element, styles, found.counts)
            size += sum(len(cell.text) for cell in cells.values())
            if size > most:
                raise ParseError(f"its text has more than {most:,} characters: split it")
            if cells:
                found.rows[number] = {**found.rows.get(number, {}), **cells}
                found.counts["hidden rows, read with the others"] += element.get("hidden") in ("1", "true")
        elif element.tag == f"{MAIN}mergeCell" and len(found.merged) < _MOST_MERGED:
            area = area_of(element.get("ref") or "")
            found.merged += [area] if area else []
        elif element.tag == f"{MAIN}autoFilter":
            found.filtered = area_of(element.get("ref") or "")
        elif element.tag == f"{MAIN}col":
            found.counts["hidden columns, read with the others"] += element.get("hidden") in ("1", "true")
        element.clear()
    return found


def area_of(reference: str) -> Area | None:
    """The area of a reference like `A1:C4` or `B2`; None where it is none."""
    found = _AREA.fullmatch(reference)
    if found is None:
        return None
    left, top, right, bottom = found[1], found[2], found[3] or found[1], found[4] or found[2]
    return Area(int(top) - 1, _column(left) or 0, int(bottom) - 1, _column(right) or 0)


@lru_cache(maxsize=_COLUMNS)
def _column(letters: str) -> int | None:
    """The number of a column, from 0, by its letters; None where they name none."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1 if re.fullmatch(r"[A-Z]{1,3}", letters) else None


def _row(row: Any, styles: Styles, counts: Counter[str]) -> dict[int, CellValue]:  # noqa: ANN401 - lxml has no types
    cells: dict[int, CellValue] = {}
    column = -1
    for element in row:
        if element.tag != _CELL:
            continue
        place = _column((element.get("r") or "").rstrip(_DIGITS))
        column = column + 1 if place is None else place
        if column >= _COLUMNS:
            continue
        value, formula, kind = "", None, element.get("t")
        for part in element:
            if part.tag == _VALUE:
                value = part.text or ""
            elif part.tag == _FORMULA:
                formula = part.text or ""
        if kind == "inlineStr":
            value = "".join(text.text or "" for text in element.iter(f"{MAIN}t"))
        if value and (cell := styles.told(kind, element.get("s"), value)) is not None:
            cells[column] = cell
        elif not value and formula is not None and kind != "str":
            counts["formulas whose value was never stored, told as formulas"] += 1
            cells[column] = CellValue(f"={one_line(formula)}", "number")
    return cells


def _shown(value: str, kind: str, style: Style, *, of_1904: bool) -> tuple[str, Kind]:
    match kind:
        case "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE", "text"
        case "d":
            return iso_moment(value.strip()), "date"
        case "n":
            return _number(value.strip(), style, of_1904=of_1904)
    text = one_line(value if style.code in ("General", "@") else text_shown(value, style.code))
    return text, kind_of(text)


def _number(value: str, style: Style, *, of_1904: bool) -> tuple[str, Kind]:
    if len(value) > _MOST_DIGITS and _LONG.fullmatch(value):  # more digits than a double holds
        return value, "number"
    try:
        number = float(value)
    except ValueError:
        return one_line(value), kind_of(one_line(value))
    if not math.isfinite(number):
        return value, "text"
    if style.code == "General":
        return general(number), "number"
    return one_line(shown(number, style.code, of_1904=of_1904)), "date" if style.date else "number"


def iso_moment(value: str) -> str:
    """A moment in ISO 8601 without a time of midnight."""
    try:
        at = datetime.datetime.fromisoformat(value)
    except ValueError:
        return value
    return at.date().isoformat() if at.time() == datetime.time() else at.isoformat(" ", "seconds")
