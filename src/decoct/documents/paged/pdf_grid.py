"""Pieces of a page side by side in rows, and those that stand in the cells of a ruled table."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, pairwise

from decoct.documents.paged.pdf_pieces import Piece
from decoct.documents.paged.pdf_rules import Grid, Ruling

_SHARED = 0.5  # of the lower one's height that two pieces of a row share
_NARROW = 12.0  # points: an empty column that is narrower is the space between two lines
_FILLED = 3  # cells with words, in a table
_LINES = 8  # of a cell
_ENDS = 3.0  # points within which lines end at the same place
_NUMBER = re.compile(r"\d")


def piece_rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces side by side, from top to bottom, each row from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.top + piece.bottom, piece.left)):
        row = rows[-1] if rows else []
        if (
            row
            and not piece.table
            and not row[-1].table
            and all(_level(piece, other) for other in row[-2:])
            and _free(piece, row)
        ):
            row.append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _level(one: Piece, other: Piece) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > _SHARED * min(one.height, other.height)


def _free(piece: Piece, row: Sequence[Piece]) -> bool:
    """Whether the piece stands beside those of the row and not over one."""
    slack = piece.height / 4
    return all(piece.left > other.right - slack or piece.right < other.left + slack for other in row)


def with_grids(pieces: Sequence[Piece], grids: Sequence[Grid]) -> Iterator[Piece]:
    """The pieces; those in the cells of a row of a ruled table are one, with the words of its cells.

    A cell that holds several pieces side by side, line after line, is a frame around something, and stays as it is.
    """
    grids = [_with_outer_rows(pieces, grid) for grid in grids]
    cells: list[defaultdict[int, list[Piece]]] = [defaultdict(list) for _ in grids]
    for piece in pieces:
        middle = (piece.left + piece.right) / 2, (piece.top + piece.bottom) / 2
        for grid, filled in zip(grids, cells, strict=True):
            if (cell := grid.cell_at(*middle)) is not None:
                filled[cell].append(piece)
                break
        else:
            yield piece
    for grid, filled in zip(grids, cells, strict=True):
        if len(filled) < _FILLED:
            yield from (piece for cell in filled.values() for piece in cell)
        else:
            yield from _grid_rows(grid, filled)


def with_drawn_cells(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces; lines one below the other that the file draws between two cells of one row, left and right of them, are one cell."""
    ordered = sorted(pieces, key=lambda one: one.order)
    at = 0
    while at < len(ordered):
        begin, at = at, at + 1
        while at < len(ordered) and _goes_below(ordered[at - 1], ordered[at]):
            at += 1
        stack = ordered[begin:at]
        before, after = ordered[begin - 1 : begin], ordered[at : at + 1]
        cell = reduce(Piece.with_next, stack)
        beside = [
            one
            for one in (*before, *after)
            if not one.table and one.top > cell.top - 1 and one.bottom < cell.bottom + 1
        ]
        if (
            1 < len(stack) <= _LINES
            and len(beside) > 1
            and _level(*beside)
            and beside[0].right <= cell.left
            and cell.right <= beside[1].left
        ):
            yield replace(cell, letters=stack[0].height)
        else:
            yield from stack


def _goes_below(one: Piece, other: Piece) -> bool:
    """Whether a piece stands right below another, in letters of its height."""
    if one.table or other.table or one.field or other.field or one.right <= other.left or other.right <= one.left:
        return False
    return abs(one.height - other.height) < 1 and -one.height / 2 < other.top - one.bottom < _SHARED * one.height


def with_ruled_rows(pieces: Sequence[Piece], rules: Ruling) -> Iterator[Piece]:
    """The pieces; lines of cells that stand between two of several lines ruled across at the same places are one line of each.

    So are lines of heads that stand close above the first. What stands there side by side in one cell stays, and rows of numbers that no
    line parts.
    """
    ends: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for height, left, right in rules.across:
        ends[round(left / _ENDS), round(right / _ENDS)].append(height)
    found = {id(piece): piece for piece in pieces}
    for (left, right), heights in ends.items():
        if len(heights) < _FILLED:
            continue
        edges = left * _ENDS - _ENDS, right * _ENDS + _ENDS
        inside = [
            one
            for one in found.values()
            if not one.table and not one.field and edges[0] < (one.left + one.right) / 2 < edges[1]
        ]
        top = heights[0]
        for piece in sorted(inside, key=lambda one: -one.bottom):
            if piece.bottom < heights[0] + 1 and top - piece.bottom < piece.height / 4:
                top = min(top, piece.top)
        bands = list(pairwise([top, *heights]))
        cells = [_stacks([one for one in inside if top < (one.top + one.bottom) / 2 < bottom]) for top, bottom in bands]
        if sum(len(stacks) > 1 for stacks in cells) < _FILLED:
            continue
        for stacks in cells:
            tops, bottoms = [stack[0].top for stack in stacks], [stack[-1].bottom for stack in stacks]
            middles = [(top + bottom) / 2 for top, bottom in zip(tops, bottoms, strict=True)]
            even = any(max(one) - min(one) < _SHARED * stacks[0][0].height for one in (tops, middles, bottoms) if one)
            rows = [*_table_rows([[one.text for one in stack] for stack in stacks])] if len(stacks) > 1 else []
            for stack in stacks if even and len(rows) == 1 and max(map(len, stacks)) > 1 else ():
                for piece in stack:
                    del found[id(piece)]
                one = reduce(Piece.with_next, stack)
                one = replace(one, top=min(tops), bottom=max(bottoms), letters=stack[0].height)
                found[id(one)] = one
    yield from found.values()


def _stacks(band: Sequence[Piece]) -> list[list[Piece]]:
    """What stands one below the other, from left to right; nothing where it stands side by side, or is not drawn one after the other."""
    stacks: list[list[Piece]] = []
    edge = -math.inf
    for piece in sorted(band, key=lambda one: one.left):
        if piece.left < edge:
            stacks[-1].append(piece)
        else:
            stacks.append([piece])
        edge = max(edge, piece.right)
    stacks = [sorted(stack, key=lambda one: one.top) for stack in stacks]
    drawn = {id(piece): at for at, piece in enumerate(sorted(band, key=lambda one: one.order))}
    apart = (
        _level(one, other) or drawn[id(other)] - drawn[id(one)] != 1
        for stack in stacks
        for one, other in pairwise(stack)
    )
    return [] if any(apart) else stacks


def _with_outer_rows(pieces: Sequence[Piece], grid: Grid) -> Grid:
    """The grid with a row above and one below that no line closes: close to it, and with words in most columns and over no border."""
    for end, side in ((0, -1), (-1, 1)):
        edge, row = grid.rows[end], list[Piece]()
        near = sorted(
            (one for one in pieces if (one.top + one.bottom - 2 * edge) * side > 0 and not one.field),
            key=lambda one: (one.top + one.bottom) * side,
        )
        for piece in near:
            begin, far = (piece.top, piece.bottom)[::side]
            space = max(0.0, (begin - edge) * side)
            at = bisect_left(grid.columns, piece.left + 1) - 1
            within = 0 <= at < len(grid.columns) - 1 and piece.right < grid.columns[at + 1] + 1
            if space > piece.height * (_SHARED if not row else 1 / 4):
                break
            if not within:
                row = []
                break
            row.append(piece)
            edge = max(edge * side, far * side) * side
        beyond = [one for one in near[len(row) :] if ((one.top, one.bottom)[::side][0] - edge) * side < one.height]
        if any(_level(one, other) for one, other in pairwise(beyond)):  # it goes on
            continue
        filled = {bisect_left(grid.columns, piece.left + 1) for piece in row}
        if len(filled) > 1 and 2 * len(filled) >= len(grid.columns) - 1:
            width, count = len(grid.columns) - 1, len(grid.rows) - 1
            parts = tuple(range(width * (count + 1), width * (count + 2)))
            rows, cells = (grid.rows, grid.parts)
            grid = Grid(
                grid.columns,
                (edge, *rows) if side < 0 else (*rows, edge),
                (parts, *cells) if side < 0 else (*cells, parts),
            )
    return grid


def _grid_rows(grid: Grid, filled: dict[int, list[Piece]]) -> Iterator[Piece]:
    places, filled = _parted(grid, filled)
    rows = {cell: piece_rows(pieces) for cell, pieces in filled.items()}
    framed = {cell for cell, inner in rows.items() if sum(len(row) > 1 for row in inner) > 1}
    lines = {cell: [_line(row) for row in inner if cell not in framed] for cell, inner in rows.items()}
    told: set[int] = set()
    kept = [
        at
        for at, (left, right) in enumerate(pairwise(grid.columns))
        if (right - left >= _NARROW and (not at or any(parts[at] != parts[at - 1] for parts in places)))
        or any(parts[at] in filled and parts.count(parts[at]) < 2 for parts in places)
    ]
    several = [at for at, parts in enumerate(places) if len({*parts}.intersection(filled)) > 1] or [0]
    columns = [[parts[at] if parts[at] in filled else None for at in kept] for parts in places[several[0] :]]
    heads = 1 if framed else _head_rows(columns)
    for number, ((top, bottom), parts) in enumerate(zip(pairwise(grid.rows), places, strict=True)):
        new = [cell for cell in dict.fromkeys(parts) if cell in filled and cell not in told]
        told.update(new)
        if any(cell in framed for cell in new):
            yield from (piece for cell in new for piece in filled[cell])
        elif new:
            said = parts[:1] if len(set(parts)) == 1 else [parts[at] for at in kept]
            table = tuple(_table_rows([lines.get(cell, []) for cell in said]))
            if several[0] == number and heads > 1:
                stacks = [dict.fromkeys(row[at] for row in places[number : number + heads]) for at in kept]
                new = [cell for cell in dict.fromkeys(chain.from_iterable(stacks)) if cell in filled]
                told.update(new)
                table = (
                    tuple(" / ".join(" ".join(lines[cell]) for cell in stack if cell in lines) for stack in stacks),
                )
            elif len(said) < len(kept) and several[0] < number < several[-1]:  # what the rows below have in common
                table = ((*table[0], *[""] * (len(kept) - 1)),) if len(table) == 1 else table
            order = min(piece.order for cell in new for piece in filled[cell])
            text = " ".join(line for cell in new for line in lines[cell])
            end = grid.rows[number + heads] if several[0] == number else bottom
            yield Piece(text, grid.columns[0], top, grid.columns[-1], end, order, table=table)


def _head_rows(rows: Sequence[Sequence[int | None]]) -> int:
    """How many rows the heads of a table take: those through which a cell beside a head of several columns goes on; None: blank."""
    heads = {*rows[0]} - {None}
    if all(rows[0].count(cell) == 1 for cell in heads):
        return 1
    return max(number for number, row in enumerate(rows, 1) if number == 1 or heads.intersection(row))


def _parted(grid: Grid, filled: dict[int, list[Piece]]) -> tuple[list[list[int]], dict[int, list[Piece]]]:
    """The parts of a grid and what fills them; pieces side by side, each in a column of its own, are cells that only no line parts."""
    places, found = [list(parts) for parts in grid.parts], dict(filled)
    for cell, pieces in filled.items():
        columns = [bisect_left(grid.columns, piece.left) - 1 for piece in pieces]
        within = all(piece.right <= grid.columns[at + 1] for piece, at in zip(pieces, columns, strict=True))
        if len(pieces) > 1 and within and len(piece_rows(pieces)) == 1 and len({*columns}) == len(columns):
            for parts in places:
                parts[:] = [-1 - cell * len(parts) - at if one == cell else one for at, one in enumerate(parts)]
            del found[cell]
            found |= {-1 - cell * len(places[0]) - at: [piece] for at, piece in zip(columns, pieces, strict=True)}
    return places, found


def _table_rows(cells: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The rows of a table that stand between two lines: several where most cells have as many lines, with numbers."""
    count = max(map(len, cells))
    filled = [cell for cell in cells if cell]
    many = [cell for cell in filled if len(cell) == count]
    numbers = [cell for cell in many if all(_NUMBER.search(line) for line in cell)]
    even = all(len(cell) in {1, count} for cell in filled) and len(many) * 2 > len(filled)
    if count > 1 and even and len(many) > 1 and len(numbers) * 2 >= len(many):
        for at in range(count):
            yield tuple((cell[at] if len(cell) == count else cell[0]) if cell else "" for cell in cells)
    else:
        yield tuple(" ".join(cell) for cell in cells)


def _line(row: Sequence[Piece]) -> str:
    return " ".join(piece.text + "-" * piece.hyphen for piece in row)
