"""A library's tables in memory, for tests of what reads and writes them: no folder, no indexes."""

import sqlite3

from decoct.index.base import Entry
from decoct.index.embedded import schema, writing


def library(*entries: Entry) -> sqlite3.Connection:
    """A new library that holds `entries`, put at once: documents are numbered and chunks keyed from 1."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    if entries:
        writing.put(connection, entries, {"embedder": "hand"})
    return connection


def rows(connection: sqlite3.Connection, statement: str) -> list[tuple[object, ...]]:
    return connection.execute(statement).fetchall()
