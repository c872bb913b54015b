"""How columns of a library's tables are laid out, and which the file at hand has: for whoever reads or writes them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

import numpy as np

from decoct.index.embedded.border import UndecodableError

# Characters a part: four parts of plain ASCII share a page of 4,096 bytes, and a chunk of 150 tokens touches one or two.
PART = 1000

# A text part's row is `document number * MOST_PARTS + part`: room for documents of a thousand million characters.
MOST_PARTS = 1 << 20

# Vectors are stored in half precision: on unit vectors a dot product moves by less than 1e-4, far below the noise of the int8 model
# that made them, for half the space.
STORED = np.dtype("<f2")

_PLACED = 3  # the version from which on chunks have places


def place_column(connection: sqlite3.Connection) -> str:
    """A chunk's place as a statement reads it: empty in a file of a version before, which is open for reading only."""
    return "coalesce(chunks.place, '')" if version_number(connection) >= _PLACED else "''"


def version_number(connection: sqlite3.Connection) -> int:
    """The file's schema version as it says, unchecked."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


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
