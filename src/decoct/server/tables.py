"""The tables of a server's state: a file of SQLite for one server, or a schema of PostgreSQL that several replicas share.

Both speak the same few statements, with `?` for a value; each is committed by itself. `clock` is the present time as an expression, so that
replicas whose clocks differ agree on who holds a job.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from decoct.errors import MissingExtraError, StoreError, StoreUnavailableError
from decoct.index.resolve import is_folder, without_password

if TYPE_CHECKING:
    import psycopg

    from decoct.index.postgresql.location import PostgreSQLLocation

Row = Mapping[str, Any]

_JOBS = """
CREATE TABLE IF NOT EXISTS jobs (
    number {serial}, id TEXT UNIQUE NOT NULL, library TEXT NOT NULL, state TEXT NOT NULL,
    sources INTEGER NOT NULL, created {real} NOT NULL, started {real}, finished {real}, attempts INTEGER NOT NULL DEFAULT 0,
    counts TEXT NOT NULL DEFAULT '{{}}', failures TEXT NOT NULL DEFAULT '[]', error TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '', once TEXT, digest TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT 'ingest',
    holder TEXT NOT NULL DEFAULT '', lease {real} NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS once ON jobs (library, owner, once) WHERE once IS NOT NULL
"""
_SHARED = """
CREATE TABLE keys (id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, libraries TEXT NOT NULL, server BOOLEAN NOT NULL, note TEXT NOT NULL,
    created BIGINT NOT NULL);
CREATE TABLE sessions (digest TEXT PRIMARY KEY, key_id TEXT NOT NULL, until DOUBLE PRECISION NOT NULL);
CREATE UNLOGGED TABLE rates (who TEXT PRIMARY KEY, left_over DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL,
    let_in BOOLEAN NOT NULL);
CREATE TABLE libraries (name TEXT PRIMARY KEY, embedder TEXT NOT NULL, chunker TEXT NOT NULL, made TEXT NOT NULL);
CREATE TABLE files (job TEXT, path TEXT, part INTEGER, body BYTEA NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (job, path, part))
"""
# The state's schema. Later versions add steps; one of a newer Decoct is refused.
_VERSION = 1


class Tables(Protocol):
    """What keeps the rows. Thread-safe."""

    clock: str
    shared: bool

    def run(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows that one statement gives (none where it gives none), committed."""

    def close(self) -> None:
        """Give connections back."""


class SqliteTables:
    """The jobs of one server, every change synced."""

    clock = "((julianday('now') - 2440587.5) * 86400.0)"
    shared = False

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file, self._guard = file, threading.RLock()
        with self._translated():
            self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_JOBS.format(serial="INTEGER PRIMARY KEY AUTOINCREMENT", real="REAL"))
            known = {row["name"] for row in self._connection.execute("PRAGMA table_info(jobs)")}
            for name, kind in (
                ("kind", "TEXT NOT NULL DEFAULT 'ingest'"), ("holder", "TEXT NOT NULL DEFAULT ''"),
                ("lease", "REAL NOT NULL DEFAULT 0"), ("version", "INTEGER NOT NULL DEFAULT 0"),
            ):  # fmt: skip
                if name not in known:
                    self._connection.execute(f"ALTER TABLE jobs ADD COLUMN {name} {kind}")

    def run(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Tables`; `StoreUnavailableError` where the file cannot be read or written, as on a full disk."""
        with self._guard, self._translated():
            return [dict(row) for row in self._connection.execute(statement, values).fetchall()]

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreUnavailableError(
                f"the server's jobs, {self._file}, could not be read or written ({error}); free disk space or check permissions"
            ) from error


class PostgresTables:
    """The state of replicas, in the schema that `?library=NAME` of the address names."""

    clock = "extract(epoch FROM clock_timestamp())::double precision"
    shared = True

    def __init__(self, address: str) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("a server's state in PostgreSQL", "postgresql") from error
        from decoct.index.postgresql.connections import Connections
        from decoct.index.postgresql.location import located

        self.location: PostgreSQLLocation = located(address)
        self._schema = f'"{self.location.library}"'  # its letters were checked
        known = self.location.parameters
        options = f"{known.get('options', '')} -c search_path={self._schema}".strip()
        self._connections = Connections(replace(self.location, parameters={**known, "options": options}))
        try:
            with self._connections.using() as connection, connection.transaction():
                self._prepare(connection)
        except BaseException:
            self._connections.close()
            raise
        self._connections.forget()

    def run(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """See `Tables`; `StoreUnavailableError` where the server is away."""
        from psycopg.rows import dict_row

        with self._connections.using() as connection, connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(statement.replace("?", "%s"), tuple(values))
            return list(cursor.fetchall()) if cursor.description else []

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"decoct state {self._schema}",))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        connection.execute(f"SET LOCAL search_path TO {self._schema}")
        row = connection.execute("SELECT to_regclass('state') IS NOT NULL, to_regclass('meta') IS NOT NULL").fetchone()
        known, library = row if row is not None else (False, False)
        if library:
            raise StoreError(
                f"{self.location} is a library: name another schema for the server's state (?library=NAME)"
            )
        if not known:
            connection.execute("CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            script = _JOBS.format(serial="BIGSERIAL PRIMARY KEY", real="DOUBLE PRECISION")
            for statement in (*script.split(";"), *_SHARED.split(";")):
                connection.execute(statement)
            for name, value in (("schema", str(_VERSION)), ("secret", secrets.token_hex(32))):
                connection.execute("INSERT INTO state VALUES (%s, %s)", (name, value))
        found = connection.execute("SELECT value FROM state WHERE name = 'schema'").fetchone()
        if found is None or int(found[0]) > _VERSION:
            raise StoreError(f"the state at {self.location} was written by a newer Decoct: update this one")


def is_shared(state: str | Path) -> bool:
    """Whether `state` is the address of a server; `StoreError` for one that keeps no state."""
    if is_folder(state):
        return False
    if str(state).partition(":")[0] not in {"postgresql", "postgres"}:
        raise StoreError(
            f"{without_password(state)}: a server's state lies in a folder or in PostgreSQL (postgresql://…?library=NAME)"
        )
    return True
