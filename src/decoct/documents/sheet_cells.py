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
from typing import Any, BinaryIO

from lxml import etree
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from decoct.documents.canonical import one_line
from decoct.documents.dateformats import is_date
from decoct.documents.heads import Kind, kind_of
from decoct.documents.numberformats import general, shown, text_shown
from decoct.errors import ParseError

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROWS, _COLUMNS = 1_048_576, 16_384
_CUSTOM = 164  # the first number of a format that the workbook itself defines
_PLACE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_MOST_MERGED = 200_000  # ranges


@dataclass(frozen=True, slots=True)
class SheetCell:
    """What a cell shows, the kind of its value, and whether it is set in bold letters."""

    text: str
    kind: Kind
    strong: bool = False


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

    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    filtered: Area | None = None
    counts: Counter[str] = field(default_factory=Counter)


class Styles:
    """How a workbook shows values: by the number of a cell's style, its number format and whether it is bold."""

    def __init__(self, book: Any) -> None:  # noqa: ANN401 - openpyxl's types do not tell of this
        self.texts: list[str] = []
        self.of_1904 = book.epoch == CALENDAR_MAC_1904
        self._styles = book._cell_styles
        self._formats = book._number_formats
        self._fonts = book._fonts

    def number_format(self, style: int) -> str:
        """The format of a style; `General` for one that is not there."""
        if not 0 <= style < len(self._styles):
            return "General"
        number = self._styles[style].numFmtId
        if number < _CUSTOM:
            return str(BUILTIN_FORMATS.get(number, "General"))
        return str(self._formats[number - _CUSTOM]) if number - _CUSTOM < len(self._formats) else "General"

    def is_bold(self, style: int) -> bool:
        """Whether a style's letters are bold."""
        if not 0 <= style < len(self._styles):
            return False
        font = self._styles[style].fontId
        return font < len(self._fonts) and bool(self._fonts[font].b)


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
    first, _, last = reference.partition(":")
    start, end = _PLACE.fullmatch(first), _PLACE.fullmatch(last or first)
    if start is None or end is None:
        return None
    return Area(int(start[2]) - 1, _column(start[1]), int(end[2]) - 1, _column(end[1]))


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _row(row: Any, styles: Styles, counts: Counter[str]) -> dict[int, SheetCell]:  # noqa: ANN401 - lxml has no types
    cells: dict[int, SheetCell] = {}
    column = -1
    for element in row.iterchildren(f"{MAIN}c"):
        place = _PLACE.fullmatch(element.get("r") or "")
        column = _column(place[1]) if place else column + 1
        if column < _COLUMNS and (cell := _cell(element, styles, counts)):
            cells[column] = cell
    return cells


def _cell(element: Any, styles: Styles, counts: Counter[str]) -> SheetCell | None:  # noqa: ANN401
    said = element.get("s") or "0"
    style = int(said) if said.isascii() and said.isdigit() else 0
    value, formula = element.findtext(f"{MAIN}v"), element.find(f"{MAIN}f")
    kind = element.get("t") or "n"
    if kind == "inlineStr":
        value = "".join(text.text or "" for text in element.iter(f"{MAIN}t"))
    elif kind == "s" and value is not None:
        value = styles.texts[int(value)] if value.strip().isdigit() and int(value) < len(styles.texts) else ""
    if not value and formula is not None and kind != "str":
        counts["formulas whose value was never stored, told as formulas"] += 1
        return SheetCell(f"={one_line(formula.text or '')}", "number")
    text, of_kind = _shown(value or "", kind, style, styles)
    return SheetCell(text, of_kind, styles.is_bold(style)) if text else None


def _shown(value: str, kind: str, style: int, styles: Styles) -> tuple[str, Kind]:
    match kind:
        case "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE", "text"
        case "d":
            return _iso(value.strip()), "date"
        case "n":
            return _number(value.strip(), styles.number_format(style), of_1904=styles.of_1904)
    code = styles.number_format(style)
    text = one_line(text_shown(value, code) if code not in ("General", "@") else value)
    return text, kind_of(text)


def _number(value: str, code: str, *, of_1904: bool) -> tuple[str, Kind]:
    if re.fullmatch(r"-?\d{16,300}", value):  # more digits than a double holds
        return value, "number"
    try:
        number = float(value)
    except ValueError:
        return one_line(value), kind_of(one_line(value))
    if not math.isfinite(number):
        return one_line(value), "text"
    if code == "General":
        return general(number), "number"
    return one_line(shown(number, code, of_1904=of_1904)), "date" if is_date(code) else "number"


def _iso(value: str) -> str:
    """A moment in ISO 8601 without a time of midnight."""
    try:
        at = datetime.datetime.fromisoformat(value)
    except ValueError:
        return value
    return at.date().isoformat() if at.time() == datetime.time() else at.isoformat(" ", "seconds")
