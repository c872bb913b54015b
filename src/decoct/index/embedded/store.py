"""The embedded store: one folder, no server. SQLite is the one source of truth; two indexes are derived from it.

- `library.db` (SQLite, WAL): documents, chunks, vectors, names, settings, and the log of changes by sequence number;
- `lexical/` (tantivy) and `vectors/` (mapped rows, faiss above 20,000): derived, deletable, caught up from SQLite by sequence number;
- `write.lock`: held by the one writing process from its first write until it closes.

What is promised. A `put` or `delete` that returned is on the disk, whole; one that did not return left nothing. In the process that
wrote, the next search finds it. In other processes every look-up sees it at once, and searches find it as soon as the writer's
indexes caught up: at most `derived.DELAY` seconds later (at once if the writer refreshed, closed or died). A removed document is
never found, however far an index lags. When a search did not see the last state, the trace counts `store.lagging`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from decoct.data import Chunk, Document, Floats, Keys, Ranking, Span
from decoct.errors import StoreError
from decoct.index.base import DocumentInfo, Entry, Mask, Mentions, Named, Signatures, Status, Where
from decoct.index.embedded import names as numbers
from decoct.index.embedded import reading, writing
from decoct.index.embedded.database import Database
from decoct.index.embedded.derived import Derived
from decoct.index.embedded.lexical import DamagedIndexError
from decoct.index.embedded.lock import WriteLock
from decoct.index.embedded.opening import check_folder, check_settings

# Documents a page of a listing: short read transactions, so that a slow reader never holds back the write-ahead log.
PAGE = 500


class EmbeddedStore:
    """Implements `decoct.index.base.Store` in a folder; see the module's text. Thread-safe. Open it with `open`."""

    def __init__(self, folder: Path, database: Database, settings: Mapping[str, str]) -> None:
        self._folder = folder
        self._database = database
        self._settings = dict(settings)
        self._lock = WriteLock(folder / "write.lock")
        self._derived = Derived(folder, database, self._lock)

    @classmethod
    def open(
        cls, path: str | Path, *, settings: Mapping[str, str], create: bool = True, read_only: bool = False
    ) -> Self:
        """Open the library in the folder `path`, making one if there is none and `create` is set.

        `settings` is how it is (to be) built, such as the embedder's fingerprint: another value than the stored one raises
        `StaleIndexError` once there are documents; names that are not given are not compared. A folder that cannot be written is
        opened as with `read_only`. `StoreError` for a folder without a library, a damaged file or a newer schema.
        """
        folder = Path(path).expanduser()
        file = folder / "library.db"
        check_folder(folder, file, create=create and not read_only)
        database = Database(file, read_only=read_only or not os.access(folder, os.W_OK))
        try:
            with database.reading() as connection:
                check_settings(folder, connection, settings)
            return cls(folder, database, settings)
        except BaseException:
            database.close()
            raise

    @property
    def folder(self) -> Path:
        """The library's folder, in which what belongs to it may be kept beside it (as cards are)."""
        return self._folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add or replace the documents in one transaction; of two entries with one id the later stays.

        `StoreError` tells whether nothing was stored, or everything was and only a search index could not be written.
        """
        checked = writing.check(entries)
        if not checked:
            return
        self._begin_writing()
        with self._database.writing() as connection:
            check_settings(self._folder, connection, self._settings)
            writing.prune(connection, self._derived.seen())
            writing.put(connection, checked, self._settings)
        self._derived.wrote(sum(len(entry.chunks) for entry in checked))

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; return how many there were."""
        if not doc_ids:
            return 0
        self._begin_writing()
        with self._database.writing() as connection:
            gone = writing.delete(connection, doc_ids)
        if gone:
            self._derived.wrote(gone)
        return gone

    def refresh(self) -> None:
        """Let the derived indexes catch up now; beside a live writer, whose duty that is, load what it has."""
        self._derived.refresh()

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """The digests of those that are stored."""
        with self._database.reading() as connection:
            return reading.digests(connection, doc_ids)

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The ids of the documents whose digests begin so."""
        with self._database.reading() as connection:
            return reading.with_digests(connection, starts)

    def document(self, doc_id: str) -> Document:
        """The document, as it was put."""
        with self._database.reading() as connection:
            return reading.document(connection, doc_id)

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents in the order of their ids, read a page at a time."""
        after: str | None = None
        while True:
            with self._database.reading() as connection:
                page = reading.listing(connection, where or {}, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def text(self, span: Span) -> str:
        """The text at `span`, read without the rest of its document."""
        with self._database.reading() as connection:
            return reading.span_text(connection, span)

    def status(self) -> Status:
        """Counts, size and settings; `derived` gives the sequence number each index holds (-1: to be built)."""
        with self._database.reading() as connection:
            counts, settings = reading.counts(connection), reading.settings(connection)
        return Status(
            documents=counts["documents"],
            chunks=counts["chunks"],
            names=counts["names"],
            bytes=sum(_bytes(path) for path in self._folder.rglob("*")),
            settings=settings or self._settings,
            sequence=counts["sequence"],
            derived=self._derived.sequences(),
        )

    # -- chunks ---------------------------------------------------------------------------------------------------
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks that exist, in the order of `keys`."""
        with self._database.reading() as connection:
            return reading.chunks(connection, _integers(keys))

    def chunk_keys(self, doc_id: str) -> Keys:
        """A document's chunks in text order."""
        with self._database.reading() as connection:
            return reading.chunk_keys(connection, doc_id)

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors as stored (half precision), one row a key; from the vector files, or from SQLite what they lack."""
        wanted = np.asarray(keys, dtype=np.int64)
        view, now = self._derived.vectors.view(), self._database.sequence()
        if view is not None and view.manifest.sequence == now and view.manifest.dimension:
            return view.vectors(wanted)[0]
        with self._database.reading() as connection:
            return reading.vectors(connection, wanted.tolist())

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 by tantivy (see `lexical` for the formula); an index found damaged is built again."""
        try:
            return self._lexical(text, k, where or {})
        except DamagedIndexError:
            self._derived.rebuild_lexical()
            return self._lexical(text, k, where or {})

    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed."""
        return self._derived.lexical.languages(self._derived.lexical_view())

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Dot products with `vector`: exact up to 20,000 chunks, faiss candidates with exact scores above."""
        asked = np.asarray(vector, dtype=np.float32)
        view = self._derived.vector_view()
        if not view.manifest.rows:
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
        if asked.shape != (view.manifest.dimension,):
            raise StoreError(
                f"the library's vectors have {view.manifest.dimension} dimensions, the query's has shape {asked.shape}; "
                "use the embedder that the library was built with"
            )
        allowed = None
        if where:
            with self._database.reading() as connection:
                allowed = self._derived.vectors.allow(view, connection, where)
        return self._living(view.manifest.sequence, k, lambda fetch: view.search(asked, fetch, allowed))

    def _lexical(self, text: str, k: int, where: Where) -> Ranking:
        view = self._derived.lexical_view()
        return self._living(view.sequence, k, lambda fetch: self._derived.lexical.search(view, text, fetch, where))

    def _living(self, sequence: int, k: int, search: Callable[[int], Ranking]) -> Ranking:
        """The first `k` of `search`, without chunks removed since the index was at `sequence`."""
        fetch = k
        while True:
            found = search(fetch)
            if self._database.sequence() == sequence:
                return found
            with self._database.reading() as connection:
                alive = reading.existing(connection, found.keys.tolist())
            kept = [at for at, key in enumerate(found.keys.tolist()) if key in alive]
            if len(kept) >= k or len(found) < fetch:
                return Ranking(found.keys[kept[:k]], found.scores[kept[:k]])
            fetch *= 2

    # -- words and names ------------------------------------------------------------------------------------------
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """Document frequencies of the lexical index; chunks removed since its last merge still count."""
        return self._derived.lexical.frequencies(self._derived.lexical_view(), stems)

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """The bytes that came with each chunk."""
        with self._database.reading() as connection:
            return reading.traits(connection, _integers(keys))

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """The signatures, from the vector files, or from SQLite what they lack."""
        wanted = np.asarray(keys, dtype=np.int64)
        view, now = self._derived.vectors.view(), self._database.sequence()
        if view is not None and view.manifest.sequence == now and view.manifest.dimension:
            return view.signatures(wanted)
        with self._database.reading() as connection:
            return reading.signatures(connection, wanted.tolist())

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention each name."""
        with self._database.reading() as connection:
            return numbers.mentioned_in(connection, _integers(names), most, least)

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by each name."""
        with self._database.reading() as connection:
            return numbers.named(connection, _integers(names), most)

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """The range of keys of each chunk's document."""
        with self._database.reading() as connection:
            return reading.extents(connection, _integers(keys))

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Whether each chunk's document has the metadata."""
        with self._database.reading() as connection:
            owners = reading.owners(connection, _integers(keys))
            allowed: Mask = np.isin(owners, reading.numbers(connection, where)) if where else owners >= 0
        return allowed

    def close(self) -> None:
        """Let the indexes catch up if this store wrote, release files and connections, and give the lock back."""
        try:
            self._derived.close()
        finally:
            self._database.close()
            self._lock.give_back()

    def _begin_writing(self) -> None:
        if self._database.read_only:
            raise StoreError(
                f"the library {self._folder} is open for reading only; open it with write access to change it"
            )
        self._lock.keep()


def _integers(keys: Keys | Sequence[int]) -> list[int]:
    return keys.tolist() if isinstance(keys, np.ndarray) else [int(key) for key in keys]


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # the writer replaced it just now
        return 0
