"""One writer at a time, across processes: an advisory lock of the operating system on a file.

`flock` belongs to the open file, so the lock dies with the process however it ends: no stale lock, nothing to clean up after
`kill -9`. (POSIX only; two stores opened on one folder in the same process exclude each other too.)
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from decoct.errors import StoreBusyError, StoreError

# The lock files that this process holds, by device and inode, with its id (a forked child is another process): a process id alone could
# be that of a process in another container.
_HELD: dict[tuple[int, int], int] = {}


class WriteLock:
    """The lock on a library, counted within this object: each `acquire` needs a `release`. Thread-safe.

    `kept` says that this object's owner has written and still holds the lock, for a moment or until it closes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._holders = 0
        self._guard = threading.RLock()
        self.kept = False

    def keep(self) -> None:
        """Take the lock and hold it until `give_back`, once however often it is called."""
        with self._guard:
            if not self.kept:
                self.acquire()
                self.kept = True

    def give_back(self) -> None:
        """End what `keep` began."""
        with self._guard:
            if self.kept:
                self.kept = False
                self.release()

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock inside the block."""
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def acquire(self) -> None:
        """Take the lock or add a holder; `StoreBusyError` at once if another process or store has it."""
        with self._guard:
            if self._file is None:
                self._file = self._lock()
            self._holders += 1

    def release(self) -> None:
        """Drop one holder; the last one gives the lock back."""
        with self._guard:
            self._holders -= 1
            if self._holders == 0 and self._file is not None:
                _HELD.pop(_identity(self._file), None)
                os.close(self._file)
                self._file = None

    def _lock(self) -> int:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise StoreError(
                f"the library {self._path.parent} cannot be written: {error.strerror}; "
                "check the folder's permissions or open it read-only"
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            told = self._told(file)
            os.close(file)
            raise StoreBusyError(told) from error
        _HELD[_identity(file)] = os.getpid()
        with suppress(OSError):  # on a full disk the lock is as good without a name on it
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        return file

    def _told(self, file: int) -> str:
        if _HELD.get(_identity(file)) == os.getpid():
            return (
                f"the library {self._path.parent} is being written by another handle in this process (pid {os.getpid()}); "
                "write through that one, or close it first"
            )
        holder = os.pread(file, 20, 0).decode("ascii", "replace").strip()
        return (
            f"the library {self._path.parent} is being written by another process{f' (pid {holder})' if holder else ''}; "
            "wait for it to finish, or open the library for reading"
        )


def _identity(file: int) -> tuple[int, int]:
    found = os.fstat(file)
    return found.st_dev, found.st_ino
