"""The tables of a server's state: a file of SQLite for one server, or a schema of PostgreSQL that several replicas share.

Both speak the same few statements, with `?` for a value; each is committed by itself. `clock` is the present time as an expression, so that
replicas whose clocks differ agree on who holds a job.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from decoct.errors import StoreUnavailableError

Row = Mapping[str, Any]
# Seconds for which the lock of another program (a copy that is being made) is waited for: the server's event loop waits with it.
_WAIT = 0.1

# `{serial}` and `{real}` are the types of a number that counts itself and of a time
JOBS = """
CREATE TABLE IF NOT EXISTS jobs (
    number {serial}, id TEXT UNIQUE NOT NULL, library TEXT NOT NULL, state TEXT NOT NULL,
    sources INTEGER NOT NULL, created {real} NOT NULL, started {real}, finished {real}, attempts INTEGER NOT NULL DEFAULT 0,
    counts TEXT NOT NULL DEFAULT '{{}}', failures TEXT NOT NULL DEFAULT '[]', error TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '', once TEXT, digest TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT 'ingest',
    holder TEXT NOT NULL DEFAULT '', lease {real} NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS once ON jobs (library, owner, once) WHERE once IS NOT NULL
"""


class Tables(Protocol):
    """What keeps the rows. Thread-safe."""

    clock: str

    def run(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows that one statement gives (none where it gives none), committed."""

    def close(self) -> None:
        """Give connections back."""


class SqliteTables:
    """The jobs of one server, every change synced."""

    clock = "((julianday('now') - 2440587.5) * 86400.0)"

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file, self._guard = file, threading.RLock()
        with self._translated():
            self._connection = sqlite3.connect(file, timeout=_WAIT, check_same_thread=False, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(JOBS.format(serial="INTEGER PRIMARY KEY AUTOINCREMENT", real="REAL"))

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
