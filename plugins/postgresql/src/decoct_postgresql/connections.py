"""Connections to one library, lent to one thread at a time, and transactions on them.

Reading sees one state from its first statement to its last (REPEATABLE READ, read only). A connection that lay idle may have died with
a server that was started again, so a look-up that breaks on a lent connection is made once more on a new one.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from decoct.errors import StoreError
from decoct_postgresql import faults
from decoct_postgresql.location import PostgreSQLLocation

if TYPE_CHECKING:
    import psycopg

R = TypeVar("R")

# Attempts to write against other writers of the same documents; each waits for the others' locks, so few are ever needed.
ATTEMPTS = 10

_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Connections:
    """A pool for one library; thread-safe. Connections are made when needed and kept while open."""

    def __init__(self, location: PostgreSQLLocation) -> None:
        self.location = location
        self._idle: deque[psycopg.Connection[Any]] = deque()
        self._guard = threading.Lock()
        self._closed = False
        self._path = ""

    def read(self, look_up: Callable[[psycopg.Connection[Any]], R]) -> R:
        """What `look_up` finds in one state of the library."""
        import psycopg

        for _ in range(2):
            connection, fresh = self._lent()
            try:
                with faults.translated(self.location):
                    try:
                        connection.execute(_READING)
                        found = look_up(connection)
                        connection.execute("COMMIT")
                    except psycopg.OperationalError:
                        if connection.closed and not fresh:
                            continue
                        raise
                return found
            finally:
                self._returned(connection)
        raise AssertionError("the second connection is fresh or found")  # pragma: no cover

    def write(self, change: Callable[[psycopg.Connection[Any]], R]) -> R:
        """What `change` returns after it was committed, whole; tried again where other writers were in the way."""
        import psycopg

        for attempt in range(ATTEMPTS):
            with self.using() as connection:
                try:
                    with connection.transaction():
                        return change(connection)
                except psycopg.Error as error:
                    if error.sqlstate not in faults.AGAIN or attempt == ATTEMPTS - 1:
                        raise faults.error_of_server(error, self.location) from error
            time.sleep(secrets.randbelow(1000) / 1e5 * 2**attempt)  # up to 10 ms at first: who began together parts
        raise AssertionError("the last attempt returns or raises")  # pragma: no cover

    @contextmanager
    def using(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of which it is known that it was alive just now, outside any transaction."""
        import psycopg

        connection, fresh = self._lent()
        try:
            if not fresh:
                try:
                    connection.execute("SELECT 1")
                except psycopg.OperationalError:
                    self._returned(connection)
                    connection, fresh = self._made(), True
            with faults.translated(self.location):
                yield connection
        finally:
            self._returned(connection)

    def forget(self) -> None:
        """Close what is idle: a connection that was made before the library was knows nothing of its tables."""
        with self._guard:
            idle, self._idle = self._idle, deque()
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close what is idle; what is lent is closed when it comes back."""
        with self._guard:
            self._closed = True
        self.forget()

    def _lent(self) -> tuple[psycopg.Connection[Any], bool]:
        with self._guard:
            if self._closed:
                raise StoreError(f"{self.location} was closed; open it again")
            if self._idle:
                return self._idle.pop(), False
        return self._made(), True

    def _returned(self, connection: psycopg.Connection[Any]) -> None:
        import psycopg

        with suppress(psycopg.Error):
            if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                connection.rollback()
        with self._guard:
            if not self._closed and not connection.closed and connection not in self._idle:
                self._idle.append(connection)
                return
        connection.close()

    def _made(self) -> psycopg.Connection[Any]:
        import psycopg

        place = self.location
        known: dict[str, Any] = {**place.parameters, "client_encoding": "utf-8", "application_name": "decoct"}
        if place.password is not None:
            known["password"] = place.password
        try:
            connection: psycopg.Connection[Any] = psycopg.connect(autocommit=True, **known)
        except psycopg.ProgrammingError as error:  # a parameter that libpq does not know
            raise StoreError(
                f"{place}: {str(error).strip()}; see PostgreSQL's list of connection parameters"
            ) from error
        except psycopg.Error as error:
            raise faults.not_connected(error, place) from error
        try:
            with faults.translated(place):
                self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        """The library's tables first, then whatever schema holds the extension's types."""
        if not self._path:
            row = connection.execute(
                "SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
            ).fetchone()
            if row is None:
                return
            self._path = str(row[0])
        connection.execute(
            "SELECT set_config('search_path', quote_ident(%s) || ', ' || quote_ident(%s), false)",
            (self.location.library, self._path),
        )
