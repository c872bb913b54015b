"""The order in which the pieces of a page are read: columns one after the other, rows of a table together.

A page is cut recursively (Nagy, Seth and Viswanathan, "A prototype document image analysis system for technical journals", Computer 25/7,
1992): where a gap stands at the same place in several rows, with text on both sides, or running text on one and the other drawn wholly
before or behind it, it parts two columns, and a piece that crosses it (a title, a figure's caption) stands above or below them. Cells
stand side by side too, but are short, drawn row by row or have lines ruled between their rows: those are rows of a table. What is in
neither stands in rows from top to bottom.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from heapq import heappop, heappush
from itertools import accumulate, groupby, pairwise
from statistics import median

from decoct.documents.paged.pdf_grid import piece_rows, with_drawn_cells, with_grids, with_ruled_rows
from decoct.documents.paged.pdf_letters import goes_left
from decoct.documents.paged.pdf_pieces import Piece
from decoct.documents.paged.pdf_rules import Ruling, grids
from decoct.documents.paged.pdf_spans import HeadRow, with_labels, with_one_head

_LEAST = 3  # rows on each side of a gap, pieces of a column
_LETTERS = 15  # of the median piece of a column of text
_EVEN = 0.5  # share of its pieces that are at least `_LONG` as long as the long ones
_LONG = 0.6
_LEVEL = 0.2  # of the height that the feet of two cells of a row may differ
_LEVELLED = 0.6  # share of a side's pieces that have a level one opposite, in a table
_AMID = 3  # lines of running text for one that begins amid a sentence, with a small letter
_INDENT = 2  # of the height: how far the beginnings of two lines of a column may differ
_STRAY = 10  # pieces of a column for one that the file draws amid those of the other
_CANDIDATES = 12  # gaps that are tried
_DEEPEST = 6
_BESIDE = 60  # pieces that are looked at beside one
_MOST = 4_000  # pieces of a page; a drawing of letters has more, and is read as it is drawn
_LABEL = re.compile(r"\(?\w{1,4}[.)]|[^\w\s]{1,2}")
_DASHES = re.compile(r"[-=_\u2500\u2550]{4,}")
_SENTENCE = 40  # letters: longer pieces are lines of text
_WORDS = 4  # of the median cell of running text
_RUN = 6  # of the mean row of it
_FULL = 0.9  # share of cells with words, at least, in no formula
_TALL = 1.5  # times the height of the lowest letters of a formula
_TABLE_ROWS = 2
_LEADING = 1.25  # of the height: the most that stands between two lines of a cell
_CLIPPED = 0.25  # of the height that a cell may run into the next one
_WIDE = 0.6  # of the height: the least gap between columns that no row of names parts
_YEAR = 4  # digits
_TOUCHING = 0.1  # of the height: no space
_AROUND = 12  # rows that are looked at on each side of one
_CLOSE = 0.15  # of the height: rows that stand further apart than this and the closest are not close together
_FEW = 3  # times as many rows have a gap as run across it
_SLIM = 0.3  # of the height: the least that gaps of many rows have in common
_TALLER = 1.15  # times the height of the letters beside it: no row of their table
_FAR = 8  # times the height: what stands further below is of no row of the table

Column = tuple[float, float, float]
_Band = tuple[float, float, frozenset[int]]  # from, to, the rows that fill it


@dataclass(frozen=True, slots=True)
class PieceRow:
    """What stands on one line; more than one piece are cells of a table, at the places of `cells` of its columns.

    `bands` are the columns of its table: where most of their cells begin and end, and the border behind them.
    """

    pieces: tuple[Piece, ...]
    bands: tuple[Column, ...] = ()
    cells: tuple[int, ...] = ()

    @property
    def columns(self) -> int:
        """How many columns its table has."""
        return len(self.bands)

    @property
    def top(self) -> float:
        """The upper edge of its first piece."""
        return self.pieces[0].top

    @property
    def bottom(self) -> float:
        """The lower edge of its first piece."""
        return self.pieces[0].bottom


class GroupRow(list[Piece]):
    """A row of a table that says what those below have in common."""


def in_reading_order(
    pieces: Sequence[Piece],
    rules: Ruling = Ruling(),  # noqa: B008 - it cannot be changed
    before: Sequence[Column] = (),
) -> list[list[PieceRow]]:
    """Blocks of rows; each block reads from top to bottom. `rules` are the lines drawn on the page.

    `before` are the columns of the last table of the page before, which may go on.
    """
    if len(pieces) > _MOST:
        return [[PieceRow((piece,)) for piece in pieces]]
    pieces = list(with_ruled_rows([*with_drawn_cells([*with_grids(pieces, grids(rules))])], rules))
    return [list(_with_tables(piece_rows(block), rules, before)) for block in _blocks(pieces, rules, 0)]


def _blocks(pieces: list[Piece], rules: Ruling, depth: int) -> Iterator[list[Piece]]:
    for at in _gaps(pieces) if depth < _DEEPEST else ():
        parts = list(_parts(pieces, at, rules))
        if any(columns for _, columns in parts):
            for part, columns in parts:
                for block in _sides(part, at) if columns else (part,):
                    yield from _blocks(block, rules, depth + 1)
            return
    if pieces:
        yield pieces


def _sides(part: Sequence[Piece], at: float) -> Sequence[list[Piece]]:
    """The columns beside a gap, the right one first where most lines are of a script that is written from right to left."""
    left, right = ([piece for piece in part if (_middle(piece) < at) == side] for side in (True, False))
    return (right, left) if sum(goes_left(piece.text) for piece in part) * 2 > len(part) else (left, right)


def _middle(piece: Piece) -> float:
    return (piece.left + piece.right) / 2


def _gaps(pieces: Sequence[Piece]) -> list[float]:
    """Places at which several pieces have a gap to what stands beside them, those of most pieces first."""
    beside: dict[int, tuple[float, float]] = {}
    ordered = sorted(pieces, key=lambda piece: piece.top)
    for number, one in enumerate(ordered, 1):
        for other in ordered[number : number + _BESIDE]:
            if other.top > one.bottom - one.height / 4:
                break
            first, second = sorted((one, other), key=lambda piece: piece.left)
            if first.right < second.left:
                beside[id(first)] = first.right, min(second.left, beside.get(id(first), (0, math.inf))[1])
    return [(start + end) / 2 for _, start, end in _counted(list(beside.values()), least=2)]


def _counted(gaps: Sequence[tuple[float, float]], least: int = _LEAST) -> list[tuple[int, float, float]]:
    """What is common to several gaps, and how many they are: those of most first."""
    counted: list[tuple[int, float, float]] = []
    open_: list[float] = []
    for start, end in sorted(gap for gap in gaps if gap[0] < gap[1]):
        heappush(open_, end)
        while open_[0] <= start:
            heappop(open_)
        if len(open_) >= least:
            counted.append((len(open_), start, open_[0]))
    found: list[tuple[int, float, float]] = []
    for count, start, end in sorted(counted, key=lambda one: -one[0]):
        if all(not start < (first + last) / 2 < end for _, first, last in found):
            found.append((count, start, end))
        if len(found) == _CANDIDATES:
            break
    return found


def _parts(pieces: Sequence[Piece], at: float, rules: Ruling) -> Iterator[tuple[list[Piece], bool]]:
    """The pieces between those that cross the gap at `at`, and whether they are columns of text; the others together."""
    crossing = sorted(
        (piece for piece in pieces if piece.left < at - 1 and piece.right > at + 1), key=lambda one: one.top
    )
    beside = sorted(
        (piece for piece in pieces if not (piece.left < at - 1 and piece.right > at + 1)), key=lambda one: one.top
    )
    waiting: list[Piece] = []
    place = 0
    for border in [*crossing, None]:
        band = []
        while place < len(beside) and (
            border is None or beside[place].top + beside[place].bottom < border.top + border.bottom
        ):
            band.append(beside[place])
            place += 1
        if band and _are_columns(band, at, rules):
            if waiting:
                yield waiting, False
            yield band, True
            waiting = []
        else:
            waiting += band
        if border is not None:
            waiting.append(border)
    if waiting:
        yield waiting, False


def _are_columns(band: Sequence[Piece], at: float, rules: Ruling) -> bool:
    """Whether what stands on both sides of a gap are columns: both of text, or drawn one after the other and no cells of a table.

    A column of two lines is known by all of these and its edges, as the end of a text that fills the other.
    """
    sides = _sides(band, at)
    few = min(len(piece_rows(side)) for side in sides)
    if not few:
        return False
    top, bottom = min(piece.top for piece in band), max(piece.bottom for piece in band)
    through = sum(top < height < bottom and begin < at < end for height, begin, end in rules.across)
    levelled = _levelled(*sides)
    if levelled and through > 1:
        return False
    texts = [side for side in sides if _is_text(side)]
    if few >= _LEAST and len(texts) == 2:
        return True
    drawn = [_middle(piece) < at for piece in sorted(band, key=lambda piece: piece.order)]
    changes = sum(one != other for one, other in pairwise(drawn))
    if changes > 1 + few // _STRAY or any(piece.field for piece in band):
        return False
    runs = any(sum(piece.text[:1].islower() for piece in side) * _AMID >= len(side) >= _LEAST for side in texts)
    apart = not levelled or (changes == 1 and all(map(_is_row_by_row, sides)))
    return (runs or apart) if few >= _LEAST else runs and len(texts) == 2 and all(map(_is_even, sides))


def _is_row_by_row(side: Sequence[Piece]) -> bool:
    """Whether most lines hold several cells, and the file draws one after the other: a table beside another one."""
    rows = piece_rows(side)
    drawn = [piece.order for row in rows for piece in row]
    return sum(len(row) > 1 or bool(row[0].table) for row in rows) * 2 > len(rows) and drawn == sorted(drawn)


def _is_even(side: Sequence[Piece]) -> bool:
    """Whether most lines of two or more begin at one edge."""
    edge = min(piece.left for piece in side)
    return sum(piece.left - edge < _INDENT * piece.height for piece in side) * 2 > max(len(side), 2)


def _is_text(side: Sequence[Piece]) -> bool:
    side = [piece for piece in side if not piece.table] or side
    lengths = sorted(len(piece.text) for piece in side)
    widths = sorted(piece.right - piece.left for piece in side)
    long = widths[len(widths) * 9 // 10]
    return median(lengths) >= _LETTERS and sum(width >= _LONG * long for width in widths) >= _EVEN * len(widths)


def _levelled(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Whether most pieces of the side with fewer stand on the same line as one opposite."""
    few, many = sorted((left, right), key=len)
    feet = sorted(piece.bottom for piece in many)
    level = sum(
        bisect_left(feet, piece.bottom - _LEVEL * piece.height)
        < bisect_right(feet, piece.bottom + _LEVEL * piece.height)
        for piece in few
    )
    return level >= _LEVELLED * len(few)


def _with_tables(pieces: Sequence[Sequence[Piece]], rules: Ruling, before: Sequence[Column]) -> Iterator[PieceRow]:
    """The rows, those of a table with their columns: rows that follow each other and have gaps at the same places."""
    rows = with_one_head(list(_drawn_apart(pieces)), rules)
    at = 0
    while at < len(rows):
        row = rows[at]
        borders, end = _table(rows, at)
        is_table = bool(borders) and _is_table(rows[at:end], borders)
        broken = range(at + is_table, max(end, at + 1))  # heads of no table, or amid another
        heads = [
            (place, one.lines) for place in broken if isinstance(one := rows[place], HeadRow) and len(one.lines) > 1
        ]
        if heads:
            [(place, lines), *_] = heads
            rows[place : place + 1] = lines
        elif is_table:
            borders = sorted([*borders, *_run_across(rows[at:end], borders)])
            for begin in (at, at + 1)[: 1 + (len(row) < len(before))] if end - at > _LEAST else ():
                if _goes_on_below(before, rows[begin:end]):
                    yield from (PieceRow(tuple(line)) for line in rows[at:begin])  # the head of the page
                    at, borders = begin, [border for _, _, border in before[:-1]]
                    break
            bands = tuple(_bands(rows[at:end], borders))
            if isinstance(row, HeadRow) and row.unclear:
                cells = tuple(_column(piece, borders) for piece in row.unclear)
                clear = len({*cells}) == len(cells) > 1
                yield PieceRow(tuple(row.unclear), bands if clear else (), cells)
            for number, close in enumerate(_apart(list(with_labels(rows[at:end], borders)))):
                yield from _table_rows(close, borders, bands, heads=not number)
            at = end
        else:
            yield from (PieceRow(tuple(line)) for line in rows[at : max(end, at + 1)])
            at = max(end, at + 1)


def _bands(rows: Sequence[Sequence[Piece]], borders: Sequence[float]) -> Iterator[Column]:
    for column, border in enumerate([*borders, math.inf]):
        cells = [piece for row in rows for piece in row if _column(piece, borders) == column]
        lefts, rights = [piece.left for piece in cells], [piece.right for piece in cells]
        yield median(lefts or [math.inf]), median(rights or [math.inf]), border


def _goes_on_below(before: Sequence[Column], rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether the table of the page before goes on in rows: each piece is in a column of its own, which begins or ends as it did."""
    borders = [border for _, _, border in before[:-1]]
    for row in rows:
        if any(_crosses(piece, at) for piece in row for at in borders) or len(
            {_column(one, borders) for one in row}
        ) < len(row):
            return False
    return bool(before) and all(
        left == math.inf or abs(left - first) < 1 or abs(right - last) < 1
        for (left, right, _), (first, last, _) in zip(_bands(rows, borders), before, strict=True)
    )


def _apart(rows: Sequence[Sequence[Piece]]) -> list[Sequence[Sequence[Piece]]]:
    """The lines of a table that stand close together, where others stand further apart; else each alone."""
    bottoms = accumulate((max(piece.bottom for piece in row) for row in rows), max)
    tops = (min(piece.top for piece in row) for row in rows[1:])
    spaces = [max(0.0, top - bottom) for bottom, top in zip(bottoms, tops, strict=False)]
    close = min(spaces) + _CLOSE * rows[0][0].height
    ends = [at for at, space in enumerate(spaces, 1) if space > close]
    if len(ends) < _TABLE_ROWS:
        ends = list(range(1, len(rows)))
    return [rows[begin:end] for begin, end in pairwise([0, *ends, len(rows)])]


def _run_across(rows: Sequence[Sequence[Piece]], borders: Sequence[float]) -> Iterator[float]:
    """The middles of further gaps that a few rows run across, as the heads of several columns do."""
    beside = [pair for row in rows for pair in pairwise(row) if len({_column(piece, borders) for piece in pair}) == 1]
    gaps = [(one.right, other.left) for one, other in beside]
    for count, start, end in _counted(gaps):
        middle = (start + end) / 2
        across = sum(any(piece.left < middle < piece.right for piece in row) for row in rows)
        new = end - start >= _SLIM * rows[0][0].height and not any(start < border < end for border in borders)
        if new and across * _FEW <= count:
            yield middle


def _placed(row: Sequence[Piece], borders: Sequence[float], *, heads: bool) -> list[tuple[int, Piece]]:
    """The pieces of a row with their columns; heads stand over every column that they run across."""
    placed = []
    for piece in row:
        across = [at for at, border in enumerate(borders) if _crosses(piece, border)]
        columns = across[:1] or [_column(piece, borders)]
        if heads and across and any(map(str.isalpha, piece.text)):
            columns = [*across, across[-1] + 1]
        placed += [(column, piece) for column in columns]
    return placed


def _table_rows(
    lines: Sequence[Sequence[Piece]],
    borders: Sequence[float],
    bands: tuple[Column, ...],
    *,
    heads: bool,
) -> Iterator[PieceRow]:
    """Lines of a table as its rows: one, if the words of its longer cells go on from line to line, and others have one line."""
    columns = len(borders) + 1
    cells: defaultdict[int, list[Piece]] = defaultdict(list)
    placed = [_placed(line, borders, heads=heads) for line in lines]
    for line in placed:
        for column, part in groupby(line, lambda one: one[0]):
            cells[column].append(reduce(Piece.with_next, (piece for _, piece in part)))
    counts = [len(cells[column]) for column in range(columns) if cells[column]]
    key = len(cells[0])  # a cell of the first column that goes on has no other beside it that does
    goes_on = all(map(_goes_on, cells.values())) and min(counts) == 1 < max(counts)
    if goes_on and (key < 2 or sum(count > 1 for count in counts) == 1):
        placed = [[(column, reduce(Piece.with_next, cells[column])) for column in range(columns) if cells[column]]]
    for line in placed:
        yield PieceRow(tuple(piece for _, piece in line), bands, tuple(column for column, _ in line))


def _goes_on(cell: Sequence[Piece]) -> bool:
    """Whether most lines of a cell behind its first begin amid a sentence, or with a word for which the line before had no room."""
    room = max((piece.right for piece in cell), default=0.0)
    going = 0
    for before, after in pairwise(cell):
        word = (after.right - after.left) * len(after.text.partition(" ")[0]) / max(1, len(after.text))
        full = before.text.count(" ") > 1 and before.text[-1:] not in ".:;!?" and before.right + word > room
        going += full or before.hyphen or after.text[:1].islower()
    return going * 2 >= len(cell) - 1


def _ends_cell(lines: Sequence[Sequence[Piece]]) -> bool:
    """Whether the last of lines that stand close together is the rest of a cell."""
    last = lines[-1][0]
    cell = [piece for line in lines for piece in line if piece.left < last.right and piece.right > last.left]
    return len(cell) > 1 and _goes_on(cell)


def _is_table(rows: Sequence[Sequence[Piece]], borders: Sequence[float]) -> bool:
    """Whether rows with gaps at the same places are a table, and no list, formula or running text with wide spaces."""
    if _hangs(rows, borders):
        return False
    rows = [row for row in rows if not isinstance(row, GroupRow)]
    pieces = [piece for row in rows for piece in row]
    height = median(piece.height for piece in pieces)
    filled = len({(number, _column(piece, borders)) for number, row in enumerate(rows) for piece in row})
    sparse = filled < _FULL * len(rows) * (len(borders) + 1)
    over = [
        max(one.bottom for one in row) > min(one.top for one in after) + height / 4 for row, after in pairwise(rows)
    ]
    letters = [piece.height for piece in pieces if not piece.field]
    if sparse and sum(over) * 2 > len(over) and max(letters, default=0) > _TALL * min(letters, default=0):
        return False  # a formula: signs of several heights, lines that reach into each other
    words = [sum(any(map(str.isalnum, word)) for word in piece.text.split()) for piece in pieces]
    numbers = sum(any(map(str.isdigit, piece.text)) for piece in pieces)
    runs = median(words) >= _WORDS or (sum(words) >= _RUN * len(rows) and numbers * 4 <= len(pieces))
    gap = median(other.left - one.right for row in rows for one, other in pairwise(row)) / height
    return not runs or gap > (_WIDE if len(rows) > _LEAST else 2 * _WIDE)


def _hangs(rows: Sequence[Sequence[Piece]], borders: Sequence[float]) -> bool:
    """Whether columns are a list: numbers, bullets or words, and beside them what is said of each, in lines of text or code."""
    labels = [row[0].text for row in rows if not _column(row[0], borders)]
    said = [piece.text for row in rows for piece in row if _column(piece, borders)]
    beside = sum(len({_column(piece, borders) for piece in row}) > 2 for row in rows)
    values = sum(any(map(str.isdigit, text)) and not any(map(str.isalpha, text)) for text in said)
    if beside * 4 <= len(rows) and values * 2 < len(said):
        numbers = [int(word) for text in labels if (word := text.partition(" ")[0]).isdecimal()]
        if len(labels) == len(numbers) > 1 and all(after == one + 1 for one, after in pairwise(numbers)):
            return True
    if len(borders) != 1:
        return False
    loose = len(labels) * _LEAST < len(rows) and len(said) * 2 > len(rows)
    return all(map(_LABEL.fullmatch, labels)) or loose or median(map(len, said)) >= _SENTENCE


def _table(rows: list[list[Piece]], begin: int) -> tuple[list[float], int]:
    """The middles of the gaps of a table that begins at a row, and where it ends; no gaps if none begins.

    A gap is what no piece of its rows covers. A row belongs to it that closes none of the gaps that have pieces of one row on both sides;
    the second row may, as the first is the one of names.
    """
    named = all(any(map(str.isalpha, piece.text)) or len(piece.text) == _YEAR for piece in rows[begin])
    least_gap = 0.0 if named and len(rows[begin]) > _TABLE_ROWS else _WIDE * rows[begin][0].height
    bands, end, full, last = _with_row([], rows[begin], begin, least_gap)[0], begin + 1, 1, 0.0
    if len(bands) < 2:
        return [], begin
    while end < len(rows):
        row, alone = rows[end], len(rows[end])
        drawn = end == begin + 1 and all(_DASHES.fullmatch(piece.text) for piece in row)  # a line, with letters
        if drawn and any(len(one) > 1 for one in rows[end + 1 : end + 3]):
            rows[begin][:] = [replace(one, bottom=row[0].bottom, letters=one.height) for one in rows[begin]]
            del rows[end]
            continue
        if alone < 2 and (group := _group(rows, begin, end, bands, least_gap)):
            rows[end] = GroupRow([group])
            end += 1
            continue
        wider, closes = _with_row(bands, row, end, least_gap)
        if closes and alone > 1 and not least_gap:
            wider, closes = _with_row(bands, _cut(row, bands), end, least_gap)
        least = len(bands) if full >= _TABLE_ROWS or alone < 2 else min(len(bands), alone)
        if len(wider) < 2 or (closes and len(wider) < least) or (alone < 2 and not _is_cell(rows, begin, end)):
            break
        space = (row[0].top - rows[end - 1][0].bottom) / row[0].height
        used = sum(any(left <= piece.left <= right for piece in row) for left, right, _ in wider)
        apart = 2 if end < begin + 2 else min(2, max(1, 2 * last))
        if space > _FAR or (space > apart and alone > used):
            break
        last = space
        bands = wider
        full += alone > 1
        end += 1
    while len(rows[end - 1]) == 1 and not _ends_cell(_apart(rows[begin:end])[-1]):
        end -= 1
    if not least_gap:
        bands = min((_headed(bands, begin, side) for side in (-1, 1)), key=len)
    borders = [(one[1] + other[0]) / 2 for one, other in pairwise(bands)]
    parted = sum(len({_column(piece, borders) for piece in row}) > 1 for row in rows[begin:end])
    return (borders, end) if parted >= _TABLE_ROWS else ([], begin)


def _group(
    rows: Sequence[Sequence[Piece]], begin: int, at: int, bands: Sequence[_Band], least_gap: float
) -> Piece | None:
    """A piece alone on its line, over several columns, as the first cell of it: close to the rows of a table on both sides."""
    [piece], below = rows[at], rows[at + 1] if at + 1 < len(rows) else []
    near = _LEADING * piece.height
    letters = sorted((piece.height, rows[at - 1][0].height))
    left, right = min([bands[0][0], *(one.left for one in below)]), max([bands[-1][1], *(one.right for one in below)])
    amid = abs(_middle(piece) - (left + right) / 2) < piece.height
    wider, closes = _with_row(bands, below if len(below) > 1 else (), at + 1, least_gap)
    if (
        not below
        or closes
        or piece.table
        or not any(map(str.isalnum, piece.text))
        or not (amid or piece.left < bands[0][1])
        or letters[1] > _TALLER * letters[0]
        or not left - piece.height < piece.left < piece.right < right + piece.height
        or (not _with_row(wider, [piece], at, least_gap)[1] and _is_cell(rows, begin, at))
        or piece.top - max(one.bottom for one in rows[at - 1]) > near
        or min(one.top for one in below) - piece.bottom > near
    ):
        return None
    around = [*rows[begin:at], GroupRow(rows[at]), *rows[at + 1 : at + 3]]
    fits = len(below) > 1 or (
        not isinstance(rows[at - 1], GroupRow) and _group(around, 0, at - begin + 1, bands, least_gap) is not None
    )
    return replace(piece, left=bands[0][0], right=bands[0][0] + 1) if fits else None


def _with_row(bands: Sequence[_Band], row: Sequence[Piece], number: int, least_gap: float) -> tuple[list[_Band], bool]:
    """The bands with the pieces of a further row, narrower gaps closed; whether one between pieces of one row is."""
    found: list[_Band] = []
    closes = False
    new = ((piece.left, piece.right, frozenset((number,))) for piece in row)
    for left, right, filled in sorted([*bands, *new], key=lambda band: band[:2]):
        if found and left - found[-1][1] < least_gap:
            first, last, before = found[-1]
            closes = closes or bool(before & filled)
            found[-1] = first, max(last, right), before | filled
        else:
            found.append((left, right, filled))
    return found, closes


def _cut(row: Sequence[Piece], bands: Sequence[_Band]) -> list[Piece]:
    """The pieces of a row, cut at the end of the band with which they begin: a spreadsheet writes on into cells that are blank."""
    ends = {piece: [right for left, right, _ in bands if abs(left - piece.left) < 1] for piece in row}
    return [replace(piece, right=min(piece.right, *ends[piece])) if ends[piece] else piece for piece in row]


def _headed(bands: Sequence[_Band], head: int, side: int) -> list[_Band]:
    """The bands, those without a name as one with the band beside them that has one and no piece in their rows; first on one `side`."""
    found = list(bands)
    for step in (side, -side):
        for band in [band for band in found if head not in band[2]][::-step]:
            at = found.index(band) + step
            if 0 <= at < len(found) and head in found[at][2] and not band[2] & found[at][2]:
                other = found[at]
                found[min(at, at - step) : max(at, at - step) + 1] = [
                    (min(band[0], other[0]), max(band[1], other[1]), band[2] | other[2])
                ]
    return found


def _drawn_apart(rows: Sequence[Sequence[Piece]]) -> Iterator[list[Piece]]:
    """The rows; what is drawn in parts is parted where rows around it have a gap, or cells that begin or end at the same place."""
    parts = [[part for piece in row for part in piece.drawn or (piece,)] for row in rows]
    places = [[(part.left, part.right, _CLIPPED * part.height) for part in row] for row in parts]
    for at, row in enumerate(rows):
        pieces: list[Piece] = []
        for piece in row:
            cells = [[part] for part in piece.drawn[:1]]
            for one, other in pairwise(piece.drawn):
                if _is_border(rows, places, at, one.right, other.left):
                    cells.append([other])
                else:
                    cells[-1].append(other)
            pieces += [reduce(_as_one_part, cell) for cell in cells] if len(cells) > 1 else [piece]
        yield pieces


def _as_one_part(one: Piece, other: Piece) -> Piece:
    """Two parts of a piece, without a space where they touch."""
    joined = one.with_next(other)
    touching = other.left - one.right < _TOUCHING * one.height
    return replace(joined, text=one.text + other.text) if touching else joined


def _is_border(
    rows: Sequence[Sequence[Piece]],
    places: Sequence[Sequence[tuple[float, float, float]]],
    at: int,
    left: float,
    right: float,
) -> bool:
    middle, told = (left + right) / 2, 0
    for side in (range(at - 1, max(-1, at - 1 - _AROUND), -1), range(at + 1, min(len(rows), at + 1 + _AROUND))):
        for number in side:
            alone, parts = len(rows[number]) == 1, places[number]
            crossed = any(first + slack < middle < last - slack for first, last, slack in parts)
            if crossed and alone:
                break
            told -= crossed
            told += any(one[1] <= middle <= other[0] for one, other in pairwise(parts))
            told += not alone and any(abs(first - right) < 1 or abs(last - left) < 1 for first, last, _ in parts)
    return told > 1


def _crosses(piece: Piece, at: float) -> bool:
    slack = _CLIPPED * piece.height
    return piece.left + slack < at < piece.right - slack


def _is_cell(rows: Sequence[Sequence[Piece]], begin: int, at: int) -> bool:
    """Whether a piece alone on its line goes on in a cell: it stands close below the row before, where a cell begins."""
    piece, above = rows[at][0], rows[at - 1]
    close = piece.top - max(other.bottom for other in above) < _LEADING * piece.height
    return close and any(abs(piece.left - other.left) < piece.height for row in rows[begin:at] for other in row)


def _column(piece: Piece, borders: Sequence[float]) -> int:
    return sum(_middle(piece) > border for border in borders)
