"""Keeping the derived indexes with SQLite: who brings them up to date, and when.

Whoever holds the library's lock may write them. A store that has written keeps the lock and is in charge: it catches up when
`PENDING` chunks wait, `DELAY` seconds after a write, before it searches, and when it is closed. When nothing has been written for `DELAY`
seconds it gives the lock back, unless a session (an ingest) holds it. A store that only reads catches up itself when an index lags and
the lock is free (a writer died); beside a live writer it searches what there is.

An index is proved when it is loaded: its files by their checksums, and that it holds as many chunks (for vectors also the same) as SQLite
does at that moment. One that fails, or is lost, is built again from SQLite, which is said in the trace and the log. Where it cannot be
brought up to date, as on a full disk, searches go on with the last one.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import cast

from decoct import trace
from decoct.errors import StaleIndexError, StoreBusyError, StoreError
from decoct.index.embedded import changes, reading
from decoct.index.embedded.database import Database
from decoct.index.embedded.lexical import LexicalIndex, LexicalView
from decoct.index.embedded.lock import WriteLock
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.vectors import VectorIndex

# A commit of tantivy costs some 90 ms of waiting for the disk however few chunks it holds: with 4,096 it is 0.02 ms a chunk.
PENDING = 4096

# Seconds after a write in which other processes may not find it yet, and after which they may write.
DELAY = 2.0

# Seconds before a search tries again what failed: a full disk stays full for a while.
PAUSE = 5.0

_log = logging.getLogger(__name__)


class Derived:
    """Both derived indexes of one library. Thread-safe."""

    def __init__(self, folder: Path, database: Database, lock: WriteLock) -> None:
        self._database = database
        self._lock = lock
        with database.reading() as connection:
            library = changes.library(connection)
        self._folders = folder / "lexical", folder / "vectors"
        self.lexical = LexicalIndex(self._folders[0], library)
        self.vectors = VectorIndex(self._folders[1], library)
        self._guard = threading.RLock()
        self._pending = 0
        self._timer: threading.Timer | None = None
        self._wrote = 0.0
        self._failed = -PAUSE

    def lexical_view(self) -> LexicalView | None:
        """The lexical index at the last committed change, or as near as this process can bring it; None where another builds it."""
        return cast("LexicalView | None", self._view_of(self.lexical))

    def vector_view(self) -> VectorView | None:
        """The vectors at the last committed change, or as near as this process can bring them; None where another builds them."""
        return cast("VectorView | None", self._view_of(self.vectors))

    def sequences(self) -> dict[str, int]:
        """The sequence number of each index on disk; -1 for one that must be built, because it is lost or damaged."""
        views = {"lexical": self._proved(self.lexical), "vectors": self._proved(self.vectors)}
        return {name: view.sequence if view is not None else -1 for name, view in views.items()}

    def seen(self) -> int:
        """A sequence number that both indexes are known to hold on disk."""
        lexical, vectors = self.lexical.view(), self.vectors.view()
        return 0 if lexical is None or vectors is None else min(lexical.sequence, vectors.sequence)

    def refresh(self) -> None:
        """Catch up if this process may write, index the vectors that wait for it, and load what is there."""
        if not self.catch_up(resting=True):
            self.sequences()

    def wrote(self, chunks: int) -> None:
        """Note that this store, which holds the lock, committed a change of so many chunks: keep it, catch up now or soon."""
        with self._guard:
            self._lock.keep()
            self._wrote = time.monotonic()
            self._pending += max(chunks, 1)
            new = self.lexical.view() is None and self.lexical.load() is None
            full = new or self._pending >= PENDING  # a library is searchable from its first documents on
            self._start_timer()
        if full:
            self.catch_up(first=True)

    def catch_up(self, *, resting: bool = False, first: bool = False, clear: bool = False) -> bool:
        """Bring both indexes to the last committed change; False if another process holds the lock, or this one may only read.

        What had to be built from nothing is told, but not the indexes of a library's first documents (`first`) or of a backup, which holds
        neither. `clear`: the lexical index is damaged, and built again.
        """
        if self._database.read_only:
            return False
        with self._guard:
            try:
                self._lock.acquire(passing=True)
            except StoreBusyError:
                return False
            try:
                if clear:
                    self._database.sequence()  # that it is still this library's folder
                    self.lexical.clear()
                restored = not any(one.exists() for one in self._folders)
                # With the lock held nobody can build the library anew: what is written goes beside the file that is read.
                with self._database.reading() as connection:
                    built = {
                        "lexical": self.lexical.catch_up(connection, keep_writer=self._lock.kept),
                        "vectors": self.vectors.catch_up(connection, resting=resting),
                    }
                    first = first and reading.number_of(connection, "sequence") == 1
                    empty = not reading.tally(connection)[0]
                self._pending = 0
                for name in (name for name, afresh in built.items() if afresh and not (first or restored or empty)):
                    _tell_rebuilt(name)
            finally:
                self._lock.release()
        return True

    def rebuild_lexical(self) -> LexicalView | None:
        """Build a damaged lexical index again; None if this process cannot."""
        trace.fallback("store.lexical_rebuilt")
        return self.lexical.load() if self.catch_up(clear=True) else None

    def close(self) -> None:
        """Catch up if this store is in charge, and release everything."""
        with self._guard:
            self._stop_timer()
            try:
                if self._lock.kept or self._pending:
                    self.catch_up(resting=True)
            finally:
                self.drop()

    def drop(self) -> None:
        """Release everything, and leave the files alone."""
        with self._guard:
            self._stop_timer()
            self.lexical.close()
            self.vectors.discard()

    # -- inside ----------------------------------------------------------------------------------------------------
    def _view_of(self, index: LexicalIndex | VectorIndex) -> LexicalView | VectorView | None:
        now, view = self._database.sequence(), index.view()
        # Where nothing was ever put: whoever is about to must not find the lock taken for an empty index.
        if not now or (view is not None and view.sequence >= now):
            return view
        view = self._proved(index)
        if view is not None and view.sequence >= now:
            return index.view() or view if view.lacks_index and self._tried() else view
        self._tried(must=index.view() is None)
        return index.view()

    def _proved(self, index: LexicalIndex | VectorIndex) -> LexicalView | VectorView | None:
        """What is on disk, where SQLite holds the same; what is behind is proved when it has caught up."""
        view = index.load()
        if view is None:
            return None
        with self._database.reading() as connection:
            now, held = reading.number_of(connection, "sequence"), view.tally()
            if view.sequence < now or (view.sequence == now and held == reading.tally(connection)[: len(held)]):
                return view
        index.discard()
        return None

    def _tried(self, *, must: bool = False) -> bool:
        """Catch up; if that fails and there is something to search, go on with it."""
        if not must and time.monotonic() < self._failed + PAUSE:
            return False
        try:
            return self.catch_up()
        except StoreError as error:
            if must or isinstance(error, StaleIndexError):
                raise
            self._failed = time.monotonic()
            trace.fallback("store.catch_up_failed")
            _log.warning("the search indexes could not catch up; searches go on with the last ones: %s", error)
            return False

    def _later(self) -> None:
        """The timer's: catch up if anything waits, and give the lock back where nothing was written for a while."""
        with self._guard:
            if self._timer is None:  # closed in the meantime
                return
            self._timer = None
            try:
                if self._pending:
                    self.catch_up()
            except StoreError as error:
                _log.warning("the search indexes could not catch up; the next search tries again: %s", error)
            if time.monotonic() < self._wrote + DELAY:
                self._start_timer()
                return
            try:
                self.lexical.release()  # its writer has a lock of its own
            except StoreError as error:
                _log.warning("%s", error)
            self._lock.give_back()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(DELAY, self._later)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _tell_rebuilt(index: str) -> None:
    trace.fallback(f"store.{index}_rebuilt")
    _log.warning("the %s index was missing, damaged or of another state than the library; it was built again", index)
