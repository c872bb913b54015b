"""The order in which the boxes of a slide are read: by their places, and not as they were drawn.

Boxes side by side are a row. Two rows of as many boxes, each below one of the other, are read box by box with what stands below it: a
number with its label, a column below its head. A row of single lines is one line, with bars between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from decoct.documents.prose import CELL, LINE, PARAGRAPH


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a slide, where it stands, and whether it is a single line."""

    part: Any
    left: float
    top: float
    width: float
    height: float
    line: bool = False

    def beside(self, other: Box) -> bool:
        """Whether they stand in one row."""
        return abs(self.top + self.height / 2 - other.top - other.height / 2) * 2 < min(self.height, other.height)

    def above(self, other: Box) -> bool:
        """Whether they stand in one column."""
        return abs(self.left + self.width / 2 - other.left - other.width / 2) * 2 < min(self.width, other.width)


def in_order(boxes: Sequence[Box]) -> Iterator[tuple[str, Any]]:
    """The gap before each part, and the part."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda one: one.top):
        if rows and box.beside(rows[-1][0]):
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda one: one.left) for row in rows]
    stacked = [_stacked(*pair) for pair in pairwise(rows)] + [False]
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


def _stacked(row: Sequence[Box], below: Sequence[Box]) -> bool:
    return len(row) == len(below) > 1 and all(upper.above(lower) for upper, lower in zip(row, below, strict=True))
