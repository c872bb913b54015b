"""Putting and deleting documents: each call is the inside of one transaction.

Replacing is deleting and adding under a new number. Documents are taken in the order of their ids and counts in the order of their rows,
so that two writers wait for one another and never for each other at once; where two replaced one document at the same moment, the later
one waits until the earlier has ended.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.errors import StoreError
from decoct.index.base import Entry
from decoct.index.entries import digest_of, record_of
from decoct.index.filters import as_pairs, storable
from decoct.index.searchable import rounded, searched
from decoct.text.languages import AUTO, stemmed_as
from decoct_postgresql import copying, opening, words
from decoct_postgresql.copying import big, bigs, doubles, halves, raw, text, whole
from decoct_postgresql.location import PostgreSQLLocation
from decoct_postgresql.schema import PART, PLACES, SLOTS, lock_number

if TYPE_CHECKING:
    import psycopg

# A row for each id, locked until the end of the transaction: who replaces the same document waits here, whether it was there or not.
_CLAIMED = ""
_CLAIM = (
    "INSERT INTO documents SELECT nextval('numbers'), id, '', 0, 0, 0, '', '', '', '{}', '{}', '' FROM unnest(%s::text[]) AS one (id) "
    "ON CONFLICT (id) DO UPDATE SET number = documents.number"
)

# Tables whose rows go in by their key, so that pages of the index are visited in order.
_SORTED = ("mentions", "known_as")


@dataclass(slots=True)
class _Counts:
    """What a transaction changes in the sums over the whole library."""

    words: Counter[str] = field(default_factory=Counter)
    mentioned: Counter[int] = field(default_factory=Counter)
    known: Counter[int] = field(default_factory=Counter)
    tallies: Counter[str] = field(default_factory=Counter)


def put(
    connection: psycopg.Connection[Any],
    entries: Sequence[Entry],
    settings: Mapping[str, str],
    location: PostgreSQLLocation,
) -> None:
    """Add or replace the documents of `entries`, no two with one id."""
    _agree(connection, entries, settings, location)
    counts = _Counts(tallies=Counter(sequence=1))
    ids = sorted(entry.document.id for entry in entries)
    connection.execute(_CLAIM, (ids,))
    _remove(connection, ids, counts)
    found = connection.execute("SELECT nextval('numbers') FROM generate_series(1, %s)", (len(entries),)).fetchall()
    numbered = [(number, entry) for (number,), entry in zip(found, entries, strict=True)]
    _add(connection, numbered, opening.settings(connection).get("language", AUTO), counts)
    _count(connection, counts)


def delete(connection: psycopg.Connection[Any], doc_ids: Sequence[str]) -> int:
    """Remove the documents; return how many there were."""
    counts = _Counts(tallies=Counter(sequence=1))
    gone = _remove(connection, sorted({one for one in doc_ids if storable(one)}), counts)
    if gone:
        _count(connection, counts)
    return gone


def _agree(
    connection: psycopg.Connection[Any],
    entries: Sequence[Entry],
    settings: Mapping[str, str],
    location: PostgreSQLLocation,
) -> None:
    """Hold all vectors and signatures of the library to one length each, and its settings to those it was built with.

    Writers share a lock on this; who changes it, in a library without documents, holds it alone.
    """
    from psycopg.errors import SerializationFailure

    lock = lock_number(location, "settings")
    connection.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (lock,))
    wanted = _shape(entries)
    stored, shape = opening.settings(connection), _stored_shape(connection)
    if stored.items() >= settings.items() and shape.items() >= wanted.items():
        return
    if opening.is_empty(connection):
        row = connection.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", (lock,)).fetchone()
        if row is None or not row[0]:  # to wait while sharing it could be to wait for one that does the same
            raise SerializationFailure("another writer begins this library")
        _begin(connection, settings, wanted)
        return
    opening.check_settings(location, stored, settings)
    for name, what in (("dimension", "dimensions"), ("width", "signature bytes")):
        if name in shape and name in wanted and shape[name] != wanted[name]:
            raise StoreError(
                f"the documents have vectors of {wanted[name]} {what}, the library's have {shape[name]}; "
                "use the embedder and version that the library was built with"
            )
    _keep(connection, settings, wanted)


def _shape(entries: Iterable[Entry]) -> dict[str, int]:
    """The length of the vectors and signatures of `entries`."""
    found: dict[str, int] = {}
    for entry in entries:
        if entry.chunks:
            width = 0 if entry.signatures is None else entry.signatures.shape[1]
            for name, value, what in (
                ("dimension", entry.vectors.shape[1], "dimensions"),
                ("width", width, "signature bytes"),
            ):
                if found.setdefault(name, value) != value:
                    raise StoreError(
                        f"document {entry.document.id!r} has vectors of {value} {what}, others beside it have {found[name]}"
                    )
    return found


def _stored_shape(connection: psycopg.Connection[Any]) -> dict[str, int]:
    rows = connection.execute("SELECT name, value FROM meta WHERE name IN ('dimension', 'width')").fetchall()
    return {name: int(value) for name, value in rows}


def _begin(connection: psycopg.Connection[Any], settings: Mapping[str, str], shape: Mapping[str, int]) -> None:
    connection.execute("DELETE FROM settings")
    connection.execute("DELETE FROM meta WHERE name IN ('dimension', 'width')")
    if connection.execute("SELECT to_regclass('vectors_hnsw')").fetchone() != (None,):
        connection.execute(
            "DROP INDEX vectors_hnsw"
        )  # it is of one dimension; `nearest.index` makes it when it is worth it
    _keep(connection, settings, shape)


def _keep(connection: psycopg.Connection[Any], settings: Mapping[str, str], shape: Mapping[str, int]) -> None:
    upsert = "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    for name, value in sorted(settings.items()):
        connection.execute(f"INSERT INTO settings VALUES (%s, %s) {upsert}", (name, value))
    for name, number in sorted(shape.items()):
        connection.execute(f"INSERT INTO meta VALUES (%s, %s) {upsert}", (name, str(number)))


def _remove(connection: psycopg.Connection[Any], doc_ids: Sequence[str], counts: _Counts) -> int:
    rows = connection.execute(
        "SELECT number, chunks, language, names, words FROM documents WHERE id = ANY(%s) ORDER BY id FOR UPDATE",
        (list(doc_ids),),
    ).fetchall()
    if not rows:
        return 0
    # A place that was only just claimed has nothing to remove. The others' rows are asked for by their very keys: a range for each document
    # is taken by the planner for so many rows that it reads whole tables.
    written = [row for row in rows if row[2] != _CLAIMED]
    if written:
        _remove_rows(connection, written, counts)
    connection.execute("DELETE FROM documents WHERE number = ANY(%s)", ([row[0] for row in rows],))
    return len(rows)


def _remove_rows(connection: psycopg.Connection[Any], written: Sequence[Sequence[Any]], counts: _Counts) -> None:
    """Remove what other tables hold of these rows of `documents` (number, chunks, language, names, words), and take it off the sums."""
    numbers = [row[0] for row in written]
    keys = [number << PLACES | place for number, chunks, *_ in written for place in range(chunks)]
    known = [(name, number) for number, _, _, names, _ in written for name in names]
    for _, chunks, language, names, length in written:
        counts.known.subtract(names)
        counts.tallies.subtract({"documents": 1, "chunks": chunks, "words": length})
        if chunks:
            counts.tallies[f"language {language}"] -= 1
    mentioned = [
        (name, key)
        for key, names in connection.execute("SELECT key, mentions FROM chunks WHERE key = ANY(%s)", (keys,))
        for name in names
    ]
    counts.mentioned.subtract(name for name, _ in mentioned)
    for word, chunks in connection.execute(
        "SELECT lexeme, count(*) FROM lexical, unnest(words) WHERE key = ANY(%s) GROUP BY lexeme", (keys,)
    ):
        counts.words[word] -= chunks
    for table in ("chunks", "vectors", "lexical"):
        connection.execute(f"DELETE FROM {table} WHERE key = ANY(%s)", (keys,))
    for table, column, pairs in (("mentions", "key", mentioned), ("known_as", "document", known)):
        connection.execute(
            f"DELETE FROM {table} WHERE (name, {column}) IN (SELECT * FROM unnest(%s::bigint[], %s::bigint[]))",
            ([name for name, _ in pairs], [other for _, other in pairs]),
        )
    for table in ("texts", "metadata"):
        connection.execute(f"DELETE FROM {table} WHERE document = ANY(%s)", (numbers,))


def _add(
    connection: psycopg.Connection[Any], numbered: Sequence[tuple[int, Entry]], language: str, counts: _Counts
) -> None:
    tables: dict[str, list[Sequence[bytes]]] = {
        name: [] for name in ("documents", "texts", "chunks", "vectors", "lexical", "metadata", "mentions", "known_as")
    }
    for number, entry in numbered:
        _rows_of(entry, number, stemmed_as(entry.document.text, language), tables, counts)
    for table, rows in tables.items():
        if rows:
            copying.copied(connection, table, sorted(rows, key=tuple) if table in _SORTED else rows)


def _rows_of(
    entry: Entry, number: int, language: str, tables: Mapping[str, list[Sequence[bytes]]], counts: _Counts
) -> None:
    document, count = entry.document, len(entry.chunks)
    if count >= 1 << PLACES:
        raise StoreError(f"document {document.id!r} has {count:,} chunks, too many for one document; split it")
    names = dict(entry.names)
    counts.known.update(names.keys())
    counts.tallies.update({"documents": 1, "chunks": count})
    if count:
        counts.tallies[f"language {language}"] += 1
    length = 0
    listed = json.dumps([document.title, document.source, dict(document.metadata)])
    for part, start in enumerate(range(0, len(document.text), PART)):
        data = document.text[start : start + PART].encode("utf-8", "surrogatepass")
        tables["texts"].append((big(number), whole(part), raw(data)))
    for name, value in as_pairs(document.metadata):
        tables["metadata"].append((text(name), text(value), big(number)))
    for known, strength in names.items():
        tables["known_as"].append((big(known), big(number), copying.double(strength)))
    marks = entry.signatures if entry.signatures is not None else np.zeros((count, 0), dtype=np.uint8)
    vectors = halves(entry.vectors) if count else []
    for place, chunk in enumerate(entry.chunks):
        key = big(number << PLACES | place)
        mentioned = sorted(set(entry.mentions[place])) if entry.mentions else []
        traits = entry.traits[place] if entry.traits else b""
        title = None if chunk.title == document.title else json.dumps(chunk.title)
        tables["chunks"].append(
            (key, big(chunk.span.start), big(chunk.span.end), text(title), bigs(mentioned), raw(traits), raw(marks[place].tobytes()),
             text(json.dumps(chunk.place) if chunk.place else None))
        )  # fmt: skip
        tables["vectors"].append((key, vectors[place]))
        found = words.counted(searched(document, chunk), language)
        tables["lexical"].append((key, whole(rounded(found.total())), raw(words.vector(found))))
        tables["mentions"] += [(big(name), key) for name in mentioned]
        counts.mentioned.update(mentioned)
        counts.words.update(found.keys())
        length += found.total()
    counts.tallies["words"] += length
    tables["documents"].append(
        (
            big(number), text(document.id), text(entry.digest), big(len(document.text)), whole(count), big(length), text(language),
            text(listed), text(record_of(document)), bigs(list(names)), doubles(list(names.values())), raw(digest_of(entry)),
        )
    )  # fmt: skip


def _count(connection: psycopg.Connection[Any], counts: _Counts) -> None:
    """Add to the sums, last of all, so that the rows are locked for as short as can be."""
    slot = connection.info.backend_pid % SLOTS
    changed = sorted((word, change) for word, change in counts.words.items() if change)
    connection.execute(
        "INSERT INTO words SELECT word, %s, change FROM unnest(%s::text[], %s::bigint[]) AS c (word, change) "
        "ON CONFLICT (word, slot) DO UPDATE SET chunks = words.chunks + excluded.chunks",
        (slot, [word for word, _ in changed], [change for _, change in changed]),
    )
    names = sorted(
        name for name in counts.mentioned.keys() | counts.known.keys() if counts.mentioned[name] or counts.known[name]
    )
    connection.execute(
        "INSERT INTO names SELECT name, %s, c.chunks, c.documents FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) "
        "AS c (name, chunks, documents) ON CONFLICT (name, slot) DO UPDATE SET "
        "chunks = names.chunks + excluded.chunks, documents = names.documents + excluded.documents",
        (slot, names, [counts.mentioned[name] for name in names], [counts.known[name] for name in names]),
    )
    tallies = sorted((what, change) for what, change in counts.tallies.items() if change)
    connection.execute(
        "INSERT INTO tallies SELECT what, %s, change FROM unnest(%s::text[], %s::bigint[]) AS c (what, change) "
        "ON CONFLICT (what, slot) DO UPDATE SET value = tallies.value + excluded.value",
        (slot, [what for what, _ in tallies], [change for _, change in tallies]),
    )
