"""A library as it was opened: its database, its lock and its derived indexes, and the searches that need more than one of them.

It belongs to one file. When the library is built anew, the store (`store`) opens what lies there then and lets this one go.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from decoct import trace
from decoct.data import Floats, Keys, Range, Ranking
from decoct.errors import StoreBusyError, StoreError
from decoct.index.base import Where
from decoct.index.embedded import changes, reading, waiting
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.changes import Change
from decoct.index.embedded.database import Database
from decoct.index.embedded.derived import Derived
from decoct.index.embedded.lexical import LexicalIndex, LexicalView
from decoct.index.embedded.lock import WriteLock
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.reading import Texts, resolved
from decoct.index.embedded.vectors import MOST_FILTERS
from decoct.index.embedded.waiting import Statistics, WaitingWords, near
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems


@dataclass(frozen=True, slots=True)
class CurrentWords:
    """One state of an index (None: there is none yet), and what waits beside it."""

    index: LexicalIndex
    view: LexicalView | None
    waiting: Sequence[WaitingWords] = ()

    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed; English where there are none."""
        if self.view is not None and not self.waiting:
            return self.index.languages(self.view)
        known = {one.language if one.language in STEMMERS else UNSTEMMED for one in self.waiting}
        if self.view is not None and self.view.chunks:
            known.update(self.index.languages(self.view))
        return tuple(code for code in (*STEMMERS, UNSTEMMED) if code in known) or ENGLISH

    def statistics(self, stems: Sequence[str]) -> Statistics:
        """What BM25 reckons with in the index."""
        return self.index.statistics(self.view, stems) if self.view is not None else Statistics(0, {}, None)

    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks each stem stands, and the number of all; removed ones count until the index is merged."""
        found, every = np.zeros(len(stems), np.int64), 0
        if self.view is not None:
            found, every = self.index.frequencies(self.view, stems)
        counts = [chunk for one in self.waiting for chunk in one.counts]
        if counts:
            found = found + np.array([sum(stem in chunk for chunk in counts) for stem in stems], np.int64)
        return found, every + len(counts)

    def near_words(self, stem: str, edits: int, k: int) -> Keys:
        """The keys of at most `k` chunks with a stem at most `edits` from this one; the lowest keys."""
        found = self.index.near_words(self.view, stem, edits, k) if self.view is not None else np.empty(0, np.int64)
        waiting = np.array(near(self.waiting, stem, edits), np.int64)
        return np.sort(np.concatenate([found, waiting]))[:k]


# Seconds to wait for an index that another process is building, of a library that is too large to be searched without.
PATIENCE = 10.0
_LOOK = 0.05  # seconds between two looks whether it is there
_MOVED = 3  # times that a view is taken again which the log of changes does not reach back to

V = TypeVar("V", LexicalView, VectorView)
R = TypeVar("R")


class Opened:
    """One opened library file. Thread-safe."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.database = database
        self.lock = WriteLock(folder / "write.lock")
        with database.reading() as connection:
            self.name, self.generation = changes.identity(connection)
        self.derived = Derived(folder, database, self.lock)
        self._words = waiting.Kept(waiting.words_of)
        self._vectors = waiting.Kept(waiting.vectors_of)
        self._ranges: dict[tuple[int, tuple[tuple[str, tuple[str | Range, ...]], ...]], Texts] = {}

    @property
    def words(self) -> CurrentWords:
        """The words of the library as it is now."""
        view, index = self.derived.lexical_view(), self.derived.lexical
        if view is not None and view.sequence == self.database.sequence():
            return CurrentWords(index, view)
        with self.database.reading() as connection:
            added = _waiting(connection, view)
            return CurrentWords(index, view, self._words.of(connection, added) if added is not None else ())

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where) -> Ranking:
        """BM25 by tantivy; an index found damaged while it is searched is built again."""
        try:
            return self._lexical(text, k, where)
        except DamagedIndexError:
            self.derived.rebuild_lexical()
            return self._lexical(text, k, where)

    def nearest(self, vector: Floats, k: int, where: Where) -> Ranking:
        """Dot products with `vector`."""

        def search(view: VectorView, fetch: int) -> Ranking:
            if not view.manifest.rows:
                return _NOTHING
            _check_dimension(vector, view.manifest.dimension)
            allowed = None
            if where:
                texts = self.texts(where)
                with self.database.reading() as connection:
                    allowed = self.derived.vectors.allow(view, connection, texts)
            return view.search(vector, fetch, allowed)

        def beside(connection: sqlite3.Connection, _: VectorView | None, added: Sequence[Change]) -> Ranking:
            found = self._vectors.of(connection, added)
            if found:
                _check_dimension(vector, found[0].rows.shape[1])
            return waiting.by_vectors(found, vector, where)

        return self._of_now(self.derived.vector_view, k, search, beside)

    def texts(self, where: Where) -> Texts:
        """`where` as the texts that pass; ranges are remembered, since a question asks for its filter several times."""
        if not where:
            return {}
        with self.database.reading() as connection:
            if not any(isinstance(one, Range) for allowed in where.values() for one in allowed):
                return resolved(connection, where)
            name = (reading.number_of(connection, "sequence"), tuple(sorted(where.items())))
            if (found := self._ranges.get(name)) is None:
                while len(self._ranges) >= MOST_FILTERS:
                    self._ranges.pop(next(iter(self._ranges)), None)
                found = self._ranges[name] = resolved(connection, where)
            return found

    def of_chunks(
        self,
        keys: Keys | Sequence[int],
        in_files: Callable[[VectorView, Keys], R],
        in_rows: Callable[[sqlite3.Connection, Sequence[int]], R],
    ) -> R:
        """What is kept of each chunk: in the vector files where they are at the last committed change, else in SQLite."""
        asked = np.asarray(keys, dtype=np.int64)
        view, now = self.derived.vectors.view(), self.database.sequence()
        if view is not None and view.manifest.sequence == now and view.manifest.dimension:
            return in_files(view, asked)
        with self.database.reading() as connection:
            return in_rows(connection, asked.tolist())

    def close(self) -> None:
        """Let the indexes catch up if this wrote, release files and connections, and give the lock back."""
        try:
            self.derived.close()
        finally:
            self.database.close()
            self.lock.give_back()

    def drop(self) -> None:
        """Release everything without a word to the files, which are another library's now."""
        try:
            self.derived.drop()
        finally:
            self.database.retire()
            self.lock.give_back()

    # -- inside ----------------------------------------------------------------------------------------------------
    def _lexical(self, text: str, k: int, where: Where) -> Ranking:
        index, texts = self.derived.lexical, self.texts(where)

        def search(view: LexicalView, fetch: int) -> Ranking:
            return index.search(view, text, fetch, texts)

        def beside(connection: sqlite3.Connection, view: LexicalView | None, added: Sequence[Change]) -> Ranking:
            words = CurrentWords(index, view, self._words.of(connection, added))
            asked = stems(text, words.languages())
            return waiting.by_words(words.waiting, asked, words.statistics(asked), where)

        return self._of_now(self.derived.lexical_view, k, search, beside)

    def _of_now(
        self,
        view_of: Callable[[], V | None],
        k: int,
        search: Callable[[V, int], Ranking],
        beside: Callable[[sqlite3.Connection, V | None, Sequence[Change]], Ranking],
    ) -> Ranking:
        """The best `k` of one committed state: of the index, without what was removed since, and of what waits `beside` it.

        `search` asks an index for so many. `StoreBusyError` where another process builds the index of a large library for too long.
        """
        until, moved = time.monotonic() + PATIENCE, 0
        while True:
            view = view_of()
            found = self._state(view, k, search, beside, all_of_it=moved >= _MOVED)
            if found is not None:
                return found
            if view is not None:
                moved += 1
            elif time.monotonic() > until:
                if self.database.read_only:
                    raise StoreError(
                        "the library's search index is missing and cannot be built read-only; open it once with write access"
                    )
                raise StoreBusyError(
                    "the library's search index is being built by another process; try again when it has finished"
                )
            time.sleep(_LOOK)

    def _state(
        self,
        view: V | None,
        k: int,
        search: Callable[[V, int], Ranking],
        beside: Callable[[sqlite3.Connection, V | None, Sequence[Change]], Ranking],
        *,
        all_of_it: bool,
    ) -> Ranking | None:
        """See `_of_now`; None where too much waits beside `view`, unless it must do as it is (`all_of_it`)."""
        fetch = k
        while True:
            found = search(view, fetch) if view is not None else _NOTHING
            if view is not None and self.database.sequence() == view.sequence:
                return found
            with self.database.reading() as connection:
                added = _waiting(connection, view)
                if added is None and not all_of_it:
                    return None
                alive = reading.existing(connection, found.keys.tolist())
                fresh = beside(connection, view, added or ())
            if added is None:
                trace.fallback("store.lagging")  # what was written last may be missing
            kept = [at for at, key in enumerate(found.keys.tolist()) if key in alive]
            if len(kept) >= k or len(found) < fetch:
                return waiting.best(Ranking(found.keys[kept], found.scores[kept]), fresh, k)
            fetch *= 2


_NOTHING = Ranking(np.empty(0, np.int64), np.empty(0, np.float32))


def _waiting(connection: sqlite3.Connection, view: LexicalView | VectorView | None) -> tuple[Change, ...] | None:
    """The documents that `view` lacks of what `connection` sees; None where they are too many, or the log does not reach back to it."""
    todo = changes.changes_since(connection, view.sequence if view is not None else None)
    if (view is not None and todo.afresh) or sum(one.chunks for one in todo.added) > waiting.MOST:
        return None
    return todo.added


def _check_dimension(vector: Floats, dimension: int) -> None:
    if vector.shape != (dimension,):
        raise StoreError(
            f"the library's vectors have {dimension} dimensions, the query's has shape {vector.shape}; "
            "use the embedder that the library was built with"
        )
