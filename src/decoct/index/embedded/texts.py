"""Texts out of the parts in which SQLite keeps them (`schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from decoct.index.embedded.columns import MOST_PARTS, PART
from decoct.index.embedded.decoding import UndecodableError


def text(connection: sqlite3.Connection, number: int, start: int, end: int) -> str:
    """Characters `start` to `end` of document `number`: reads the parts they lie in, no more."""
    first = start // PART
    place = number * MOST_PARTS
    parts = connection.execute(
        "SELECT text FROM texts WHERE place BETWEEN ? AND ? ORDER BY place",
        (place + first, place + max(end - 1, 0) // PART),
    )
    return _cut("".join(part for (part,) in parts), number, start, end)


def texts(connection: sqlite3.Connection, ranges: Sequence[tuple[int, int, int]]) -> list[str]:
    """`text` of each (document's number, start, end), all in one statement; a part that several touch is read once."""
    places = [
        (number * MOST_PARTS + start // PART, number * MOST_PARTS + max(end - 1, 0) // PART)
        for number, start, end in ranges
    ]
    wanted = sorted({place for first, last in places for place in range(first, last + 1)})
    parts = dict(
        connection.execute(
            "SELECT place, text FROM json_each(?) CROSS JOIN texts ON place = value", (json.dumps(wanted),)
        )
    )
    return [
        _cut("".join([parts.get(place, "") for place in range(first, last + 1)]), *one)
        for (first, last), one in zip(places, ranges, strict=True)
    ]


def _cut(parts: str, number: int, start: int, end: int) -> str:
    """Characters `start` to `end` of document `number` out of the parts that they lie in."""
    first = start // PART * PART
    found = parts[start - first : end - first]
    if len(found) != end - start:
        raise UndecodableError(f"document number {number} has lost characters {start} to {end}")
    return found
