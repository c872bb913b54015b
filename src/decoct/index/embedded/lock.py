"""One writer at a time, across processes: an advisory lock of the operating system on a file.

`flock` belongs to the open file, so the lock dies with the process however it ends: no stale lock, nothing to clean up after
`kill -9`. (POSIX only; two stores opened on one folder in the same process exclude each other too.)
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from decoct.errors import StoreBusyError, StoreError

# The lock files that this process holds, by device and inode, with its id (a forked child is another process): a process id alone could
# be that of a process in another container.
_HELD: dict[tuple[int, int], int] = {}


# Seconds to wait for one who holds the lock for a moment only, and between two looks.
MOMENT, _LOOK = 10.0, 0.01
_PASSING = " passing"


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

    def acquire(self, *, passing: bool = False) -> None:
        """Take the lock or add a holder; `StoreBusyError` at once if another process or store has it.

        `passing` says that it will be given back in a moment (a reader lets the indexes catch up): whoever wants to write waits for that.
        """
        with self._guard:
            if self._file is None:
                self._file = self._lock(passing=passing)
            self._holders += 1

    def release(self) -> None:
        """Drop one holder; the last one gives the lock back."""
        with self._guard:
            self._holders -= 1
            if self._holders == 0 and self._file is not None:
                _HELD.pop(_identity(self._file), None)
                with suppress(OSError):
                    os.ftruncate(self._file, 0)  # the next holder is not taken for this one
                os.close(self._file)
                self._file = None

    def _lock(self, *, passing: bool) -> int:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise StoreError(
                f"the library {self._path.parent} cannot be written: {error.strerror}; "
                "check the folder's permissions or open it read-only"
            ) from error
        until = time.monotonic() + (0.0 if passing else MOMENT)
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() < until and _holder(file)[1]:
                    time.sleep(_LOOK)
                    continue
                told = self._told(file)
                os.close(file)
                raise StoreBusyError(told) from error
        _HELD[_identity(file)] = os.getpid()
        with suppress(OSError):  # on a full disk the lock is as good without a name on it
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}{_PASSING if passing else ''}\n".encode(), 0)
        return file

    def _told(self, file: int) -> str:
        if _HELD.get(_identity(file)) == os.getpid():
            return (
                f"the library {self._path.parent} is being written by another handle in this process (pid {os.getpid()}); "
                "write through that one, or close it first"
            )
        holder, _ = _holder(file)
        return (
            f"the library {self._path.parent} is being written by another process{f' (pid {holder})' if holder else ''}; "
            "wait for it to finish, or open the library for reading"
        )


def _holder(file: int) -> tuple[str, bool]:
    """The id of the process that holds the lock, as far as it is noted, and whether it will give it back in a moment."""
    noted = os.pread(file, 40, 0).decode("ascii", "replace").strip()
    return noted.removesuffix(_PASSING), not noted or noted.endswith(_PASSING)


def _identity(file: int) -> tuple[int, int]:
    found = os.fstat(file)
    return found.st_dev, found.st_ino
