"""The cells of one sheet of a workbook, read as a stream: what each shows, of which kind that is, which are merged, what is hidden.

openpyxl opens the workbook and knows its texts and styles; the sheet's own XML is read here, since its readers know either values or
formulas, and in a stream neither merged cells nor hidden rows.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO, Any
from xml.parsers import expat

from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.markup.formulas import DOWN, UP, scripted
from decoct.documents.tables.heads import CellValue, Kind
from decoct.documents.tables.numberformats import general, hides, is_date, shown, text_shown
from decoct.errors import ParseError

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROWS, _COLUMNS = 1_048_576, 16_384
_CUSTOM = 164  # the first number of a format that the workbook itself defines
_CELL, _VALUE, _FORMULA, _TEXT, _ROW, _MERGED, _FILTER, _COLUMN, _RUN, _STRUCK, _SET = (
    f"{MAIN[1:]}{tag}"
    for tag in ("c", "v", "f", "t", "row", "mergeCell", "autoFilter", "col", "r", "strike", "vertAlign")
)
_AROUND = {f"{MAIN[1:]}{page}{side}": side for page in ("odd", "even", "first") for side in ("Header", "Footer")}
_CODE = re.compile(
    r'[^\W\d_]*\s?&P(?:\s?[^\W\d_]*\s?&N)?|&(?:"[^"]*"|\d+|K[0-9A-F]{6}|[A-Z])'
)  # in what is printed around a sheet
_RAISED = {"superscript": UP, "subscript": DOWN}
_MOST_DIGITS = 15  # that a double always holds
_LONG = re.compile(r"-?\d{16,300}")
_DIGITS = "0123456789"
_MOST_KEPT = 500_000  # values of which it is known what they show
_WHITE = "FFFFFFFF"
STRUCK_OUT, UNSHOWN = "struck-out text", "cells that their format hides, read with the others"
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
    """A cell's number format, whether that is one of dates, whether its letters are bold, struck out, or white on nothing; the indent."""

    code: str = "General"
    date: bool = False
    strong: bool = False
    struck: bool = False
    white: bool = False
    indent: int = 0


class Styles:
    """How a workbook shows values: by the number of a cell's style. `texts`: those that its cells name by number.

    `unsure`: its formulas are still to be calculated, and a stored 0 may be none of theirs.
    """

    def __init__(self, book: Any, texts: Sequence[Any] = (), *, unsure: bool = False) -> None:  # noqa: ANN401 - openpyxl's types do not tell of this
        self._texts, self.unsure = texts, unsure
        self.counts: Counter[str] = Counter()
        self.around: list[tuple[str, str]] = []  # what is printed around its sheets
        self.of_1904 = book.epoch == CALENDAR_MAC_1904
        formats, fonts = book._number_formats, book._fonts
        self._styles: list[Style] = []
        for style in book._cell_styles:
            code, own = str(BUILTIN_FORMATS.get(style.numFmtId, "General")), style.numFmtId - _CUSTOM
            if own >= 0:
                code = str(formats[own]) if own < len(formats) else "General"
            font = fonts[style.fontId] if style.fontId < len(fonts) else None
            filled = style.fillId < len(book._fills) and getattr(book._fills[style.fillId], "fill_type", "gradient")
            white = bool(font and font.color and font.color.type == "rgb" and font.color.rgb == _WHITE and not filled)
            aligned = book._alignments[style.alignmentId] if style.alignmentId < len(book._alignments) else None
            indent = int(aligned.indent or 0) if aligned else 0
            self._styles.append(
                Style(code, is_date(code), bool(font and font.b), bool(font and font.strike), white, indent)
            )
        self._told: dict[tuple[str | None, str | None, str], tuple[CellValue | None, str]] = {}

    def told(self, kind: str | None, number: str | None, value: str) -> CellValue | None:
        """What a cell of a kind and a style shows of a stored value; None where that is nothing. Each is looked at once."""
        key = kind, number, value
        if (known := self._told.get(key)) is None:
            if len(self._told) > _MOST_KEPT:
                self._told.clear()
            at = whole(number, 0) if number else 0
            known = self._told[key] = self._looked_at(
                kind or "n", self._styles[at] if at < len(self._styles) else Style(), value
            )
        self.counts[known[1]] += 1
        return known[0]

    def _looked_at(self, kind: str, style: Style, value: str) -> tuple[CellValue | None, str]:
        """What a cell shows, and as what it is counted."""
        said = self._text(value) if kind == "s" else value
        text, of_kind = _shown(said, kind, style, of_1904=self.of_1904)
        if not text or style.struck:
            return None, STRUCK_OUT if text else ""
        shows = float(value) if of_kind == "number" else text
        unseen = style.white or (style.code not in ("General", "@") and hides(shows, style.code))
        indent = style.indent or len(said) - len(said.lstrip(" "))
        return CellValue(text, of_kind, strong=style.strong, indent=indent), UNSHOWN if unseen else ""

    def _text(self, number: str) -> str:
        at = int(number) if number.strip().isdecimal() else -1
        said = self._texts[at] if 0 <= at < len(self._texts) else ""
        if isinstance(said, str):
            return said
        text = ""
        for one in said:
            font = None if isinstance(one, str) else one.font
            self.counts[STRUCK_OUT] += bool(font and font.strike)
            kind = _RAISED.get(font.vertAlign) if font else None
            shown = scripted(kind, str(one), text[-1:], starts=not text.strip()) if kind else str(one)
            text += "" if font and font.strike else shown
        return text


def sheet_cells(stream: IO[bytes], styles: Styles, name: str, most: int) -> SheetCells:
    """Read a sheet; `ParseError` where it has more rows than a sheet can have, or its texts more than `most` characters."""
    return _SheetReader(styles, name, most).read(stream)


class _SheetReader:
    """Reads a sheet's XML by its events: a tree of it would cost more than all that is done with its cells."""

    def __init__(self, styles: Styles, name: str, most: int) -> None:
        self._styles, self._name, self._most = styles, name, most
        self._found = SheetCells()
        self._number, self._size = -1, 0
        self._row: dict[str, str] = {}
        self._cells: dict[int, CellValue] = {}
        self._column = -1
        self._kind: str | None = None
        self._style: str | None = None
        self._value: list[str] = []
        self._formula: list[str] | None = None
        self._struck, self._raised = False, ""  # what comes next in the text of a cell
        self._begun = 0  # of its parts, where that begins

    def read(self, stream: IO[bytes]) -> SheetCells:
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        self._parser.ParseFile(stream)
        return self._found

    def _refuse(self, *_: object) -> None:
        raise ParseError("its XML is not as Office writes it (a document type): save it again")

    def _start(self, tag: str, said: dict[str, str]) -> None:
        if tag == _CELL:
            self._kind, self._style = said.get("t"), said.get("s")
            place = _column(said.get("r", "").rstrip(_DIGITS))
            self._column = self._column + 1 if place is None else place
            self._value, self._formula, self._struck, self._raised = [], None, False, ""
        elif tag == (_TEXT if self._kind == "inlineStr" else _VALUE):
            self._parser.CharacterDataHandler = None if self._struck else self._value.append
            self._found.counts[STRUCK_OUT] += self._struck
            self._begun = len(self._value)
        elif tag in (_RUN, _STRUCK):
            self._struck, self._raised = tag == _STRUCK and said.get("val") not in ("0", "false"), ""
        elif tag == _SET:
            self._raised = _RAISED.get(said.get("val", ""), "")
        elif tag == _FORMULA:
            self._formula = []
            self._parser.CharacterDataHandler = self._formula.append
        elif tag == _ROW:
            self._begin_row(said)
        elif tag == _MERGED and len(self._found.merged) < _MOST_MERGED:
            area = area_of(said.get("ref", ""))
            self._found.merged += [area] if area else []
        elif tag in _AROUND:
            self._value = []
            self._parser.CharacterDataHandler = self._value.append
        elif tag == _FILTER:
            self._found.filtered = area_of(said.get("ref", ""))
        elif tag == _COLUMN:
            self._found.counts["hidden columns, read with the others"] += said.get("hidden") in ("1", "true")

    def _end(self, tag: str) -> None:
        if tag == _CELL:
            value = "".join(self._value)
            if self._column >= _COLUMNS:
                pass
            elif value and not (
                self._styles.unsure and self._formula is not None and self._kind != "b" and value == "0"
            ):
                if (cell := self._styles.told(self._kind, self._style, value)) is not None:
                    self._cells[self._column] = cell
                    self._size += len(cell.text)
            elif self._formula is not None and self._kind != "str":
                self._found.counts["formulas whose value was never stored, told as formulas"] += 1
                cell = self._cells[self._column] = CellValue(f"={one_line(''.join(self._formula))}", "number")
                self._size += len(cell.text)
            self._kind = None
        elif tag == _ROW:
            self._end_row()
        else:
            self._parser.CharacterDataHandler = None
            if tag in _AROUND:
                self._styles.around.append((_AROUND[tag], _CODE.sub("\n", "".join(self._value))))
            if tag == _TEXT and self._raised:
                before = "".join(self._value[: self._begun])
                said = "".join(self._value[self._begun :])
                self._value[self._begun :] = [scripted(self._raised, said, before[-1:], starts=not before.strip())]

    def _begin_row(self, said: dict[str, str]) -> None:
        self._number = whole(said.get("r"), self._number + 2) - 1
        if self._number >= _ROWS:
            raise ParseError(f"the sheet {self._name!r} has more rows than a sheet can have: save it again")
        self._row, self._cells, self._column = said, {}, -1

    def _end_row(self) -> None:
        if self._size > self._most:
            raise ParseError(f"its text has more than {self._most:,} characters: split it")
        if self._cells:
            self._found.rows[self._number] = {**self._found.rows.get(self._number, {}), **self._cells}
            self._found.counts["hidden rows, read with the others"] += self._row.get("hidden") in ("1", "true")


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


def _shown(value: str, kind: str, style: Style, *, of_1904: bool) -> tuple[str, Kind | None]:
    match kind:
        case "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE", "text"
        case "d":
            return iso_moment(value.strip()), "date"
        case "n":
            return _number(value.strip(), style, of_1904=of_1904)
    text = one_line(value if style.code in ("General", "@") else text_shown(value, style.code))
    return text, None


def _number(value: str, style: Style, *, of_1904: bool) -> tuple[str, Kind | None]:
    if len(value) > _MOST_DIGITS and _LONG.fullmatch(value):  # more digits than a double holds
        return value, "number"
    try:
        number = float(value)
    except ValueError:
        return one_line(value), None
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
