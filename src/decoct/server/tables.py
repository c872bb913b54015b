"""The tables of a server's state: a file of SQLite for one server, or a schema of PostgreSQL that several replicas share.

Both speak the same few statements, with `?` for a value; each is committed by itself. `clock` is the present time as an expression, so that
replicas whose clocks differ agree on who holds a job.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from decoct.errors import StoreError, StoreUnavailableError
from decoct.index.resolve import is_folder, without_password
from decoct.plugins import check_installed, load, points
from decoct.server.keys import KeyFile, Keys
from decoct.server.rates import RequestRates
from decoct.server.sessions import Sessions

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
    shared: bool

    def run(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows that one statement gives (none where it gives none), committed."""

    def close(self) -> None:
        """Give connections back."""


class JobFiles(Protocol):
    """The files of jobs that replicas hand each other."""

    def send(self, job: str, folder: Path) -> None:
        """Put every file of `folder` in the place of what is there of the job."""

    def fetch(self, job: str, folder: Path, version: int | None) -> None:
        """Make `folder` hold what is there of the job; nothing is done where it has `version` already."""

    def remove(self, job: str) -> None:
        """Forget the job's files."""


class LibraryRows(Protocol):
    """Libraries that requests made, which replicas know of."""

    def names(self) -> list[str]:
        """All of them."""

    def get(self, name: str) -> Row | None:
        """How `name` is to be built (`embedder`, `chunker`), and the mark of its making (`made`); None where there is none."""

    def add(self, name: str, embedder: str, chunker: str) -> bool:
        """Note a library; False where there is one of that name."""

    def remove(self, name: str) -> None:
        """Forget a library."""

    def address(self, name: str) -> str:
        """Where it lies; it holds the password, so it is never to be shown."""


@runtime_checkable
class SharedTables(Tables, Protocol):
    """Tables that several replicas share, with those of keys, sessions, rates and libraries beside the jobs'."""

    def keys(self) -> Keys:
        """The keys in a table."""

    def sessions(self, keys: Keys) -> Sessions:
        """Sessions of the web page that every replica knows."""

    def rates(self, per_second: float) -> RequestRates:
        """A bucket of requests a caller, over all replicas."""

    def libraries(self) -> LibraryRows:
        """The libraries that requests made."""

    def files(self) -> JobFiles:
        """The files of jobs."""


class SqliteTables:
    """The jobs of one server, every change synced."""

    clock = "((julianday('now') - 2440587.5) * 86400.0)"
    shared = False

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


def is_shared(state: str | Path) -> bool:
    """Whether `state` is the address of a server; `StoreError` for one that keeps no state."""
    if is_folder(state):
        return False
    scheme = str(state).partition(":")[0]
    if scheme not in points("state"):
        check_installed("state", scheme, without_password(state))
        raise StoreError(
            f"{without_password(state)}: a server's state lies in a folder or in PostgreSQL (postgresql://…?library=NAME)"
        )
    return True


def shared_tables(state: str) -> SharedTables:
    """The tables at the address `state`, made where they are missing."""
    tables: SharedTables = load("state", state.partition(":")[0], without_password(state))(state)
    return tables


@contextmanager
def opened_keys(state: str | Path) -> Iterator[Keys]:
    """The keys of the server whose state is at `state`."""
    if not is_shared(state):
        yield KeyFile(Path(state).expanduser().resolve())
        return
    with closing(shared_tables(str(state))) as tables:
        yield tables.keys()
