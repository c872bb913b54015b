"""Names by number: which chunks mention a name, and which documents are known by it.

A name is counted (`chunks` that mention it, `documents` known by it), so that a frequent name is passed over without reading its
postings, and its row goes with its last use. What a document or chunk brought is kept with it as packed numbers, to be taken back.

Look-ups go through the numbers asked for in their order (`json_each(…) CROSS JOIN table`): SQLite turns `IN (SELECT …)` into a table of
its own first, which takes as long again for a few hundred numbers.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence

import numpy as np

from decoct.data import Keys
from decoct.index.abilities import Mentions, Named
from decoct.index.embedded.border import stored

NUMBER = np.dtype("<i8")


def add(
    connection: sqlite3.Connection,
    known: Sequence[tuple[int, tuple[tuple[int, float], ...]]],
    mentions: Sequence[tuple[int, tuple[int, ...]]],
) -> None:
    """Record the names of documents (by number) and the mentions of chunks (by key), both new."""
    by_chunk = [(key, sorted(set(mentioned))) for key, mentioned in mentions if mentioned]
    by_document = [(document, dict(names)) for document, names in known if names]
    in_chunks = Counter(name for _, names in by_chunk for name in names)
    in_documents = Counter(name for _, names in by_document for name in names)
    connection.executemany(
        "INSERT INTO names (id, chunks, documents) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "chunks = chunks + excluded.chunks, documents = documents + excluded.documents",
        [(name, in_chunks[name], in_documents[name]) for name in sorted(in_chunks.keys() | in_documents.keys())],
    )
    connection.executemany(
        "UPDATE chunks SET mentions = ? WHERE key = ?", [(_packed(names), k) for k, names in by_chunk]
    )
    # Sorted, so that pages of the table are visited in their order.
    connection.executemany(
        "INSERT INTO mentions VALUES (?, ?)", sorted((name, key) for key, names in by_chunk for name in names)
    )
    connection.executemany(
        "UPDATE documents SET known_as = ? WHERE number = ?", [(_packed(list(names)), d) for d, names in by_document]
    )
    connection.executemany(
        "INSERT INTO known_as VALUES (?, ?, ?)",
        sorted((name, document, strength) for document, names in by_document for name, strength in names.items()),
    )


def remove(connection: sqlite3.Connection, document: int, first: int, past: int) -> None:
    """Take back what `add` recorded for a document (by number) and its chunks `first` to `past`, which still exist."""
    rows = connection.execute(
        "SELECT mentions, key FROM chunks WHERE key >= ? AND key < ? AND mentions IS NOT NULL", (first, past)
    ).fetchall()
    mentioned = [(name, key) for blob, key in rows for name in _unpacked(blob)]
    (own,) = connection.execute("SELECT known_as FROM documents WHERE number = ?", (document,)).fetchone()
    known = _unpacked(own) if own is not None else []
    connection.executemany("DELETE FROM mentions WHERE name = ? AND chunk = ?", mentioned)
    connection.executemany("DELETE FROM known_as WHERE name = ? AND document = ?", [(name, document) for name in known])
    in_chunks, in_documents = Counter(name for name, _ in mentioned), Counter(known)
    touched = sorted(in_chunks.keys() | in_documents.keys())
    connection.executemany(
        "UPDATE names SET chunks = chunks - ?, documents = documents - ? WHERE id = ?",
        [(in_chunks[name], in_documents[name], name) for name in touched],
    )
    connection.executemany(
        "DELETE FROM names WHERE id = ? AND chunks = 0 AND documents = 0", [(name,) for name in touched]
    )


def mentioned_in(connection: sqlite3.Connection, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
    """The chunks that mention the names which `least` to `most` chunks mention, and the counts of all."""
    wanted = json.dumps(sorted(set(map(int, names))))
    counts = dict(
        connection.execute("SELECT names.id, chunks FROM json_each(?) CROSS JOIN names ON names.id = value", (wanted,))
    )
    rare = sorted(name for name, count in counts.items() if least <= count <= most)
    pairs = connection.execute(
        "SELECT name, chunk FROM json_each(?) CROSS JOIN mentions ON name = value", (json.dumps(rare),)
    ).fetchall()
    pairs.sort()  # they come so, which SQLite does not promise: here that costs nothing, ORDER BY would build a table
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Mentions(table[:, 0], table[:, 1], {name: counts.get(name, 0) for name in map(int, names)})


def chunks_known_by(connection: sqlite3.Connection, names: Keys | Sequence[int], most: int) -> Named:
    """The chunks of the documents known by the names by which at most `most` are."""
    rows = connection.execute(
        "SELECT name, first_key, documents.chunks, strength FROM json_each(?) CROSS JOIN known_as ON name = value "
        "JOIN documents ON documents.number = known_as.document",
        (json.dumps(sorted(set(map(int, names)))),),
    ).fetchall()
    rows.sort()  # as in `mentioned_in`
    places = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    strengths = np.array([row[3] for row in rows], dtype=np.float32)
    owners = places[:, 0]
    # The rows are sorted by name: a name's documents are the distance from its first row to the next name's.
    kept = np.searchsorted(owners, owners, side="right") - np.searchsorted(owners, owners) <= most
    strengths, (owners, firsts, lengths) = strengths[kept], places[kept].T
    before = np.cumsum(lengths) - lengths
    keys = np.repeat(firsts - before, lengths) + np.arange(int(lengths.sum()))
    return Named(np.repeat(owners, lengths), keys, np.repeat(strengths, lengths))


def _packed(names: Sequence[int]) -> bytes:
    return np.array(names, dtype=NUMBER).tobytes()


@stored
def _unpacked(blob: bytes) -> list[int]:
    found: list[int] = np.frombuffer(blob, dtype=NUMBER).tolist()
    return found
