"""The border for PostgreSQL's errors: each becomes one of ours that says what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from decoct.errors import CorpusError, DiskFullError, StoreBusyError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    import psycopg

    from decoct_postgresql.location import PostgreSQLLocation

# Two writers of one document met, or waited for one another: the transaction was rolled back and may be tried again.
AGAIN = frozenset({"23505", "40001", "40P01", "55P03"})

# What a server says when it goes down, comes up, or cut the connection.
_AWAY = frozenset({"57P01", "57P02", "57P03", "57P05", "08000", "08001", "08003", "08004", "08006", "25P03"})

_BY_STATE = {
    "53100": "the server's disk is full; nothing of this batch was stored. Free space there and run it again",
    "53200": "the server is out of memory; nothing of this batch was stored. Give it more, or write smaller batches",
    "25006": "the server takes no writes (a replica, or set to read-only); give the address of the primary",
    "42501": "the role may not do that ({said}). Grant it as docs/stores.md says, or open the library as its owner",
    "57014": "the server ended a statement that took too long ({said}); raise its statement_timeout for this role",
    "42P01": "its tables are gone ({said}): was the library dropped while it was open? Open it again",
    "3F000": "its schema is gone ({said}): was the library dropped while it was open? Open it again",
}


@contextmanager
def translated(location: PostgreSQLLocation) -> Iterator[None]:
    """Errors of psycopg inside become ours."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise error_of_server(error, location) from error


def error_of_server(error: psycopg.Error, location: PostgreSQLLocation) -> StoreError | CorpusError:
    """What `error` means for whoever asked."""
    import psycopg

    state, said = error.sqlstate or "", str(error).partition("\n")[0].strip()
    if state in AGAIN:
        return StoreBusyError(f"{location}: other writers were at the same documents all the time ({said}); try again")
    if state == "53300":
        return StoreUnavailableError(
            f"{location}: the server has no connection left; raise max_connections or use a pooler"
        )
    if state == "54000" and "index row" in said:
        return CorpusError(f"an id or a metadata key is too long for PostgreSQL ({said}); shorten it")
    if state in _BY_STATE:
        kind = DiskFullError if state == "53100" else StoreError
        return kind(f"{location}: {_BY_STATE[state].format(said=said)}")
    if state in _AWAY or (isinstance(error, psycopg.OperationalError) and not state):
        return StoreUnavailableError(
            f"{location}: the connection to the server broke ({said}). What was committed is kept; a batch that was being written is "
            "stored whole or not at all. Run it again when the server is there"
        )
    return StoreError(f"{location}: the server refused ({said})")


def not_connected(error: psycopg.Error, location: PostgreSQLLocation) -> StoreError:
    """What a failure to connect means. libpq gives no code for it, only the server's words."""
    said = " ".join(str(error).split())
    if "password authentication failed" in said or "no password supplied" in said:
        return StoreError(
            f"{location}: the server does not take this user and password. Give them in the address "
            "(postgresql://USER:PASSWORD@…), or the password as PGPASSWORD or in ~/.pgpass"
        )
    if 'database "' in said and "does not exist" in said:
        return StoreError(f"{location}: there is no such database; make it with `createdb`, or name another")
    if 'role "' in said and "does not exist" in said:
        return StoreError(f"{location}: the server knows no such user; name one in the address (postgresql://USER@…)")
    if "no pg_hba.conf entry" in said or "SSL" in said or "certificate" in said:
        return StoreError(f"{location}: the server refuses this connection ({said}); check sslmode and its pg_hba.conf")
    return StoreUnavailableError(
        f"{location}: the server cannot be reached ({said}). Check host and port, and that it runs"
    )
