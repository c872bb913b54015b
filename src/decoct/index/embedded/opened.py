"""A library as it was opened: its database, its lock and its derived indexes, and the searches that need more than one of them.

It belongs to one file. When the library is built anew, the store (`store`) opens what lies there then and lets this one go.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from decoct.data import Floats, Keys, Range, Ranking
from decoct.errors import StoreError
from decoct.index.base import Signatures, Where
from decoct.index.embedded import changes, reading
from decoct.index.embedded.border import DamagedIndexError
from decoct.index.embedded.database import Database
from decoct.index.embedded.derived import Derived
from decoct.index.embedded.filtering import Texts, resolved
from decoct.index.embedded.lexical import CurrentWords
from decoct.index.embedded.lock import WriteLock
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.vectors import MOST_FILTERS


class Opened:
    """One opened library file. Thread-safe."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.database = database
        self.lock = WriteLock(folder / "write.lock")
        with database.reading() as connection:
            self.name, self.generation = changes.identity(connection)
        self.derived = Derived(folder, database, self.lock)
        self._ranges: dict[tuple[int, tuple[tuple[str, tuple[str | Range, ...]], ...]], Texts] = {}

    @property
    def words(self) -> CurrentWords:
        """The words of the lexical index as it is now."""
        return CurrentWords(self.derived.lexical, self.derived.lexical_view())

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
        view = self.derived.vector_view()
        if not view.manifest.rows:
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
        if vector.shape != (view.manifest.dimension,):
            raise StoreError(
                f"the library's vectors have {view.manifest.dimension} dimensions, the query's has shape {vector.shape}; "
                "use the embedder that the library was built with"
            )
        allowed = None
        if where:
            texts = self.texts(where)
            with self.database.reading() as connection:
                allowed = self.derived.vectors.allow(view, connection, texts)
        return self._living(view.manifest.sequence, k, lambda fetch: view.search(vector, fetch, allowed))

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

    def vectors(self, keys: Keys) -> Floats:
        """The vectors as stored, one row a key; from the vector files, or from SQLite what they lack."""
        if (view := self._current()) is not None:
            return view.vectors(keys)[0]
        with self.database.reading() as connection:
            return reading.vectors(connection, keys.tolist())

    def signatures(self, keys: Keys) -> Signatures:
        """The signatures, from the vector files, or from SQLite what they lack."""
        if (view := self._current()) is not None:
            return view.signatures(keys)
        with self.database.reading() as connection:
            return reading.signatures(connection, keys.tolist())

    def traits(self, keys: Keys) -> list[bytes]:
        """The traits, from the files beside the vectors, or from SQLite what they lack."""
        view = self._current()
        if view is not None and (found := view.traits(keys)) is not None:
            return found
        with self.database.reading() as connection:
            return reading.traits(connection, keys.tolist())

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
    def _current(self) -> VectorView | None:
        """The vectors, where they are loaded and at the last committed change."""
        view, now = self.derived.vectors.view(), self.database.sequence()
        return view if view is not None and view.manifest.sequence == now and view.manifest.dimension else None

    def _lexical(self, text: str, k: int, where: Where) -> Ranking:
        view, texts = self.derived.lexical_view(), self.texts(where)
        return self._living(view.sequence, k, lambda fetch: self.derived.lexical.search(view, text, fetch, texts))

    def _living(self, sequence: int, k: int, search: Callable[[int], Ranking]) -> Ranking:
        """The first `k` of `search`, without chunks removed since the index was at `sequence`."""
        fetch = k
        while True:
            found = search(fetch)
            if self.database.sequence() == sequence:
                return found
            with self.database.reading() as connection:
                alive = reading.existing(connection, found.keys.tolist())
            kept = [at for at, key in enumerate(found.keys.tolist()) if key in alive]
            if len(kept) >= k or len(found) < fetch:
                return Ranking(found.keys[kept[:k]], found.scores[kept[:k]])
            fetch *= 2
