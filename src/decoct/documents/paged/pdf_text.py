"""The text of a PDF's pages from rows in reading order: paragraphs, tables, words that were divided at the end of a line.

A blank line stands where the lines are further apart than the page's usual distance or the letters change in size. Cells of a table are
divided by bars, empty ones too. A hyphen at a line's end is taken out where it only divides a word: between small letters, unless the
word has other hyphens, the document writes it with one more often than without, or has both its parts as words and never the whole; codes
and numbers keep theirs, and no space or line break comes into them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, zip_longest
from statistics import median

from decoct.documents.paged.pdf_layout import PieceRow
from decoct.documents.paged.pdf_pieces import Piece

APART = 1.3  # times the usual distance of two lines, between paragraphs
RESIZED = 1.15  # times the height of other letters: another size
_DIVIDED = re.compile(r"(?<![\w/@._-])[^\W\d_]{2,}\Z")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CODE_ENDS = re.compile(r"(?:\S*\d\S*|\b[A-Z]{2,})[-\u2010\u2011\u2013]\Z")
_CODE_GOES_ON = re.compile(r"\d|[A-Z]{2,}|[A-Z]\d")
_ENDS = re.compile(r"[.!?:\u3002][\"'\u201d\u2019)\]]*\Z")
_WRITTEN = 3  # times that a part of a word is one by itself, not only at the ends of lines
_TOUCHING = 6.0  # points between two rows of a ruled table
_LONGEST_HEADING = 150


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page's text; `blank`: an empty line stands before it; `height` of its letters; `hyphen`: its last word goes on.

    `top` is its upper edge, `parts` what stands apart in it: nothing in lines of ruled tables, and of text turned otherwise than most.
    """

    text: str
    height: float
    blank: bool = False
    hyphen: bool = False
    table: bool = False
    top: float = 0.0
    parts: tuple[str, ...] = ()


def lines_of(blocks: Sequence[Sequence[PieceRow]], *, upright: bool = True) -> list[PageLine]:
    """The lines of a page from its blocks of rows; the first of those that are not `upright` stands behind others."""
    rows = [row for block in blocks for row in block]
    steps = [after.top - before.top for before, after in pairwise(rows) if after.top > before.bottom - 1]
    usual = median(steps) if steps else 0.0
    lines: list[PageLine] = []
    before: PieceRow | None = None
    joined = list(_cells_joined(rows))
    for row, after in zip_longest(joined, joined[1:]):
        blank = not upright if before is None else _begins(before, row, usual)
        if row.pieces[0].table:
            lines += _ruled(row.pieces[0], blank=blank)
            before = row
            continue
        parts = tuple(piece.text for piece in row.pieces) if upright else ()
        last = row.pieces[-1]
        hyphen = last.hyphen and not row.columns
        below = after.pieces[1:] if hyphen and after is not None else ()
        labelled = any(abs(piece.left - last.left) < piece.height for piece in below)  # the word goes on behind a label
        text = _written(row) + "-" * labelled
        lines.append(PageLine(text, _height(row), blank, hyphen and not labelled, row.columns > 0, row.top, parts))
        before = row
    return lines


def _ruled(piece: Piece, *, blank: bool) -> Iterator[PageLine]:
    for number, cells in enumerate(piece.table):
        if any(cells):
            yield PageLine(_barred(cells), 0.0, blank and not number, table=True, top=piece.top)


def _height(row: PieceRow) -> float:
    """The height of most letters of a row; the boxes of fields are higher than what they hold."""
    return max(row.pieces, key=lambda piece: (not piece.field, len(piece.text))).height


def _begins(before: PieceRow, row: PieceRow, usual: float) -> bool:
    """Whether a paragraph begins with `row`."""
    if before.pieces[0].table and row.pieces[0].table:
        return row.top - before.bottom > _TOUCHING
    if before.columns != row.columns or before.pieces[0].table or row.pieces[0].table:
        return True
    high, low = sorted((_height(before), _height(row)), reverse=True)
    if not row.columns and high > RESIZED * low:
        return not before.pieces[-1].hyphen
    if row.top < before.top:  # another column
        return bool(_ENDS.search(before.pieces[-1].text))
    return not row.columns and row.top - before.top > APART * max(usual, low)


def _cells_joined(rows: Iterable[PieceRow]) -> Iterator[PieceRow]:
    """The rows; a line in which one cell of a table goes on is part of that cell."""
    waiting: PieceRow | None = None
    for row in rows:
        if waiting is not None and row.columns == waiting.columns and (joined := _with_next_line(waiting, row)):
            waiting = joined
            continue
        if waiting is not None:
            yield waiting
        waiting = row
    if waiting is not None:
        yield waiting


def _with_next_line(above: PieceRow, row: PieceRow) -> PieceRow | None:
    column, more = row.cells[:1], row.pieces[0]
    if len({*row.cells}) != 1 or column[0] not in above.cells or not more.text[:1].islower():
        return None
    at = max(place for place, one in enumerate(above.cells) if one == column[0])
    cell = above.pieces[at]
    if more.top - cell.bottom > more.height:
        return None
    whole = reduce(Piece.with_next, row.pieces, cell)
    return PieceRow((*above.pieces[:at], whole, *above.pieces[at + 1 :]), above.bands, above.cells)


def _written(row: PieceRow) -> str:
    if not row.columns:
        return " ".join(piece.text for piece in row.pieces)
    cells = [""] * row.columns
    for piece, column in zip(row.pieces, row.cells, strict=True):
        said = piece.text + "-" * piece.hyphen
        cells[column] = f"{cells[column]} {said}" if cells[column] else said
    if row.columns == 2 and cells[0].endswith(":"):
        return " ".join(cells).rstrip()
    return _barred(cells)


def _barred(cells: Sequence[str]) -> str:
    """The cells with bars between them; a first one that is blank has its own."""
    return ("" if cells[0] else "|") + " | ".join(cells).rstrip()


def page_texts(pages: Sequence[Sequence[PageLine]]) -> list[str]:
    """The text of every page."""
    words: Counter[str] = Counter()
    if any(line.hyphen for lines in pages for line in lines):
        words.update(word.lower() for lines in pages for line in lines for word in _WORD.findall(line.text))
    return [_page_text(lines, words) for lines in pages]


def _page_text(lines: Sequence[PageLine], words: Counter[str]) -> str:
    written: list[str] = []
    goes_on = False
    for line in lines:
        if not written:
            written.append(line.text)
        elif goes_on and not line.table:
            written[-1] = _undivided(written[-1], line.text, words)
        elif not line.blank and not line.table and _ends_code(written[-1]) and _CODE_GOES_ON.match(line.text):
            written[-1] += line.text
        else:
            written[-1] += "-" * goes_on
            written += ["", line.text] if line.blank else [line.text]
        goes_on = line.hyphen
    return "\n".join(written) + "-" * goes_on


def _ends_code(text: str) -> bool:
    return text[-1:] in "-\u2010\u2011\u2013" and bool(_CODE_ENDS.search(text))


def _undivided(before: str, after: str, words: Counter[str]) -> str:
    """Two lines as one, where a hyphen was taken out between them."""
    first, second = _DIVIDED.search(before), _WORD.match(after)
    if first and second and after[0].islower():
        parts = first.group().lower(), second.group().lower()
        whole = words["".join(parts)]
        if words["-".join(parts)] <= whole and (whole or min(map(words.__getitem__, parts)) < _WRITTEN):
            return before + after
    return f"{before}-{after}"


def large_lines(pages: Sequence[Sequence[PageLine]]) -> list[tuple[int, str, int]]:
    """The page (from 0), words and level of every heading known by its letters: clearly larger than most, a few words, no sentence.

    The largest letters are of level 1, the next of level 2, and so on.
    """
    found = list(_large_lines(pages))
    sizes = sorted({size for _, _, size in found}, reverse=True)
    return [(page, words, sizes.index(size) + 1) for page, words, size in found]


def usual_height(pages: Sequence[Sequence[PageLine]]) -> float:
    """The height of most letters, in half points; 0 where there are none."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.height * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _large_lines(pages: Sequence[Sequence[PageLine]]) -> Iterator[tuple[int, str, float]]:
    usual = usual_height(pages)
    for number, lines in enumerate(pages):
        said: list[str] = []
        size = 0.0
        for line in lines:
            large = line.height > RESIZED * usual and not line.table and any(letter.isalpha() for letter in line.text)
            if said and (line.blank or not large):
                yield from _heading(number, said, size)
                said = []
            if large:
                said.append(line.text + "-" * line.hyphen)
                size = round(line.height * 2) / 2
        yield from _heading(number, said, size)


def _heading(page: int, said: Sequence[str], size: float) -> Iterator[tuple[int, str, float]]:
    words = " ".join(said)
    if said and len(words) <= _LONGEST_HEADING and not words.endswith((".", ",", ";")):
        yield page, words, size
