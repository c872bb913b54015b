"""One writer at a time, across processes: a lock of the operating system on a file (`filelock`).

It belongs to the open file, so it dies with the process however that ends: no stale lock, nothing to clean up after `kill -9`. (Two stores
opened on one folder in the same process exclude each other too.) Who holds it is noted in a file beside it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from decoct.errors import StoreBusyError, StoreError

# The lock files that this process holds, by device and inode, with its id (a forked child is another process): a process id alone could
# be that of a process in another container.
_HELD: dict[tuple[int, int], int] = {}


NOTE = "write.holder"  # beside the lock: the id of the process that holds it

# Seconds to wait for one who holds the lock for a moment only, and between two looks.
MOMENT, _LOOK = 10.0, 0.01
_PASSING = " passing"


class WriteLock:
    """The lock on a library, counted within this object: each `acquire` needs a `release`. Thread-safe.

    `kept` says that this object's owner has written and still holds the lock, for a moment or until it closes.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._note = path, path.with_name(NOTE)
        self._lock = FileLock(path, thread_local=False)
        self._file: tuple[int, int] | None = None
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
                self._file = self._taken(passing=passing)
            self._holders += 1

    def release(self) -> None:
        """Drop one holder; the last one gives the lock back."""
        with self._guard:
            self._holders -= 1
            if self._holders == 0 and self._file is not None:
                _HELD.pop(self._file, None)
                with suppress(OSError):
                    self._note.write_text("")  # the next holder is not taken for this one
                self._file = None
                self._lock.release()

    def _taken(self, *, passing: bool) -> tuple[int, int]:
        """The lock's file, by device and inode, once it is locked."""
        until = time.monotonic() + (0.0 if passing else MOMENT)
        while True:
            try:
                self._lock.acquire(timeout=0)
                break
            except Timeout as error:
                if time.monotonic() < until and self._holder()[1]:
                    time.sleep(_LOOK)
                    continue
                raise StoreBusyError(self._told()) from error
            except OSError as error:
                raise StoreError(
                    f"the library {self._path.parent} cannot be written: {error.strerror}; "
                    "check the folder's permissions or open it read-only"
                ) from error
        file = _identity(self._path)
        _HELD[file] = os.getpid()
        with suppress(OSError):  # on a full disk the lock is as good without a name on it
            self._note.write_text(f"{os.getpid()}{_PASSING if passing else ''}\n")
        return file

    def _told(self) -> str:
        if _HELD.get(_identity(self._path)) == os.getpid():
            return (
                f"the library {self._path.parent} is being written by another handle in this process (pid {os.getpid()}); "
                "write through that one, or close it first"
            )
        holder, _ = self._holder()
        return (
            f"the library {self._path.parent} is being written by another process{f' (pid {holder})' if holder else ''}; "
            "wait for it to finish, or open the library for reading"
        )

    def _holder(self) -> tuple[str, bool]:
        """The id of the process that holds the lock, as far as it is noted, and whether it will give it back in a moment."""
        try:
            noted = self._note.read_text("ascii", "replace").strip()
        except OSError:
            noted = ""
        return noted.removesuffix(_PASSING), not noted or noted.endswith(_PASSING)


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:  # given back just now, where a lock is a file that is there
        return 0, 0
    return found.st_dev, found.st_ino
