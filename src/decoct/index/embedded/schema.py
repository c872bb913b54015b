"""The tables of a library, and how a file of an older version becomes one of this version.

`PRAGMA user_version` holds the version; creating a library is the migration from version 0. Two numbers are never used twice, so that
derived indexes may name rows by them for good: a document's `number` (a replaced document gets a new one) and a chunk's `key`. The
chunks of one document have consecutive keys `first_key … first_key + chunks - 1`.

The canonical text is kept in parts of `PART` characters, so that reading a span costs its own length whatever the document's.
`changes` is the log from which derived indexes catch up; `sums` holds the digests of each document (`sums`).

`meta` says which library this is: `library`, a name for good, and `generation`, how often it was built anew. It counts transactions in
`sequence`, and keeps the `chunks` there are and the sum of their `keys`, by which a derived index proves that it holds the same.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress

from decoct.errors import StoreError
from decoct.index.embedded import sums
from decoct.index.embedded.columns import version_number

# "Dcct" in ASCII: marks the SQLite file as a library of ours (PRAGMA application_id).
APPLICATION_ID = 0x44636374

_VERSION_1 = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    digest TEXT NOT NULL,
    characters INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    names TEXT NOT NULL,
    headings TEXT NOT NULL,
    links TEXT NOT NULL,
    known_as BLOB
);
CREATE TABLE texts (place INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE chunks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    first INTEGER NOT NULL,
    past INTEGER NOT NULL,
    title TEXT,
    mentions BLOB,
    traits BLOB
);
CREATE TABLE vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL, signature BLOB NOT NULL);
CREATE TABLE metadata (name TEXT, value TEXT, document INTEGER, PRIMARY KEY (name, value, document)) WITHOUT ROWID;
CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    chunks INTEGER NOT NULL DEFAULT 0,
    documents INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE mentions (name INTEGER, chunk INTEGER, PRIMARY KEY (name, chunk)) WITHOUT ROWID;
CREATE TABLE known_as (name INTEGER, document INTEGER, strength REAL NOT NULL, PRIMARY KEY (name, document)) WITHOUT ROWID;
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    sequence INTEGER NOT NULL,
    document INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    added INTEGER NOT NULL
);
"""


def _create(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)", [("sequence", 0), ("pruned", 0), ("library", uuid.uuid4().hex)]
    )


def _prove(connection: sqlite3.Connection) -> None:
    """Version 2: what a library can be held to. Digests begin with what is there now."""
    connection.execute(
        "CREATE TABLE sums (document INTEGER PRIMARY KEY, record BLOB NOT NULL, text BLOB NOT NULL, chunks BLOB NOT NULL, "
        "vectors BLOB NOT NULL)"
    )
    chunks, keys = connection.execute(
        "SELECT coalesce(sum(chunks), 0), coalesce(sum(chunks * first_key + chunks * (chunks - 1) / 2), 0) FROM documents"
    ).fetchone()
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("generation", 0), ("chunks", chunks), ("keys", keys)])
    for (number,) in connection.execute("SELECT number FROM documents ORDER BY number").fetchall():
        with suppress(sqlite3.Error, ValueError, TypeError):  # what cannot be read has no digest, and `doctor` names it
            sums.store_sums(connection, number)


def _place(connection: sqlite3.Connection) -> None:
    """Version 3: the headings above each chunk; none for what was stored before."""
    connection.execute("ALTER TABLE chunks ADD COLUMN place TEXT")


Migration = Callable[[sqlite3.Connection], None]

# The step at place n takes a file from version n to n + 1, inside one transaction. Never change a step that was released: add one.
MIGRATIONS: Sequence[Migration] = [_create, _prove, _place]

# Versions that are read as they are where nothing can be written.
READABLE = frozenset({1, 2})


def version(connection: sqlite3.Connection) -> int:
    """The file's schema version; 0 for an empty file. `StoreError` if it is another application's."""
    found = version_number(connection)
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner != APPLICATION_ID and (tables or found):
        raise StoreError("its library.db is a database of another program; name another folder")
    if found > len(MIGRATIONS):
        raise StoreError(
            f"it was written by a newer Decoct (schema {found}, this one reads up to {len(MIGRATIONS)}); update Decoct to open it"
        )
    return found


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to this version, all steps or none; the caller holds a write transaction."""
    for step in range(version(connection), len(MIGRATIONS)):
        MIGRATIONS[step](connection)
        connection.execute(f"PRAGMA user_version = {step + 1}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
