"""Whole documents as they were put, in one read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from decoct.index.base import Entry
from decoct.index.embedded import reading
from decoct.index.embedded.decoding import stored
from decoct.index.embedded.names import NUMBER


def entries(connection: sqlite3.Connection, doc_ids: Sequence[str]) -> list[Entry]:
    """Everything of the documents that are stored, in that order."""
    found = (_entry(connection, doc_id) for doc_id in doc_ids)
    return [entry for entry in found if entry is not None]


@stored
def _entry(connection: sqlite3.Connection, doc_id: str) -> Entry | None:
    digests = reading.digests(connection, [doc_id])
    if doc_id not in digests:
        return None
    keys = reading.chunk_keys(connection, doc_id).tolist()
    (number, packed) = connection.execute("SELECT number, known_as FROM documents WHERE id = ?", (doc_id,)).fetchone()
    known = np.frombuffer(packed, dtype=NUMBER).tolist() if packed is not None else []
    strength = "SELECT strength FROM known_as WHERE name = ? AND document = ?"
    blobs: dict[int, bytes] = (
        dict(
            connection.execute(
                "SELECT key, mentions FROM chunks WHERE key BETWEEN ? AND ? AND mentions IS NOT NULL",
                (keys[0], keys[-1]),
            )
        )
        if keys
        else {}
    )
    marks = reading.signatures(connection, keys)
    return Entry(
        reading.document(connection, doc_id),
        tuple(reading.chunks(connection, keys)),
        reading.vectors(connection, keys),
        digests[doc_id],
        tuple((name, float(connection.execute(strength, (name, number)).fetchone()[0])) for name in known),
        tuple(tuple(np.frombuffer(blobs.get(key, b""), dtype=NUMBER).tolist()) for key in keys),
        tuple(reading.traits(connection, keys)),
        marks if marks.shape[1] else None,
    )
