"""Ruled lines of a PDF's page, and the tables that they enclose.

Lines and the edges of boxes that touch are a grid (the lattice of Nurminen, "Algorithmic extraction of data in tables in PDF documents",
2013). Where no line parts two cells they are one, and its words stand at every place that it covers.
"""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from statistics import median_high, median_low
from typing import Any

from pypdfium2 import raw

Box = tuple[float, float, float, float]
_SHAPES = 1_500  # of a page that are looked at
_POINTS = 60  # of one shape
_LEAST = 8.0  # points: shorter strokes rule nothing
_THIN = 2.5  # points: what is thinner is a line
_NEAR = 3.0  # points within which lines touch
_MOST = 60_000  # pairs of lines across and down


def turned(box: Box, turn: int) -> Box:
    """A box (left, bottom, right, top) of the page's system as (left, top, right, bottom) of text turned clockwise by `turn` quarters.

    4 is slanted text, as if it stood upright.
    """
    left, bottom, right, top = box
    if not turn % 4:
        return left, -top, right, -bottom
    return (
        (left, -top, right, -bottom),
        (-top, -right, -bottom, -left),
        (-right, bottom, -left, top),
        (bottom, left, top, right),
    )[turn]


@dataclass(frozen=True, slots=True)
class Ruling:
    """Lines of a page: `across` as (height, from, to), `down` as (place, from, to), in the coordinates of a reader and their order."""

    across: tuple[tuple[float, float, float], ...] = ()
    down: tuple[tuple[float, float, float], ...] = ()

    def part(self, left: float, right: float, height: float) -> bool:
        """Whether a line that goes down stands between `left` and `right` at this height."""
        near = self.down[bisect_left(self.down, (left,)) : bisect_left(self.down, (right, math.inf))]
        return any(top <= height <= bottom for _, top, bottom in near)


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: the places of its lines, and for each cell (row, column) the number of the cell of which it is a part."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    parts: tuple[tuple[int, ...], ...]

    def cell_at(self, x: float, y: float) -> int | None:
        """The number of the cell at a point; None outside."""
        column, row = bisect_left(self.columns, x) - 1, bisect_left(self.rows, y) - 1
        inside = 0 <= column < len(self.columns) - 1 and 0 <= row < len(self.rows) - 1
        return self.parts[row][column] if inside else None


def shapes_of(page: Any) -> list[tuple[Any, int]]:  # noqa: ANN401 - pypdfium2 has no types
    """The objects of a page with their kinds."""
    shapes = (raw.FPDFPage_GetObject(page.raw, number) for number in range(raw.FPDFPage_CountObjects(page.raw)))
    return [(shape, raw.FPDFPageObj_GetType(shape)) for shape in shapes]


def rules_of(shapes: Iterable[tuple[Any, int]]) -> tuple[list[Box], list[Box]]:
    """The lines and edges of boxes of a page as thin boxes in its system, and its thin lines across that end at none down."""
    found: set[Box] = set()
    thin: set[Box] = set()
    paths = (shape for shape, kind in shapes if kind == raw.FPDF_PAGEOBJ_PATH)
    for points in (points for shape in islice(paths, _SHAPES) for points in _strokes(shape)):
        for one, other in pairwise(points):
            left, low, right, high = box = _around((one, other))
            if (right - left >= _LEAST and high - low < 1) or (high - low >= _LEAST and right - left < 1):
                found.add(box)
        left, low, right, high = box = _around(points)
        if high - low < _THIN < right - left:
            thin.add(box)
    down: defaultdict[int, list[Box]] = defaultdict(list)
    for box in found:
        if box[3] - box[1] > box[2] - box[0]:
            down[round(box[0])].append(box)
    ends = ((box, line) for box in thin for edge in (box[0], box[2]) for line in down[round(edge)])
    thin -= {box for box, line in ends if line[1] - 1 < box[1] < line[3] + 1}
    return sorted(found), sorted(thin)


def _around(points: Sequence[tuple[float, float]]) -> Box:
    across, up = zip(*points, strict=True)
    return round(min(across), 1), round(min(up), 1), round(max(across), 1), round(max(up), 1)


def _strokes(shape: Any) -> list[list[tuple[float, float]]]:  # noqa: ANN401
    """The corners of a shape in the page's system, stroke by stroke."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(shape, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    strokes: list[list[tuple[float, float]]] = []
    for number in range(min(raw.FPDFPath_CountSegments(shape), _POINTS)):
        segment = raw.FPDFPath_GetPathSegment(shape, number)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        if not strokes or raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
            strokes.append([])
        strokes[-1].append(
            (
                matrix.a * x.value + matrix.c * y.value + matrix.e,
                matrix.b * x.value + matrix.d * y.value + matrix.f,
            )
        )
        if raw.FPDFPathSegment_GetClose(segment):
            strokes[-1].append(strokes[-1][0])
    return strokes


def as_seen(boxes: Iterable[Box], turn: int) -> Ruling:
    """The lines as they stand for text that is turned by `turn` quarters; those that continue each other are one."""
    across: defaultdict[float, list[tuple[float, float]]] = defaultdict(list)
    down: defaultdict[float, list[tuple[float, float]]] = defaultdict(list)
    for box in boxes:
        left, top, right, bottom = turned(box, turn)
        if right - left > bottom - top:
            across[(top + bottom) / 2].append((left, right))
        else:
            down[(left + right) / 2].append((top, bottom))
    return Ruling(tuple(_continued_lines(across)), tuple(_continued_lines(down)))


def _continued_lines(lines: dict[float, list[tuple[float, float]]]) -> Iterator[tuple[float, float, float]]:
    """Lines at nearly one place and touching, as one."""
    groups: list[tuple[float, list[tuple[float, float]]]] = []
    for place in sorted(lines):
        if groups and place - groups[-1][0] <= _THIN:
            groups[-1][1].extend(lines[place])
        else:
            groups.append((place, list(lines[place])))
    for place, stretches in groups:
        begin, end = None, 0.0
        for first, last in sorted(stretches):
            if begin is not None and first <= end + _NEAR:
                end = max(end, last)
                continue
            if begin is not None:
                yield place, begin, end
            begin, end = first, last
        if begin is not None:
            yield place, begin, end


def _without_frames(rules: Ruling) -> Ruling:
    """The lines without boxes that stand around others and touch none at their sides, as around what a page shows."""
    across, down = list(rules.across), list(rules.down)
    for side, top, bottom in rules.down:
        ends = [
            one for one in across if abs(one[1] - side) < 1 and min(abs(one[0] - top), abs(one[0] - bottom)) < _THIN
        ]
        touching = [one for one in across if top - _THIN < one[0] < bottom + _THIN and one[1] - 1 < side < one[2] + 1]
        inner = [one for one in across if top < one[0] < bottom and one[1] > side + _NEAR]
        if len(ends) == 2 and ends == touching and len(inner) > 1:
            right = ends[0][2]
            if abs(ends[1][2] - right) < 1 and all(one[2] < right - _NEAR for one in inner):
                across = [one for one in across if one not in ends]
                down = [one for one in down if (one[1], one[2]) != (top, bottom) or one[0] not in (side, right)]
    return Ruling(tuple(across), tuple(down))


def grids(rules: Ruling) -> list[Grid]:
    """The ruled tables of two rows and two columns or more; where no line closes a side, it ends with the lines across."""
    if len(rules.across) * len(rules.down) > _MOST:
        return []
    rules = _without_frames(rules)
    group = list(range(len(rules.across)))
    members: list[list[int]] = []  # the lines across that a line down touches
    for at, top, bottom in rules.down:
        touching = [
            number
            for number, (height, left, right) in enumerate(rules.across)
            if top - _NEAR <= height <= bottom + _NEAR and left - _NEAR <= at <= right + _NEAR
        ]
        members.append(touching)
        for number in touching[1:]:
            old, new = group[number], group[touching[0]]
            group = [new if one == old else one for one in group]
    found = []
    for one in sorted(set(group)):
        across = [line for number, line in enumerate(rules.across) if group[number] == one]
        down = [
            line for line, touching in zip(rules.down, members, strict=True) if touching and group[touching[0]] == one
        ]
        sides = [median_low(line[1] for line in across), median_high(line[2] for line in across)]
        columns, rows = _places([*(line[0] for line in down), *sides]), _places(line[0] for line in across)
        if len(columns) > 2 and len(rows) > 2:
            found.append(Grid(columns, rows, _parts(columns, rows, across, down)))
    return found


def _places(values: Iterable[float]) -> tuple[float, ...]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return tuple(places)


def _parts(
    columns: Sequence[float],
    rows: Sequence[float],
    across: Sequence[tuple[float, float, float]],
    down: Sequence[tuple[float, float, float]],
) -> tuple[tuple[int, ...], ...]:
    """For each place of the grid the number of its cell: that of the first place that no line parts from it."""
    width = len(columns) - 1
    parts = [[row * width + column for column in range(width)] for row in range(len(rows) - 1)]
    for row, (top, bottom) in enumerate(pairwise(rows)):
        for column, (left, right) in enumerate(pairwise(columns)):
            if column and not _stands(down, left, (top + bottom) / 2):
                parts[row][column] = parts[row][column - 1]
            elif row and not _stands(across, top, (left + right) / 2):
                parts[row][column] = parts[row - 1][column]
    return tuple(map(tuple, parts))


def _stands(lines: Sequence[tuple[float, float, float]], at: float, through: float) -> bool:
    near = lines[bisect_left(lines, (at - _NEAR,)) : bisect_left(lines, (at + _NEAR + 1e-6,))]
    return any(begin <= through <= end for _, begin, end in near)
