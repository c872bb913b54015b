"""The state of a server's replicas (`decoct.server.shared_state`): a schema with jobs, keys, sessions, rates and libraries."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from decoct.errors import StoreError
from decoct.llm.base import LLM
from decoct.server.keys import Keys
from decoct.server.tables import JOBS, Row
from decoct_postgresql.connections import Connections
from decoct_postgresql.location import PostgreSQLLocation, located
from decoct_postgresql.shared import SharedKeys, SharedLibraries, SharedRates, SharedSessions
from decoct_postgresql.shared_jobs import SharedJobs

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


class PostgresTables:
    """The state of replicas, in the schema that `?library=NAME` of the address names."""

    clock = "extract(epoch FROM clock_timestamp())::double precision"

    def __init__(self, address: str) -> None:
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
        with self._connections.using() as connection, connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(statement.replace("?", "%s"), tuple(values))
            return list(cursor.fetchall()) if cursor.description else []

    def address(self, library: str) -> str:
        """Where the library of that name lies; `ConfigError` for a name that is too long. It holds the password: never to be shown."""
        found = replace(self.location, library=f"{self.location.library}_{library}").address
        located(found)  # says so
        return found

    def keys(self) -> SharedKeys:
        """See `SharedState`."""
        return SharedKeys(self)

    def sessions(self, keys: Keys) -> SharedSessions:
        """See `SharedState`."""
        return SharedSessions(keys, self)

    def rates(self, per_second: float) -> SharedRates:
        """See `SharedState`."""
        return SharedRates(self, per_second)

    def jobs(self, place: Path) -> SharedJobs:
        """See `SharedState`."""
        return SharedJobs(self, place)

    def libraries(self, given: Mapping[str, str | Path], place: Path, llm: LLM | None, most: int) -> SharedLibraries:
        """See `SharedState`."""
        return SharedLibraries(given, place, llm, most, tables=self, address_of=self.address)

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
            script = JOBS.format(serial="BIGSERIAL PRIMARY KEY", real="DOUBLE PRECISION")
            for statement in (*script.split(";"), *_SHARED.split(";")):
                connection.execute(statement)
            for name, value in (("schema", str(_VERSION)), ("secret", secrets.token_hex(32))):
                connection.execute("INSERT INTO state VALUES (%s, %s)", (name, value))
        found = connection.execute("SELECT value FROM state WHERE name = 'schema'").fetchone()
        if found is None or int(found[0]) > _VERSION:
            raise StoreError(f"the state at {self.location} was written by a newer Decoct: update this one")
