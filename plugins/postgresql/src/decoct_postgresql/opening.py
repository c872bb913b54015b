"""Opening a library in PostgreSQL: its extension, its tables, its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from decoct.errors import MissingDistributionError, StaleIndexError, StoreError, UnknownLibraryError
from decoct_postgresql import schema
from decoct_postgresql.connections import Connections
from decoct_postgresql.location import PostgreSQLLocation, located

if TYPE_CHECKING:
    import psycopg

# pgvector 0.7 brought half-precision vectors, 0.8 searches that go on until enough pass a filter.
_LEAST_PGVECTOR = (0, 8)


def connected(location: str) -> Connections:
    """The connections to the library that `location` names; none is made yet."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingDistributionError("psycopg", "decoct-postgresql", "plugins/postgresql") from error
    return Connections(located(location))


def stored_settings(location: str) -> dict[str, str] | None:
    """The settings of the library at `location`; None if there is no library or nothing in it yet."""
    connections = connected(location)
    try:
        with connections.using() as connection:
            if not schema.version(connection, connections.location):
                return None
            return settings(connection) or None
    finally:
        connections.close()


def prepare(connections: Connections, *, create: bool) -> None:
    """Make the library's tables where there are none and `create` allows it, or migrate them; `StoreError` where it cannot be used."""
    location = connections.location
    with connections.using() as connection:
        found = schema.version(connection, location)
        if found == len(schema.MIGRATIONS):
            _check_extension(connection, location)
            return
        if not found and not create:
            raise UnknownLibraryError(
                f"there is no library at {location}; make one with `decoct ingest --library ADDRESS SOURCES`"
            )
    with connections.using() as connection:
        _make_extension(connection, location)
    with connections.using() as connection, connection.transaction():
        if not found:
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (schema.lock_number(location, "schema"),)
            )
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{location.library}"')  # the name's letters were checked
        connection.execute(
            "SELECT set_config('search_path', quote_ident(%s) || ', ' || quote_ident(nspname), true) FROM pg_extension "
            "JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'",
            (location.library,),
        )
        schema.migrate(connection, location)
    connections.forget()


def remove(location: str) -> None:
    """Drop the library at `location` and its companions; nothing happens where there is none."""
    connections = connected(location)
    place = connections.location
    try:
        with connections.using() as connection:
            if not schema.version(connection, place):
                return
            rows = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname = %s OR starts_with(nspname, %s || '.')",
                (place.library,) * 2,
            ).fetchall()
            with connection.transaction():
                for (name,) in rows:
                    connection.execute(f'DROP SCHEMA "{name}" CASCADE')  # letters, digits, _, - and a dot
    finally:
        connections.close()


def settings(connection: psycopg.Connection[Any]) -> dict[str, str]:
    """How the library was built."""
    return dict(connection.execute("SELECT name, value FROM settings ORDER BY name").fetchall())


def check_settings(location: PostgreSQLLocation, stored: Mapping[str, str], asked: Mapping[str, str]) -> None:
    """`StaleIndexError` where a library with documents was built with other settings than `asked`."""
    differing = [name for name, value in asked.items() if name in stored and stored[name] != value]
    if differing:
        told = "; ".join(f"{name} {stored[name]!r}, not {asked[name]!r}" for name in differing)
        raise StaleIndexError(
            f"the library {location} was built with {told}. Open it with those settings, or ingest the sources into a library of "
            "another name (?library=NAME)"
        )


def is_empty(connection: psycopg.Connection[Any]) -> bool:
    """Whether there is no document."""
    return connection.execute("SELECT FROM documents LIMIT 1").fetchone() is None


def _check_extension(connection: psycopg.Connection[Any], location: PostgreSQLLocation) -> None:
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if found is None:
        raise StoreError(
            f"{location}: the extension pgvector was removed from the database; run CREATE EXTENSION vector"
        )
    numbers = tuple(int(part) for part in str(found[0]).split(".")[:2])
    if numbers < _LEAST_PGVECTOR:
        least = ".".join(map(str, _LEAST_PGVECTOR))
        raise StoreError(
            f"{location}: pgvector is of version {found[0]}, {least} is needed: ALTER EXTENSION vector UPDATE, after installing it"
        )


def _make_extension(connection: psycopg.Connection[Any], location: PostgreSQLLocation) -> None:
    import psycopg

    if connection.execute("SELECT FROM pg_extension WHERE extname = 'vector'").fetchone() is None:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.errors.UniqueViolation:  # another program made it just now
            pass
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreError(
                f"{location}: this role may not install pgvector; let an administrator run CREATE EXTENSION vector in the database"
            ) from error
        except psycopg.Error as error:
            raise StoreError(
                f"{location}: the server lacks the extension pgvector ({str(error).partition(chr(10))[0]}). Install it there "
                "(Debian: postgresql-17-pgvector; others: github.com/pgvector/pgvector), then run CREATE EXTENSION vector"
            ) from error
    _check_extension(connection, location)
