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
from itertools import pairwise
from statistics import median
from typing import Any
from unicodedata import normalize

from pypdfium2 import raw

from decoct.documents.canonical import canonical
from decoct.documents.pdf_rules import Box, Ruling, turned

_HYPHENS = "\ufffe\x02"  # where pdfium took a hyphen out at a line's end (U+0002 in older versions)
_WORD = re.compile(rf"[^\s{_HYPHENS}]+[{_HYPHENS}]?|\r?\n|[{_HYPHENS}]")
_ACCENTS = dict(
    zip("`´ˆ˜¯˘˙¨˚˝ˇ¸˛", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328", strict=True)
)
_ACCENT = re.compile(f"[{''.join(_ACCENTS)}]")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_TAKEN = "\u200b"  # in the place of an accent that went to its letter
_WITHIN = 0.16  # of the height: wider is no gap within a word whose letters touch each other
_AROUND = ".,;:!?()[]'\"\u2018\u2019\u201c\u201d"  # what may stand around a word
_SMALL = 0.8  # of the height of the letters behind it: the mark of a note
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


def pieces_of(
    page: Any,  # noqa: ANN401 - pypdfium2 has no types
    forms: Any,  # noqa: ANN401
    rules: Sequence[Ruling],
    words: set[str],
) -> list[tuple[int, list[Piece]]]:
    """The pieces of a page with the quarters by which their text is turned clockwise, the commonest way first.

    `forms` is pdfium's form environment or None; `rules` are the ruled lines as each of the four ways sees them: no piece goes over one;
    `words` are those of the pages before: each new one is looked at for gaps that pdfium took for none.
    """
    letters = page.get_textpage()
    try:
        found: list[list[Piece]] = [[], [], [], []]
        twice: defaultdict[str, list[Piece]] = defaultdict(list)
        for turn, piece in _lines(letters, rules, words):
            if not _drawn_before(piece, twice[piece.text]):
                found[turn].append(piece)
                twice[piece.text].append(piece)
    finally:
        letters.close()
    common = max(range(4), key=lambda turn: sum(len(piece.text) for piece in found[turn]))
    for text, box in _filled(page, forms):
        found[common].append(Piece(text, *turned(box, common), len(found[common])))
    return [(common, found[common]), *((turn, found[turn]) for turn in range(4) if turn != common and found[turn])]


def _drawn_before(piece: Piece, others: Sequence[Piece]) -> bool:
    """Whether the same words were drawn at nearly the same place, as is done for shadows and thick letters."""
    near = piece.height * _SHADOW
    return any(abs(piece.left - other.left) < near and abs(piece.top - other.top) < near for other in others[-_NEAR:])


def _lines(letters: Any, rules: Sequence[Ruling], known: set[str]) -> Iterator[tuple[int, Piece]]:  # noqa: ANN401
    """Pieces with the quarters by which they are turned, in the file's order."""
    text = _with_accents(letters, _text(letters))
    words: list[tuple[str, Box]] = []
    turn, order = 0, 0
    for start, end in _words(letters, text, known):
        word = text[start:end]
        hyphen = word[-1] in _HYPHENS
        said = word.strip(_HYPHENS + "\r\n").replace(_TAKEN, "")
        if said:
            here = turn if words else _quarter(letters, start)
            box = turned(_box(letters, start, end - hyphen), here)
            if words and _parted(words[-1][1], box, rules[here]):
                yield turn, _piece(words, order)
                words, order = [], order + 1
                here = _quarter(letters, start)
                box = turned(_box(letters, start, end - hyphen), here)
            turn = here
            words.append((said, box))
        if words and (hyphen or word in "\r\n"):
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


def _with_accents(letters: Any, text: str) -> str:  # noqa: ANN401
    """The text with accents that are drawn over or under a letter put to it, as old fonts of TeX do: an "a" and its dots are one "ä"."""
    if not _ACCENT.search(text):
        return text
    signs = list(text)
    for found in _ACCENT.finditer(text):
        at = found.start()
        left, bottom, right, top = _box(letters, at, at + 1)
        middle = (left + right) / 2
        below = raw.FPDFText_GetCharIndexAtPos(letters.raw, middle, bottom + (top - bottom) / 3, 1, 1)
        for place in (at + 1, at - 1, below):
            if not 0 <= place < len(signs) or not signs[place].isalpha():
                continue
            letter = _box(letters, place, place + 1)
            whole = normalize("NFC", _DOTLESS.get(signs[place], signs[place]) + _ACCENTS[found.group()])
            near = abs(middle - (letter[0] + letter[2]) / 2) < (letter[2] - letter[0]) / 4
            if near and len(whole) == 1 and abs(letter[1] - bottom) < top - bottom:
                signs[place], signs[at] = whole, _TAKEN
                if text[at - 1 : at + 2 : 2] == "  " and _touch(letters, at - 2, at + 2):  # drawn amid another word
                    signs[at - 1] = signs[at + 1] = _TAKEN
                break
    return "".join(signs)


def _touch(letters: Any, first: int, second: int) -> bool:  # noqa: ANN401
    """Whether one letter stands right behind another."""
    before, after = _box(letters, first, first + 1), _box(letters, second, second + 1)
    return abs(after[0] - before[2]) < (before[3] - before[1]) / 10 and abs(after[1] - before[1]) < 1


def _words(letters: Any, text: str, known: set[str]) -> Iterator[tuple[int, int]]:  # noqa: ANN401
    """Where the words stand. One that is not known is parted at gaps in it, and behind the mark of a note: small digits."""
    box = raw.FS_RECTF()
    for found in _WORD.finditer(text):
        start, end = found.span()
        word = found.group()
        bare = word.strip(_AROUND)
        if len(bare) > 2 and bare not in known:
            edges = []
            for at in range(start, end):
                raw.FPDFText_GetLooseCharBox(letters.raw, at, box)
                edges.append((box.left, box.right, box.top - box.bottom))
            gaps = [after[0] - before[1] for before, after in pairwise(edges)]
            usual, marks = median(gaps), len(word) - len(word.lstrip("0123456789"))
            for at, gap in enumerate(gaps, 1):
                height = edges[at - 1][2]
                wide = gap > _WITHIN * height > 3 * usual and (word[at - 1].isalnum() or word[at - 1] in ",;.:")
                mark = at == marks and height < _SMALL * edges[at][2]
                if (wide or mark) and word[at].isalpha():
                    yield start, found.start() + at
                    start = found.start() + at
            if start == found.start():
                known.add(bare)
        yield start, end


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
        left, bottom = min(left, box.left), min(bottom, box.bottom)
        right, top = max(right, box.right), max(top, box.top)
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
    text = canonical(" ".join(word for word, _ in words)).replace("\f", " ")
    return Piece(text, min(lefts), min(tops), max(rights), max(bottoms), order, hyphen)


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
