"""The vector index of a library: the files (`rows`), the view that searches work on (`nearest`), and catching up with SQLite."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from decoct import trace
from decoct.errors import StoreError
from decoct.index.base import Where
from decoct.index.embedded import changes, ivf, nearest, reading
from decoct.index.embedded.nearest import Allowed, VectorView
from decoct.index.embedded.rows import Manifest, RowFiles

# Filters whose rows are remembered a view: a filter of many documents costs milliseconds to work out, a mask one byte a row.
MOST_FILTERS = 8

# A reader that opens files while a writer replaces them looks again; what fails this often is damaged.
ATTEMPTS = 3


class VectorIndex:
    """Reading is thread-safe; `catch_up` is for the holder of the library's lock."""

    def __init__(self, folder: Path, library: str) -> None:
        self._files = RowFiles(folder, library)
        self._view: VectorView | None = None
        self._guard = threading.Lock()

    def view(self) -> VectorView | None:
        """The vectors as last loaded."""
        return self._view

    def load(self, *, exact: bool = False) -> VectorView | None:
        """Load what is on disk now; None if there is nothing usable.

        A view stays while a writer replaces the files it came from; not if `exact`, for the writer.
        """
        with self._guard:
            for _ in range(ATTEMPTS):
                manifest = self._files.manifest()
                if manifest is None:
                    self._view = None
                elif self._view is None or self._view.manifest != manifest:
                    try:
                        self._view = self._open(manifest, self._view)
                    except (OSError, ValueError):
                        continue
                return self._view
            if exact:
                self._view = None
            return self._view

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        manifest = self._files.manifest()
        return self._files.damaged(manifest, None) if manifest is not None else []

    def discard(self) -> None:
        """Forget the view and let its files go: it is not wanted any more, or the library does not hold what it says."""
        self._view = None

    def allow(self, view: VectorView, connection: sqlite3.Connection, where: Where) -> Allowed:
        """The rows of `view` that pass `where`."""
        name = tuple(sorted(where.items()))
        found = view.filters.get(name)
        if found is None:
            found = view.allow(reading.key_ranges(connection, where))
            while len(view.filters) >= MOST_FILTERS:
                view.filters.pop(next(iter(view.filters)), None)
            # A lagging view may lack documents that a later one has, so the mask is only good for this view.
            view.filters[name] = found
        return found

    def catch_up(self, connection: sqlite3.Connection, *, resting: bool) -> bool:
        """Bring the files to the state that `connection` sees; True if they had to be built from nothing.

        `resting`: index what waits, since nothing more comes for now.
        """
        view = self.load(exact=True)
        base = view.manifest if view is not None else None
        if view is not None and view.manifest.sequence == reading.number_of(connection, "sequence"):
            base = base if view.tally() == reading.tally(connection) else None
        lacking = view is not None and base is not None and view.lacks_index
        if base is not None and lacking:
            trace.fallback("store.vector_index_rebuilt")
            base = replace(base, indexed=0, trained=0, index_bytes=0)
        todo = changes.changes_since(connection, base.sequence if base is not None else None)
        current = base is not None and not todo.afresh and base.sequence == todo.sequence
        if base is not None and current and not (lacking or ivf.is_index_due(base.rows, base.indexed, resting=resting)):
            return False
        removed = (key for one in todo.removed for key in range(one.first_key, one.first_key + one.chunks))
        parts = ((one.first_key, one.first_key + one.chunks) for one in todo.added)
        added = (row for part in parts for row in changes.stored_rows(connection, *part))
        self._files.extend(None if todo.afresh else base, todo.sequence, removed, added, resting=resting)
        self.load()
        return todo.afresh

    def _open(self, manifest: Manifest, before: VectorView | None) -> VectorView:
        if wrong := self._files.damaged(manifest, before.manifest if before is not None else None):
            raise ValueError(f"damaged: {', '.join(wrong)}")
        rows, keys, dead = self._files.rows(manifest), self._files.keys(manifest), self._files.dead(manifest)
        if len(keys) < manifest.rows or len(dead) < manifest.dead:
            raise ValueError("the vector files are shorter than their manifest says")
        living = ~np.isin(keys, dead) if len(dead) else None
        index = self._index(manifest, before)
        same = before if before is not None and before.manifest.generation == manifest.generation else None
        kept = nearest.copies(rows, index.rows if index is not None else 0, same)
        bits = np.packbits(living, bitorder="little") if living is not None else None
        marks, traits = self._files.marks(manifest), self._files.traits(manifest)
        return VectorView(manifest, keys, rows, marks, traits, living, index, kept, bits)

    def _index(self, manifest: Manifest, before: VectorView | None) -> ivf.Ivf | None:
        if not manifest.indexed:
            return None
        if before is not None and before.ivf is not None:
            old = before.manifest
            if (old.generation, old.indexed, old.trained) == (manifest.generation, manifest.indexed, manifest.trained):
                return before.ivf
        with suppress(OSError, ValueError, StoreError):
            if self._files.index_is_whole(manifest):
                return ivf.load(self._files.index(manifest), manifest.indexed)
        trace.fallback("store.vector_index_damaged")  # every row is searched exactly until the file is built again
        return None
