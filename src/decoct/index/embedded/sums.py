"""A digest of everything stored of a document, kept beside it, so that `decoct doctor` can tell what the disk has changed.

BLAKE2b of 16 bytes over four parts: the document's record, its text, its chunks (spans, titles, names, traits) and their vectors with
signatures. SQLite notices a page whose structure is broken; a flipped byte inside a text or a vector only these do.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from decoct.index.embedded.columns import MOST_PARTS, PART, place_column

PARTS = ("record", "text", "chunks", "vectors")
SIZE = 16


@dataclass(frozen=True, slots=True)
class Sums:
    """The digests of a document's parts."""

    record: bytes
    text: bytes
    chunks: bytes
    vectors: bytes

    def differing(self, other: Sums) -> tuple[str, ...]:
        """The parts whose digests differ."""
        return tuple(part for part in PARTS if getattr(self, part) != getattr(other, part))


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
    return Sums(
        _digest([(characters, count, *row[3:])]),
        _digest(connection.execute(texts, (place, place, place + characters // PART))),
        _digest(
            row if row[-1] else row[:-1] for row in connection.execute(chunks, (first, *keys))
        ),  # as before there were places
        _digest(connection.execute(vectors, (first, *keys))),
    )


def store_sums(connection: sqlite3.Connection, number: int) -> None:
    """Record the digests of document `number`, which was just written."""
    found = computed_sums(connection, number)
    connection.execute(
        "INSERT INTO sums VALUES (?, ?, ?, ?, ?)", (number, found.record, found.text, found.chunks, found.vectors)
    )


def stored_sums(connection: sqlite3.Connection, number: int) -> Sums | None:
    """The digests recorded of document `number`."""
    row = connection.execute("SELECT record, text, chunks, vectors FROM sums WHERE document = ?", (number,)).fetchone()
    return Sums(*row) if row is not None else None


def _digest(rows: Iterable[tuple[object, ...]]) -> bytes:
    """Over each row's values as Python writes them, a blob as its length and then itself: no two tables of values read alike."""
    digest = hashlib.blake2b(digest_size=SIZE)
    for row in rows:
        shape = repr([len(value) if type(value) is bytes else value for value in row])
        digest.update(b"".join([shape.encode(), *(value for value in row if type(value) is bytes)]))
    return digest.digest()
