"""The pieces of text on a PDF's page, each with its place: runs of words on one line without a wide gap, and what forms are filled with.

Coordinates are those of a reader of the page's text: `left` to `right` along a line, `top` to `bottom` down the page, in points, whichever
way the text is turned. pdfium gives them in the page's own system (PDF 32000-1:2008, 8.3.2.3), with the angle of each letter.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pypdfium2 import raw

from decoct.documents.canonical import canonical
from decoct.documents.pdf_rules import Box, Ruling, turned

_HYPHENS = "\ufffe\x02"  # where pdfium took a hyphen out at a line's end (U+0002 in older versions)
_WORD = re.compile(rf"[^\s{_HYPHENS}]+[{_HYPHENS}]?|\r?\n|[{_HYPHENS}]")
_GAP = 0.9  # of the letters' height: wider is no space between two words of a sentence
_OVERLAP = 0.3  # of the lower one's height that two words of a line share
_SHADOW = 0.2  # of the height
_NEAR = 20  # pieces of the same words that are looked at
_ANNOTATIONS = 2_000  # of a page that are looked at
_VALUE = 10_000  # characters of a form's field


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand together on one line.

    `hyphen`: the last word goes on in the next line; `order`: as the file draws them; `table`: the rows between two lines of a ruled table.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    order: int
    hyphen: bool = False
    table: tuple[tuple[str, ...], ...] = ()

    @property
    def height(self) -> float:
        """The height of its line of letters, in points."""
        return self.bottom - self.top


def pieces_of(page: Any, forms: Any, rules: Sequence[Ruling]) -> list[tuple[int, list[Piece]]]:  # noqa: ANN401 - pypdfium2 has no types
    """The pieces of a page with the quarters by which their text is turned clockwise, the commonest way first.

    `forms` is pdfium's form environment or None; `rules` are the ruled lines as each of the four ways sees them: no piece goes over one.
    """
    letters = page.get_textpage()
    try:
        found: list[list[Piece]] = [[], [], [], []]
        twice: defaultdict[str, list[Piece]] = defaultdict(list)
        for turn, piece in _lines(letters, rules):
            if not _drawn_before(piece, twice[piece.text]):
                found[turn].append(piece)
                twice[piece.text].append(piece)
    finally:
        letters.close()
    common = max(range(4), key=lambda turn: sum(len(piece.text) for piece in found[turn]))
    for text, box in _filled(page, forms):
        found[common].append(_placed(text, turned(box, common), len(found[common])))
    return [(common, found[common]), *((turn, found[turn]) for turn in range(4) if turn != common and found[turn])]


def _drawn_before(piece: Piece, others: Sequence[Piece]) -> bool:
    """Whether the same words were drawn at nearly the same place, as is done for shadows and thick letters."""
    near = piece.height * _SHADOW
    return any(abs(piece.left - other.left) < near and abs(piece.top - other.top) < near for other in others[-_NEAR:])


def _placed(text: str, box: Box, order: int, *, hyphen: bool = False) -> Piece:
    return Piece(text, *box, order, hyphen)


def _lines(letters: Any, rules: Sequence[Ruling]) -> Iterator[tuple[int, Piece]]:  # noqa: ANN401
    """Pieces with the quarters by which they are turned, in the file's order."""
    text = _text(letters)
    words: list[tuple[str, Box]] = []
    turn, order = 0, 0
    for found in _WORD.finditer(text):
        word = found.group()
        hyphen = word[-1] in _HYPHENS
        said = word.strip(_HYPHENS + "\r\n")
        if said:
            here = turn if words else _quarter(letters, found.start())
            box = turned(_box(letters, found.start(), found.end() - hyphen), here)
            if words and _parted(words[-1][1], box, rules[here]):
                yield turn, _piece(words, order)
                words, order = [], order + 1
                here = _quarter(letters, found.start())
                box = turned(_box(letters, found.start(), found.end() - hyphen), here)
            turn = here
            words.append((said, box))
        if words and (hyphen or not said):
            yield turn, _piece(words, order, hyphen=hyphen)
            words, order = [], order + 1
    if words:
        yield turn, _piece(words, order)


def _text(letters: Any) -> str:  # noqa: ANN401
    """The page's text with one character for each of pdfium's, so that places in it are pdfium's."""
    text = str(letters.get_text_range())
    count = letters.count_chars()
    if len(text) == count and max(text, default="") <= "\uffff":
        return text
    codes = (raw.FPDFText_GetUnicode(letters.raw, at) for at in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)


def _quarter(letters: Any, at: int) -> int:  # noqa: ANN401
    angle = raw.FPDFText_GetCharAngle(letters.raw, at)
    return round(angle / (math.pi / 2)) % 4 if angle > 0 else 0


def _box(letters: Any, start: int, end: int) -> Box:  # noqa: ANN401
    """The box around characters `start` to `end` of one word."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(letters.raw, start, box)
    left, bottom, right, top = box.left, box.bottom, box.right, box.top
    if end - start > 1:
        raw.FPDFText_GetLooseCharBox(letters.raw, end - 1, box)
        left, bottom, right, top = (
            min(left, box.left),
            min(bottom, box.bottom),
            max(right, box.right),
            max(top, box.top),
        )
    return left, bottom, right, top


def _parted(before: Box, after: Box, rules: Ruling) -> bool:
    """Whether two words that pdfium writes one after the other stand in different places."""
    height = min(before[3] - before[1], after[3] - after[1])
    shared = min(before[3], after[3]) - max(before[1], after[1])
    gap = after[0] - before[2]
    if shared < _OVERLAP * height or not -height <= gap <= _GAP * max(before[3] - before[1], after[3] - after[1]):
        return True
    return bool(rules.down) and rules.part(before[2] - 1, after[0] + 1, (after[1] + after[3]) / 2)


def _piece(words: list[tuple[str, Box]], order: int, *, hyphen: bool = False) -> Piece:
    lefts, tops, rights, bottoms = zip(*(box for _, box in words), strict=True)
    around = min(lefts), min(tops), max(rights), max(bottoms)
    text = canonical(" ".join(word for word, _ in words)).replace("\f", " ")
    return _placed(text, around, order, hyphen=hyphen)


def _filled(page: Any, forms: Any) -> Iterator[tuple[str, Box]]:  # noqa: ANN401
    """What stands in the fields of a form, and in text boxes laid over the page, with their boxes."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _ANNOTATIONS)):
        note = raw.FPDFPage_GetAnnot(page.raw, number)
        if not note:
            continue
        try:
            said = _field_text(note, forms)
            box = raw.FS_RECTF()
            if said and raw.FPDFAnnot_GetRect(note, box):
                yield said, (box.left, box.bottom, box.right, box.top)
        finally:
            raw.FPDFPage_CloseAnnot(note)


def _field_text(note: Any, forms: Any) -> str:  # noqa: ANN401
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _string(lambda buffer, size: raw.FPDFAnnot_GetStringValue(note, b"Contents", buffer, size))
    if kind != raw.FPDF_ANNOT_WIDGET or forms is None:
        return ""
    field = raw.FPDFAnnot_GetFormFieldType(forms, note)
    if field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "[x]" if raw.FPDFAnnot_IsChecked(forms, note) else "[ ]"
    if field not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if raw.FPDFAnnot_GetFormFieldFlags(forms, note) & _PASSWORD and field == raw.FPDF_FORMFIELD_TEXTFIELD:
        return ""
    return _string(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(forms, note, buffer, size))


_PASSWORD = 1 << 13  # PDF 32000-1:2008, table 228, bit 14


def _string(read: Any) -> str:  # noqa: ANN401
    """What a function of pdfium writes into a buffer (UTF-16, its size in bytes), on one line."""
    size = min(int(read(None, 0)), 2 * _VALUE)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(canonical(bytes(buffer)[: size - 2].decode("utf-16-le", "replace")).split())
