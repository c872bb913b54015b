"""A digest of everything stored of a document, kept beside it, so that `decoct doctor` can tell what the disk has changed.

BLAKE2b of 16 bytes over four parts: the document's record, its text, its chunks (spans, titles, names, traits) and their vectors with
signatures. SQLite notices a page whose structure is broken; a flipped byte inside a text or a vector only these do.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from typing import TypeAlias

from decoct.index.embedded.columns import MOST_PARTS, PART, place_column

PARTS = ("record", "text", "chunks", "vectors")
SIZE = 16


Sums: TypeAlias = dict[str, bytes]
"""The digest of each part."""


def computed_sums(connection: sqlite3.Connection, number: int) -> Sums:
    """The digests of what is stored now of document `number`."""
    columns = "characters, first_key, chunks, id, title, source, digest, metadata, names, headings, links, known_as"
    row = connection.execute(f"SELECT {columns} FROM documents WHERE number = ?", (number,)).fetchone()  # noqa: S608 - fixed columns
    characters, first, count = row[:3]
    place, keys = number * MOST_PARTS, (first, first + count)
    texts = "SELECT place - ?, text FROM texts WHERE place BETWEEN ? AND ? ORDER BY place"
    chunks = (
        f"SELECT key - ?, first, past, title, mentions, traits, {place_column(connection)} FROM chunks "  # noqa: S608
        "WHERE key >= ? AND key < ? ORDER BY key"
    )
    vectors = "SELECT key - ?, vector, signature FROM vectors WHERE key >= ? AND key < ? ORDER BY key"
    return {
        "record": _digest([(characters, count, *row[3:])]),
        "text": _digest(connection.execute(texts, (place, place, place + characters // PART))),
        # One without a place as before there were places.
        "chunks": _digest(row if row[-1] else row[:-1] for row in connection.execute(chunks, (first, *keys))),
        "vectors": _digest(connection.execute(vectors, (first, *keys))),
    }


def store_sums(connection: sqlite3.Connection, number: int) -> None:
    """Record the digests of document `number`, which was just written."""
    connection.execute("INSERT INTO sums VALUES (?, ?, ?, ?, ?)", (number, *computed_sums(connection, number).values()))


def stored_sums(connection: sqlite3.Connection, number: int) -> Sums | None:
    """The digests recorded of document `number`."""
    row = connection.execute("SELECT record, text, chunks, vectors FROM sums WHERE document = ?", (number,)).fetchone()
    return dict(zip(PARTS, row, strict=True)) if row is not None else None


def _digest(rows: Iterable[tuple[object, ...]]) -> bytes:
    """Over each row's values as Python writes them, a blob as its length and then itself: no two tables of values read alike."""
    digest = hashlib.blake2b(digest_size=SIZE)
    for row in rows:
        shape = repr([len(value) if type(value) is bytes else value for value in row])
        digest.update(b"".join([shape.encode(), *(value for value in row if type(value) is bytes)]))
    return digest.digest()
