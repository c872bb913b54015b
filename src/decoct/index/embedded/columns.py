"""How columns of a library's tables are laid out, and which the file at hand has: for whoever reads or writes them."""

from __future__ import annotations

import sqlite3

import numpy as np

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
