"""Putting and deleting documents in SQLite: each call is the inside of one transaction.

A document is checked whole before anything is written. Replacing is deleting and adding under a new number. Every row written or
removed belongs to the documents named, so the cost is theirs alone; each change is logged for the derived indexes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np

from decoct.errors import ProvenanceError, StoreError
from decoct.index import filters
from decoct.index.base import Entry
from decoct.index.embedded import names, reading, sums
from decoct.index.embedded.columns import MOST_PARTS, PART, STORED
from decoct.index.entries import headings_of_record
from decoct.index.filters import as_pairs


def check(entries: Iterable[Entry]) -> list[Entry]:
    """The entries to write, the last one for each document id; raises for one that breaks the contract."""
    last = {entry.document.id: entry for entry in entries}
    for entry in last.values():
        _check(entry)
    return list(last.values())


def put(connection: sqlite3.Connection, entries: Sequence[Entry], settings: Mapping[str, str]) -> None:
    """Add or replace the documents of `entries`, no two with one id; record `settings`."""
    if reading.is_empty(connection):  # an emptied library can be built another way
        connection.execute("DELETE FROM settings")
        connection.execute("DELETE FROM meta WHERE name IN ('dimension', 'width')")
    connection.executemany(
        "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", settings.items()
    )
    _keep_dimension(connection, entries)
    sequence = _next(connection)
    _remove(connection, [entry.document.id for entry in entries], sequence)
    key = last(connection, "chunks") + 1
    number = last(connection, "documents") + 1
    known: list[tuple[int, tuple[tuple[int, float], ...]]] = []
    mentions: list[tuple[int, tuple[int, ...]]] = []
    for entry in entries:
        _add(connection, entry, number, key, sequence)
        known.append((number, entry.names))
        mentions += zip(range(key, key + len(entry.chunks)), entry.mentions, strict=False)
        number += 1
        key += len(entry.chunks)
    names.add(connection, known, mentions)
    for written, _ in known:
        sums.store_sums(connection, written)


def delete(connection: sqlite3.Connection, doc_ids: Sequence[str]) -> int:
    """Remove the documents; return how many there were."""
    return _remove(connection, doc_ids, _next(connection))


def prune(connection: sqlite3.Connection, sequence: int) -> None:
    """Forget the log up to `sequence`, which every derived index holds."""
    connection.execute("DELETE FROM changes WHERE sequence <= ?", (sequence,))
    connection.execute("UPDATE meta SET value = max(value, ?) WHERE name = 'pruned'", (sequence,))


def _check(entry: Entry) -> None:
    document, count = entry.document, len(entry.chunks)
    filters.check_filterable(document)
    for chunk in entry.chunks:
        span = chunk.span
        if span.doc_id != document.id or document.text[span.start : span.end] != chunk.text:
            raise ProvenanceError(f"a chunk of document {document.id!r} does not equal its text at {span}")
    if count and (entry.vectors.ndim != 2 or len(entry.vectors) != count):
        raise StoreError(f"document {document.id!r} has {count} chunks but vectors of shape {entry.vectors.shape}")
    if count and not np.isfinite(entry.vectors).all():
        raise StoreError(f"document {document.id!r} has a vector that is not finite; check the embedder")
    if len(entry.mentions) not in {0, count}:
        raise StoreError(f"document {document.id!r} has {count} chunks but mentions for {len(entry.mentions)}")
    if len(entry.traits) not in {0, count}:
        raise StoreError(f"document {document.id!r} has {count} chunks but traits for {len(entry.traits)}")
    if entry.signatures is not None and len(entry.signatures) != count:
        raise StoreError(f"document {document.id!r} has {count} chunks but {len(entry.signatures)} signatures")
    if len(document.text) > PART * (MOST_PARTS - 1):
        raise StoreError(f"document {document.id!r} is too long ({len(document.text):,} characters); split it")


def _keep_dimension(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """All vectors of a library have one length, and so have all signatures."""
    kept = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('dimension', 'width')"))
    for entry in entries:
        if not entry.chunks:
            continue
        width = entry.signatures.shape[1] if entry.signatures is not None else 0
        for name, found, what in (
            ("dimension", entry.vectors.shape[1], "dimensions"),
            ("width", width, "signature bytes"),
        ):
            if kept.setdefault(name, found) != found:
                raise StoreError(
                    f"document {entry.document.id!r} has vectors of {found} {what}, the library's have {kept[name]}; "
                    "use the embedder and version that the library was built with"
                )
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", kept.items())


def _next(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'sequence'")
    return int(connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()[0])


def last(connection: sqlite3.Connection, table: str) -> int:
    """The last number that was given out for a row of `table`."""
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return int(found[0]) if found else 0


def _add(connection: sqlite3.Connection, entry: Entry, number: int, key: int, sequence: int) -> None:
    document, count = entry.document, len(entry.chunks)
    links = [(link.start, link.end, link.target) for link in document.links]
    connection.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            number, document.id, document.title, document.source, entry.digest, len(document.text), key, count,
            *(_json(part) for part in (dict(document.metadata), document.names, headings_of_record(document), links)),
        ),
    )  # fmt: skip
    starts = range(0, len(document.text), PART)
    connection.executemany(
        "INSERT INTO texts VALUES (?, ?)",
        [(number * MOST_PARTS + part, document.text[start : start + PART]) for part, start in enumerate(starts)],
    )
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
        [
            (
                key + at, number, chunk.span.start, chunk.span.end,
                None if chunk.title == document.title else chunk.title, traits, chunk.place or None,
            )
            for at, (chunk, traits) in enumerate(zip(entry.chunks, entry.traits or repeat(None), strict=False))
        ],
    )  # fmt: skip
    if count:
        rows = np.ascontiguousarray(entry.vectors, dtype=STORED)
        marks = entry.signatures if entry.signatures is not None else np.zeros((count, 0), dtype=np.uint8)
        connection.executemany(
            "INSERT INTO vectors VALUES (?, ?, ?)",
            [(key + at, row.tobytes(), mark.tobytes()) for at, (row, mark) in enumerate(zip(rows, marks, strict=True))],
        )
    connection.executemany(
        "INSERT INTO metadata VALUES (?, ?, ?)",
        [(*pair, number) for pair in as_pairs(document.metadata)],
    )
    connection.execute(
        "INSERT INTO changes (sequence, document, first_key, chunks, added) VALUES (?, ?, ?, ?, 1)",
        (sequence, number, key, count),
    )
    _count(connection, key, count, 1)


def _count(connection: sqlite3.Connection, first_key: int, chunks: int, sign: int) -> None:
    """Keep the tally of chunks, by which the derived indexes are proved."""
    of_keys = chunks * first_key + chunks * (chunks - 1) // 2
    connection.executemany(
        "UPDATE meta SET value = value + ? WHERE name = ?", [(sign * chunks, "chunks"), (sign * of_keys, "keys")]
    )


def _remove(connection: sqlite3.Connection, doc_ids: Sequence[str], sequence: int) -> int:
    known = "SELECT number, first_key, chunks, characters, metadata FROM documents WHERE id = ?"
    asked = (connection.execute(known, (one,)).fetchone() for one in dict.fromkeys(doc_ids) if filters.encodable(one))
    found = [row for row in asked if row is not None]
    for number, first, count, characters, metadata in found:
        past = first + count
        names.remove(connection, number, first, past)
        connection.execute("DELETE FROM chunks WHERE key >= ? AND key < ?", (first, past))
        connection.execute("DELETE FROM vectors WHERE key >= ? AND key < ?", (first, past))
        place = number * MOST_PARTS
        connection.execute("DELETE FROM texts WHERE place BETWEEN ? AND ?", (place, place + characters // PART))
        connection.executemany(
            "DELETE FROM metadata WHERE name = ? AND value = ? AND document = ?",
            [(*pair, number) for pair in as_pairs(json.loads(metadata))],
        )
        connection.execute("DELETE FROM sums WHERE document = ?", (number,))
        connection.execute("DELETE FROM documents WHERE number = ?", (number,))
        connection.execute(
            "INSERT INTO changes (sequence, document, first_key, chunks, added) VALUES (?, ?, ?, ?, 0)",
            (sequence, number, first, count),
        )
        _count(connection, first, count, -1)
    return len(found)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
