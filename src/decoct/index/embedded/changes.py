"""What a derived index must do to hold the documents of now: the net of the log since it last caught up.

Document numbers and keys are never used again, so only the net effect matters: documents removed since then, and documents added
since then that still exist. An index that has nothing, or that is older than the log reaches, starts again from every document.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from decoct.data import Metadata
from decoct.index.embedded import reading
from decoct.index.embedded.border import UndecodableError, stored
from decoct.index.embedded.columns import place_column, text
from decoct.index.searchable import searchable
from decoct.text.languages import AUTO, stemmed_as


@dataclass(frozen=True, slots=True)
class Change:
    """A document (by number) that came or went, and the keys of its chunks."""

    document: int
    first_key: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Changes:
    """From an index's state to that of `sequence`. `afresh`: the index is to be emptied first."""

    sequence: int
    afresh: bool
    removed: tuple[Change, ...]
    added: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Searchable:
    """A chunk as the lexical index takes it: its key, what it is found by (`index.searchable`), and its document's language."""

    key: int
    text: str
    language: str = "en"


def changes_since(connection: sqlite3.Connection, sequence: int | None) -> Changes:
    """The changes after `sequence`; everything when it is None."""
    now, pruned = reading.number_of(connection, "sequence"), reading.number_of(connection, "pruned")
    if sequence is None or not pruned <= sequence <= now:
        rows = connection.execute("SELECT number, first_key, chunks FROM documents ORDER BY number")
        return Changes(now, True, (), tuple(Change(*row) for row in rows))
    removed = connection.execute(
        "SELECT document, first_key, chunks FROM changes WHERE sequence > ? AND NOT added ORDER BY number", (sequence,)
    )
    added = connection.execute(
        "SELECT document, changes.first_key, changes.chunks FROM changes JOIN documents ON documents.number = changes.document "
        "WHERE sequence > ? AND added ORDER BY changes.number",
        (sequence,),
    )
    return Changes(now, False, tuple(Change(*row) for row in removed), tuple(Change(*row) for row in added))


def library(connection: sqlite3.Connection) -> str:
    """The library's own name for itself and how often it was built anew: derived files of another are never taken for its own."""
    name, generation = identity(connection)
    return f"{name}.{generation}" if generation else name


def identity(connection: sqlite3.Connection) -> tuple[str, int]:
    """The library's name and generation (`schema`)."""
    known = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('library', 'generation')"))
    if "library" not in known:
        raise UndecodableError("its name is lost")
    return str(known["library"]), int(known.get("generation", 0))


@stored
def metadata(connection: sqlite3.Connection, change: Change) -> Metadata:
    """The metadata of an existing document."""
    (found,) = connection.execute("SELECT metadata FROM documents WHERE number = ?", (change.document,)).fetchone()
    return json.loads(found)  # type: ignore[no-any-return]


@stored
def searchables(connection: sqlite3.Connection, change: Change) -> tuple[Metadata, list[Searchable]]:
    """The metadata of an existing document, and its chunks with the words they are found by."""
    characters, doc_id, source, title, metadata = connection.execute(
        "SELECT characters, id, source, title, metadata FROM documents WHERE number = ?", (change.document,)
    ).fetchone()
    whole = text(connection, change.document, 0, characters)
    rows = connection.execute(
        f"SELECT key, first, past, title, {place_column(connection)} FROM chunks WHERE key >= ? AND key < ? ORDER BY key",  # noqa: S608
        (change.first_key, change.first_key + change.chunks),
    )
    language = stemmed_as(whole, reading.settings(connection).get("language", AUTO))
    return json.loads(metadata), [
        Searchable(key, searchable(doc_id, source, own or title, whole[first:past], place), language)
        for key, first, past, own, place in rows
    ]


def stored_rows(connection: sqlite3.Connection, first: int, past: int) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Keys, stored vectors, signatures and traits from `first` to `past`, in the order of keys."""
    yield from connection.execute(
        "SELECT vectors.key, vector, signature, coalesce(traits, x'') FROM vectors LEFT JOIN chunks ON chunks.key = vectors.key "
        "WHERE vectors.key >= ? AND vectors.key < ? ORDER BY vectors.key",
        (first, past),
    )
