"""The SQLite file: opening, a pool of reading connections, one writing connection, and the border for SQLite's errors.

The file is in WAL mode: readers see the last committed state and never wait for the writer. `synchronous=FULL` makes a commit
outlive a power cut; a put writes one batch, so it pays for one sync. A read is one transaction on a pooled connection (pooled by
use, not by thread, so threads that end leave nothing open).

When a connection is lent, the path is looked at (one `stat`): where another file lies there now, the library was built anew or replaced,
and `ReplacedError` is raised before anything is read or written. A look-up that follows another within `FRESH` seconds trusts it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from decoct.errors import (
    DamagedStoreError,
    DiskFullError,
    StaleIndexError,
    StoreBusyError,
    StoreError,
    is_disk_full,
)
from decoct.index.embedded import reading, schema
from decoct.index.embedded.border import UndecodableError

# Milliseconds to wait for another connection's lock: creating a library, or recovering after a crash, takes far less.
BUSY_WAIT = 10_000

# Seconds for which a look at the path is good, for reading: a question makes some 25 look-ups, of 30 microseconds and more.
FRESH = 0.002

# Kibibytes of page cache: reading touches few pages a query; writing names touches pages all over their tables.
READ_CACHE, WRITE_CACHE = 8 << 10, 64 << 10

# Bytes of the file that are read through a memory map, which saves a copy a page. The system can drop these pages, but until it does
# they count as the process's: with a gigabyte mapped, ingest at a million chunks seemed to take 1.4 GB.
MAPPED = 128 << 20


class ReplacedError(StaleIndexError):
    """Another file lies at the library's path than the one that was opened."""


class Database:
    """One library's SQLite file, which exists. Thread-safe."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path.absolute()
        self.read_only = read_only
        self._file = str(self.path)
        self._identity, self._size = _identity(self._file)
        if self._identity is None:  # its folder is being exchanged for another
            raise self._told_replaced()
        self._checked = 0.0
        self._retired = False
        self._idle: deque[sqlite3.Connection] = deque()
        self._writer: sqlite3.Connection | None = None
        self._write_guard = threading.RLock()
        self._closed = False
        with self.translated():
            self._prepare()

    @property
    def replaced(self) -> bool:
        """Whether another file, or none, lies at the path."""
        return self._retired or _identity(self._file)[0] != self._identity

    def retire(self) -> None:
        """Close for good, because it was replaced: once nothing holds the old file open, a new one may look the same."""
        self._retired = True
        self.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one read transaction: everything read shows the same state."""
        with self.translated():
            if self._closed or time.monotonic() > self._checked + FRESH:
                self._check()
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._made(READ_CACHE)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.rollback()
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writing connection inside a transaction: committed at the end of the block, rolled back by an error."""
        with self._write_guard, self.translated():
            self._check()
            if self._writer is None:
                self._writer = self._made(WRITE_CACHE)
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.rollback()

    def sequence(self) -> int:
        """The number of the last committed change."""
        with self.reading() as connection:
            return reading.number_of(connection, "sequence")

    def close(self) -> None:
        """Close every connection; the last one to leave folds the write-ahead log into the file."""
        with self._write_guard:
            self._closed = True
            if self._writer is not None:
                self._writer.close()
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """The border: SQLite's errors become ours, told with the folder and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            if (
                not self._closed and self.replaced
            ):  # a file of the old library beside one of the new says nothing of either
                raise self._told_replaced() from error
            raise _translate(error, self.path.parent) from error
        except UndecodableError as error:
            raise damaged_library(self.path.parent, str(error)) from error
        except UnicodeEncodeError as error:
            raise StoreError(
                f"a text cannot be stored because it holds half a surrogate pair at character {error.start}; "
                "decode the source with errors='replace'"
            ) from error

    def _check(self) -> None:
        """That this is open and still the library at its path."""
        identity, size = _identity(self._file)
        if identity != self._identity or self._retired:
            raise self._told_replaced()
        if self._closed:
            raise StoreError(f"the library {self.path.parent} is closed; open it again")
        if size < self._size:  # it never shrinks, and reading the missing part of a mapped file would end the process
            raise damaged_library(self.path.parent, f"its library.db was cut to {size:,} bytes")
        self._size, self._checked = size, time.monotonic()

    def _told_replaced(self) -> ReplacedError:
        there = _identity(self._file)[0] is not None
        return ReplacedError(
            f"the library {self.path.parent} was {'replaced' if there else 'removed or moved'} since it was opened; open it again"
        )

    def _made(self, cache: int) -> sqlite3.Connection:
        """A connection whose files are all of this library: SQLite opens them one by one, and another may take its place between two."""
        connection = self._connect(cache)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            self._check()
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        if not self._size:
            raise damaged_library(self.path.parent, "its library.db is empty")
        with closing(self._connect(READ_CACHE)) as connection:
            try:
                found = schema.version(connection)
                if found < len(schema.MIGRATIONS) and not (self.read_only and found in schema.READABLE):
                    self._upgrade(connection)
            except StoreError as error:
                raise StoreError(f"the library {self.path.parent} cannot be opened: {error}") from error

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        if self.read_only:
            raise StoreError("it needs an upgrade of its schema; open it once with write access")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        try:
            schema.migrate(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.rollback()

    def _connect(self, cache: int) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rwc"
        if self.read_only and not os.access(self.path.parent, os.W_OK) and not _has_log(self.path):
            mode += "&immutable=1"  # WAL needs a file beside the database unless nobody can write
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_WAIT / 1000,
        )
        for pragma in (f"cache_size = -{cache}", f"mmap_size = {MAPPED}", "synchronous = FULL", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        return connection


def _identity(file: str) -> tuple[tuple[int, int] | None, int]:
    """Which file lies at the path (None: none), and its bytes."""
    try:
        found = os.stat(file)  # noqa: PTH116 - at every look-up: building a Path costs as much again
    except FileNotFoundError:
        return None, 0
    return (found.st_dev, found.st_ino), found.st_size


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def damaged_library(folder: Path, what: str) -> DamagedStoreError:
    """The error for a library that cannot be read back."""
    return DamagedStoreError(
        f"the library {folder} is damaged ({what}); `decoct doctor --library {folder}` names what can still be read; "
        "restore it from a copy, or delete it and ingest again"
    )


def _translate(error: sqlite3.Error, folder: Path) -> StoreError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(f"the library {folder} is locked by another process; try again when it has finished")
    if str(error).startswith("Could not decode to UTF-8"):  # Python's own error, followed by the whole text
        return damaged_library(folder, "a text is not UTF-8")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")) or str(error).startswith(
        "no such table"
    ):
        return damaged_library(folder, str(error))
    if is_disk_full(error):
        return DiskFullError(
            f"the disk of the library {folder} is full; free space and run it again: what was committed is kept"
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StoreError(f"the library {folder} cannot be opened ({error}); check the folder's permissions")
    return StoreError(f"the library {folder} failed: {error}")
