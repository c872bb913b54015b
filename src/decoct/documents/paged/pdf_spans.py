"""Heads over several columns and labels of several rows in tables of a PDF that no lines rule.

A head belongs to the columns of numbers over whose middle it stands, or that a line below it runs along; a label to the rows of whose
heights it is the middle. Both only where all of them agree; else they stay as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from decoct.documents.paged.pdf_pieces import Piece
from decoct.documents.paged.pdf_rules import Ruling

Row = list[Piece]
Band = tuple[float, float]
Span = tuple[int, int]
_YEARS = ("19", "20")  # what four digits begin with that may be a head
_LINES = 6  # of heads, that are looked at
_ROWS = 12  # below them
_NEAR = 1.5  # times the distance of two rows, between lines of heads
_AMID = 0.75  # of that distance: a line amid others
_OFF = 0.75  # of the height that a head may be off the middle of its columns
_GROUPS = 2  # labels of several rows, in a table with such
_MIDDLE = 0.25  # of the distance of two rows that a label may be off the middle of its rows


class HeadRow(list[Piece]):
    """The heads of a table as one row; the `lines` that they stand on, and heads of the uppermost of these whose columns are not clear."""

    def __init__(self, heads: Row, lines: Sequence[Row], unclear: Row) -> None:
        super().__init__(heads)
        self.lines, self.unclear = lines, unclear


def with_one_head(rows: Sequence[Row], rules: Ruling) -> list[Row]:
    """The rows with the lines of a table's heads as one."""
    found: list[Row] = []
    for at, row in enumerate(rows):
        above = found[-1] if found else []
        if len(above) > 1 and not any(piece.table for piece in row) and _has_values(row) and not _has_values(above):
            head, count, unclear = _head(found[-_LINES:], rows[at : at + _ROWS], rules)
            if count > 1 or (
                count
                and len(head) > 2
                and not all(one.right == other.right for one, other in zip(head, above, strict=True))
            ):
                found[-count:] = [HeadRow(head, found[-count:], unclear)]
        found.append(row)
    return found


def _has_values(row: Row) -> bool:
    return any(
        sum(map(str.isdigit, text)) >= max(1, sum(map(str.isalpha, text)))
        and not (len(text) == 4 and text[:2] in _YEARS)
        for text in (piece.text for piece in row)
    )


def _head(lines: Sequence[Row], below: Sequence[Row], rules: Ruling) -> tuple[Row, int, Row]:
    """The heads over the columns of the rows `below`, how many of the `lines` above they are, and those whose columns are not clear."""
    body, steps = [below[0]], list[float]()
    for before, row in pairwise(below):
        if len(row) > 1 and not any(piece.table for piece in row):
            steps.append(_level(row) - _level(body[-1]))
            body.append(row)
        elif len(row) > 1 or len(before) < 2:
            break
    columns, step = _columns(body), median(steps or [0.0])
    heads: list[list[Piece]] = [[] for _ in columns]
    count, under, unclear = 0, body[0], Row()
    for line in reversed(lines if len(body) > 1 and len(columns) > 2 else ()):
        space = _level(under) - _level(line)
        over = [
            [at for at, one in enumerate(columns) if piece.left < one[1] and one[0] < piece.right] for piece in line
        ]
        if (
            isinstance(line, HeadRow)
            or space > _NEAR * step
            or any(piece.table or piece.field or piece.left > columns[-1][1] for piece in line)
            or _has_values(line)
            or (
                len(line) == 1
                and 0 in over[0]
                and line[0].bottom - line[0].height / 4 < min(piece.top for piece in under)
            )  # a title
        ):
            break
        below_it = [at for at, stack in enumerate(heads) if stack]
        spans = (
            _spans(line, columns, heads, rules, tight=space < _AMID * step)
            if count
            else _matched(line, over, columns, body)
        )
        if not spans or (below_it and spans in ([(0, 0)], [(below_it[0], below_it[-1] + 1)])):  # a title
            break
        for piece, (begin, end) in zip(line, spans, strict=True):
            for stack in heads[begin:end]:
                stack.insert(0, piece)
        count, under, unclear = count + 1, line, [piece for piece, (_, end) in zip(line, spans, strict=True) if not end]
        if unclear:
            break
    bottom = max(piece.bottom for piece in lines[-1])
    return (
        [_head_of(stack, one, heads, bottom) for one, stack in zip(columns, heads, strict=True) if stack],
        count,
        unclear,
    )


def _head_of(stack: Sequence[Piece], column: Band, heads: Sequence[Sequence[Piece]], bottom: float) -> Piece:
    """What stands over one column as one piece; one that stands beside it is as wide as both."""
    text = stack[0].text
    for before, after in pairwise(stack):
        group = sum(any(one is before for one in other) for other in heads) > 1
        text += f"{' / ' if group else '' if before.hyphen else ' '}{after.text}"
    last = stack[-1]
    left, right = last.left, last.right
    if left >= column[1] or right <= column[0]:
        left, right = min(left, column[0]), max(right, column[1])
    return replace(last, text=text, left=left, right=right, top=bottom - last.height, bottom=bottom, drawn=())


def _columns(body: Sequence[Row]) -> list[Band]:
    columns: list[Band] = []
    for left, right in sorted((piece.left, piece.right) for row in body for piece in row):
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(right, columns[-1][1])
        else:
            columns.append((left, right))
    return columns


def _matched(line: Row, over: Sequence[Sequence[int]], columns: Sequence[Band], body: Sequence[Row]) -> list[Span]:
    """The column of each head of the lowest line: that over which it stands, or beside which.

    Numbers that end at one place leave the place of their head free to the left, words that begin at one to the right.
    """
    for side in (1, 0):
        cells = [
            {round((one.left, one.right)[side]) for row in body for one in row if one.left < right and left < one.right}
            for left, right in columns
        ]
        beside = [sum(right <= piece.left for _, right in columns) - 1 + side for piece in line]
        placed = [
            places[0] if len(places) == 1 else at
            for places, at in zip(over, beside, strict=True)
            if len(places) == 1 or (not places and 0 <= at < len(columns) and len(cells[at]) == 1)
        ]
        if len({*placed}) == len(line):
            return [(at, at + 1) for at in placed]
    return []


def _spans(
    line: Row, columns: Sequence[Band], heads: Sequence[Sequence[Piece]], rules: Ruling, *, tight: bool
) -> list[Span]:
    """The columns over which each piece of an upper line of heads stands, from 0 to 0 where this is not clear.

    Heads whose lower heads come again in each, those along a line below, and those in the middle of columns side by side up to the last
    one are over all of these; of lines that stand close each goes on in the head below.
    """
    wide = [
        (min([left, *(one.left for one in stack)]), max([right, *(one.right for one in stack)]))
        for (left, right), stack in zip(columns, heads, strict=True)
    ]
    over = [[at for at, one in enumerate(wide) if piece.left < one[1] and one[0] < piece.right] for piece in line]
    alone = [(places[0], places[0] + 1) if len(places) == 1 else (0, 0) for places in over]
    groups = [number for number, (at, end) in enumerate(alone) if at == end or heads[at]]
    headed = [at for at, stack in enumerate(heads) if stack]
    if headed != [*range(headed[0], headed[-1] + 1)]:
        return []
    pieces, places = [line[number] for number in groups], [over[number] for number in groups]
    spans = _repeated(pieces, places, wide, heads, headed[-1] + 1) or _along(pieces, wide, rules)
    if not spans and len(groups) < len(line):
        spans = _from_edges(pieces, heads)
    flush = [
        (abs(piece.left - heads[at[0]][0].left) < 1) != (abs(piece.right - heads[at[-1]][0].right) < 1)
        for piece, at in zip(pieces, places, strict=True)
        if at and heads[at[0]] and heads[at[-1]]
    ]
    if not spans and not (flush and all(flush)):
        spans = _centred(pieces, places, wide, heads, headed[-1] + 1)
    if not spans and tight and len({*alone}) == len(line) and (0, 0) not in alone:
        return alone
    for number, span in zip(groups, spans or [(0, 0)] * len(groups), strict=True):
        alone[number] = span
    return alone


def _repeated(
    line: Row, over: Sequence[Sequence[int]], columns: Sequence[Band], heads: Sequence[Sequence[Piece]], end: int
) -> list[Span]:
    """The columns with the same heads in each part."""
    names = [" ".join(one.text for one in stack) for stack in heads]
    for size in range(end // max(1, len(line)), 1, -1):
        spans = [(at, at + size) for at in range(end - size * len(line), end, size)]
        within = all(
            columns[begin][0] < (piece.left + piece.right) / 2 < columns[after - 1][1]
            and all(begin <= at < after for at in places)
            for piece, places, (begin, after) in zip(line, over, spans, strict=True)
        )
        if len(line) > 1 and within and len({tuple(names[begin:after]) for begin, after in spans}) == 1:
            return spans
    return []


def _from_edges(line: Row, heads: Sequence[Sequence[Piece]]) -> list[Span]:
    """From the head with whose beginning each begins to the next such head, or one that has none below; where nothing is left out."""
    begins = [at for piece in line for at, stack in enumerate(heads) if stack and abs(stack[0].left - piece.left) < 1]
    spans = [
        (begin, next((at for at in range(begin, after) if not heads[at]), after))
        for begin, after in pairwise([*begins, len(heads)])
    ]
    told = {at for begin, end in spans for at in range(begin, end)}
    return spans if len(spans) == len(line) and all(at in told for at, stack in enumerate(heads) if stack) else []


def _along(line: Row, columns: Sequence[Band], rules: Ruling) -> list[Span]:
    """The columns along a line below each piece."""
    spans = []
    for piece in line:
        for height, left, right in rules.across:
            if (
                piece.bottom - 2 < height < piece.bottom + piece.height
                and left - 2 < piece.left
                and piece.right < right + 2
            ):
                along = [at for at, one in enumerate(columns) if left - 2 < sum(one) / 2 < right + 2]
                spans.append((along[0], along[-1] + 1) if along else (0, 0))
                break
    apart = all(before[1] <= after[0] for before, after in pairwise(spans))
    return spans if apart and len(spans) == len(line) and (0, len(columns)) not in spans else []


def _centred(
    line: Row, over: Sequence[Sequence[int]], columns: Sequence[Band], heads: Sequence[Sequence[Piece]], last: int
) -> list[Span]:
    """Columns side by side up to the last one, so that the pieces stand over their middles."""
    middles = [
        (stack[-1].left + stack[-1].right) / 2 if stack else sum(one) / 2
        for stack, one in zip(heads, columns, strict=True)
    ]
    best: dict[int, tuple[float, list[Span]]] = {}  # by the column behind the pieces before
    for number, (piece, places) in enumerate(zip(line, over, strict=True)):
        middle, following = (piece.left + piece.right) / 2, dict[int, tuple[float, list[Span]]]()
        for begin in best if number else range(1, last):
            for end in range(begin + 1, last + 1):
                offs = columns[begin][0] + columns[end - 1][1], middles[begin] + middles[end - 1]
                off = min(abs(one / 2 - middle) for one in offs)
                before, spans = best[begin] if number else (0.0, [])
                if (
                    off < _OFF * piece.height
                    and all(begin <= at < end for at in places)
                    and before + off < following.get(end, (1e9,))[0]
                ):
                    following[end] = before + off, [*spans, (begin, end)]
        best = following
    return best.get(last, (0.0, []))[1]


def with_labels(rows: Sequence[Row], borders: Sequence[float]) -> Iterator[Row]:
    """The rows of a table, first that of names; a label at the middle of several rows stands in each of them."""
    placed = [{sum((one.left + one.right) / 2 > border for border in borders): one for one in row} for row in rows]
    most = max(range(len(borders) + 1), key=lambda column: sum(column in one for one in placed[1:]))
    full = [at for at in range(1, len(rows)) if most in placed[at]]
    steps = [_level(rows[after]) - _level(rows[at]) for at, after in pairwise(full)]
    step = median(steps) if steps else 0.0
    between = [at for at in range(1, len(rows)) if at not in full and step and _between(rows, at, full, step)]
    lines = [at for at in range(1, len(rows)) if at not in between]
    groups: dict[int, list[Span]] = {}
    for column in range(len(borders) + 1 if len(lines) > 2 else 0):
        labels = [_level([placed[at][column]]) for at in range(1, len(rows)) if column in placed[at]]
        if not column or any(column in placed[at] for at in between):
            groups[column] = _tiled(labels, [_level(rows[at]) for at in lines], step)
    tall = [end - begin for begin, end in groups.get(0, ()) if end - begin > (1 if between else 2)]
    twice = any(len(one) < len(row) for one, row in zip(placed, rows, strict=True))
    heads = not _has_values(rows[1]) and any(map(_has_values, rows))  # in two lines
    valued = sum(_has_values(rows[at]) for at in lines) * 2 > len(lines)
    even = all(abs(_level(rows[after]) - _level(rows[at]) - step) < _MIDDLE * step for at, after in pairwise(lines))
    values = [sum(column not in groups for column in placed[at]) for at in lines]  # one alone is the rest of a cell
    if (
        min(values, default=0) < min(2, len(borders) + 1 - len(groups))
        or len(tall) < _GROUPS
        or not all(groups.values())
        or twice
        or heads
        or not valued
        or not even
    ):
        yield from rows
        return
    told = {at: [piece for column, piece in placed[at].items() if column not in groups] for at in lines}
    for column, spans in groups.items():
        tops = [placed[at][column] for at in range(1, len(rows)) if column in placed[at]]
        for piece, (begin, end) in zip(tops, spans, strict=True):
            for at in lines[begin:end]:
                told[at].append(replace(piece, top=rows[at][-1].top, bottom=rows[at][-1].bottom))
    yield rows[0]
    yield from (sorted(told[at], key=lambda one: one.left) for at in lines)


def _level(row: Row) -> float:
    return median((piece.top + piece.bottom) / 2 for piece in row)


def _between(rows: Sequence[Row], at: int, full: Sequence[int], step: float) -> bool:
    before, after = max((one for one in full if one < at), default=0), min((one for one in full if one > at), default=0)
    if not before or not after:
        return False
    above, below = _level(rows[before]), _level(rows[after])
    return below - above < 1.3 * step and abs((above + below) / 2 - _level(rows[at])) < _MIDDLE * step


def _tiled(labels: Sequence[float], lines: Sequence[float], step: float) -> list[tuple[int, int]]:
    """For each label the lines of which it is the middle, if these are all lines; else nothing."""
    found: list[tuple[int, int]] = []
    begin = 0
    for label in labels:
        ends = (
            end for end in range(begin, len(lines)) if abs((lines[begin] + lines[end]) / 2 - label) < _MIDDLE * step
        )
        end = next(ends, None)
        if end is None:
            return []
        found.append((begin, end + 1))
        begin = end + 1
    return found if begin == len(lines) else []
