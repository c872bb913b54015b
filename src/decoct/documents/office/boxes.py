"""The order in which the boxes of a slide are read: by their places, and not as they were drawn.

Two rows of as many boxes, each below one of the other, are read box by box with what stands below it: a number with its label, a column
below its head. A row of single lines is one line, with bars between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from decoct.documents.prose import CELL, LINE, PARAGRAPH


class SlideBox(NamedTuple):
    """A part of a slide, where it stands, and whether it is a single line."""

    part: Any
    left: float
    top: float
    width: float
    height: float
    line: bool = False


def in_order(boxes: Sequence[SlideBox]) -> Iterator[tuple[str, Any]]:
    """The gap before each part, and the part."""
    rows: list[list[SlideBox]] = []
    for box in sorted(boxes, key=lambda one: one.top):
        first = rows[-1][0] if rows else None
        if first and _apart(box.top, box.height, first.top, first.height) < min(box.height, first.height):
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda one: one.left) for row in rows]
    stacked = [
        len(row) == len(below) > 1
        and all(
            _apart(a.left, a.width, b.left, b.width) < max(a.width, b.width) for a, b in zip(row, below, strict=True)
        )
        for row, below in pairwise(rows)
    ] + [False]
    at, lines = 0, False
    while at < len(rows):
        row = rows[at]
        if stacked[at] and not stacked[at + 1]:
            for pair in zip(row, rows[at + 1], strict=True):
                yield from ((gap, box.part) for gap, box in zip((PARAGRAPH, LINE), pair, strict=True))
            at, lines = at + 2, False
            continue
        before, lines = lines, len(row) > 1 and all(box.line for box in row)
        for number, box in enumerate(row):
            yield CELL if number and lines else LINE if before and lines else PARAGRAPH, box.part
        at += 1


def _apart(one: float, size: float, other: float, other_size: float) -> float:
    """Twice how far the middles of two sides lie apart."""
    return abs(2 * one + size - 2 * other - other_size)
