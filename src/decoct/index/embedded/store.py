"""The embedded store: one folder, no server. SQLite is the one source of truth; two indexes are derived from it.

- `library.db` (SQLite, WAL): documents, chunks, vectors, names, settings, and the log of changes by sequence number;
- `lexical/` (tantivy) and `vectors/` (mapped rows, faiss above 20,000): derived, deletable, caught up from SQLite by sequence number;
- `write.lock`: held by the one writing process from its first write until it closes, or has written nothing for `derived.DELAY`.

What is promised. A `put` or `delete` that returned is on the disk, whole; one that did not return left nothing. In every process the next
look-up and the next search see it: what the indexes do not hold yet is searched beside them (`waiting`; the trace counts `store.lagging`
where that is too much). A removed document is never found.

When the library is built anew (`decoct.rebuild`), a store that was open goes on with the new one (none of the old keys is in it), if it was
built with the same settings; else, or if another library lies there, whatever it is asked raises `StaleIndexError`.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import numpy as np

from decoct.data import Chunk, Floats, Keys, Ranking
from decoct.errors import StoreError
from decoct.index.abilities import Checked, StoreState
from decoct.index.base import DocumentInfo, Entry, Mask, Signatures, Status, Where
from decoct.index.embedded import names as numbers
from decoct.index.embedded import opening, reading, writing
from decoct.index.embedded.files import size_of
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.opened import Opened
from decoct.index.embedded.opening import (
    begin_successor,
    check_folder,
    check_settings,
    of_one_library,
    opened,
    successor,
    surviving,
)
from decoct.index.embedded.verify import verified
from decoct.index.one_state import noted
from decoct.index.resolve import folder_of

PAGE = 500  # documents a page of a listing: short read transactions, so that a slow reader never holds back the write-ahead log


P = ParamSpec("P")
R = TypeVar("R")


def _read(find: Callable[Concatenate[sqlite3.Connection, P], R]) -> Callable[Concatenate[EmbeddedStore, P], R]:
    """A method that asks SQLite, in one read transaction of the library that lies there now, what `find` tells."""

    @surviving
    @wraps(find)
    def ask(self: EmbeddedStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._opened.database.reading() as connection:
            return find(connection, *args, **kwargs)

    return ask


class EmbeddedStore:
    """Implements `decoct.index.base.Store` and every ability in a folder; see the module's text. Thread-safe. Open it with `open`."""

    def __init__(self, folder: Path, opened: Opened, settings: Mapping[str, str]) -> None:
        self._folder = folder
        self._settings = dict(settings)
        self._opened = opened
        self._reopening = threading.Lock()

    @classmethod
    def open(
        cls, path: str | Path, *, settings: Mapping[str, str], create: bool = True, read_only: bool = False
    ) -> Self:
        """The library in the folder `path`; see `Backend.open` for `settings` and `create`.

        A folder that cannot be written is opened as with `read_only`. `StoreError` for a newer schema, `DamagedStoreError` for damage.
        """
        folder = Path(path).expanduser().absolute()

        def look() -> Opened:
            check_folder(folder, create=create and not read_only)
            return opened(folder, settings, read_only=read_only)

        return cls(folder, of_one_library(look), settings)

    def companion(self, name: str) -> str:
        """A folder of that name in the library's own."""
        return str(self._folder / name)

    @property
    def replaced(self) -> bool:
        """Whether another file lies at the library's path than the one that is open."""
        return self._opened.database.replaced

    def begin_successor(self) -> Path:
        """Make, or go on with, the empty library beside this one that shall take its place (`replacing`); where it is."""
        with self._opened.database.reading() as connection:
            last = [writing.last(connection, table) for table in ("chunks", "documents")]
        begin_successor(self._folder, self._opened.name, self._opened.generation, *last)
        return opening.successor_folder(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @surviving
    def put(self, entries: Sequence[Entry]) -> None:
        """Add or replace the documents in one transaction; of two entries with one id the later stays.

        `StoreError` tells whether nothing was stored, or everything was and only a search index could not be written.
        """
        if not (checked := writing.check(entries)):
            return
        here = self._writable()
        with here.lock.held():
            with here.database.writing() as connection:
                check_settings(self._folder, connection, self._settings)
                writing.prune(connection, here.derived.seen())
                writing.put(connection, checked, self._settings)
            here.derived.wrote(sum(len(entry.chunks) for entry in checked))

    @surviving
    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; return how many there were."""
        if not doc_ids:
            return 0
        here = self._writable()
        with here.lock.held():
            with here.database.writing() as connection:
                gone = writing.delete(connection, doc_ids)
            if gone:
                here.derived.wrote(gone)
        return gone

    @surviving
    def session(self) -> AbstractContextManager[object]:
        """Writes that belong together: the lock is held from now to the end, however long nothing is written."""
        with ExitStack() as held:
            here = self._writable()
            held.enter_context(here.lock.held())
            here.database.sequence()  # that it is still this library's folder: with the lock held nobody can build it anew
            return held.pop_all()

    @surviving
    def refresh(self) -> None:
        """Let the derived indexes catch up now; beside a live writer, whose duty that is, load what it has."""
        self._opened.derived.refresh()

    # -- documents ------------------------------------------------------------------------------------------------
    digests = _read(reading.digests)
    with_digests = _read(reading.with_digests)
    document = _read(reading.document)
    entries = _read(reading.entries)
    metadata_keys = _read(reading.metadata_keys)
    text = _read(reading.span_text)
    _listing = _read(reading.listing)

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents in the order of their ids, read a page at a time."""
        after: str | None = None
        while True:
            page = self._listing(where or {}, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    @surviving
    def state(self) -> StoreState:
        """The name and generation of the library that is open, and its last committed change."""
        here = self._opened
        return StoreState(here.name, here.generation, here.database.sequence())

    @surviving
    def status(self) -> Status:
        """Counts, size and settings; `derived` gives the sequence number each index holds (-1: to be built)."""
        here = self._opened
        with here.database.reading() as connection:
            counts, settings = reading.counts(connection), reading.settings(connection)
        return Status(
            **counts,
            bytes=size_of(self._folder),
            settings=settings or self._settings,
            derived=here.derived.sequences(),
            library=here.name,
        )

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Checked]:
        """Compute every digest again, and compare the derived indexes with SQLite (`verify`); nothing is mended."""
        return verified(self._folder, progress)

    # -- chunks ---------------------------------------------------------------------------------------------------
    @surviving
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks that exist, in the order of `keys`."""
        with self._opened.database.reading() as connection:
            return noted(keys, reading.chunks(connection, reading.integers(keys)))

    chunk_keys = _read(reading.chunk_keys)
    places = _read(reading.places)
    extents = _read(reading.extents)

    @surviving
    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors as stored (half precision), one row a key."""
        return self._opened.of_chunks(keys, VectorView.vectors, reading.vectors)

    # -- searching: words, vectors, names ---------------------------------------------------------------------------
    @surviving
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 by tantivy (see `lexical` for the formula); an index found damaged is built again."""
        return self._opened.lexical(text, k, where or {})

    @surviving
    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed."""
        return self._opened.words.languages()

    @surviving
    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Dot products with `vector`: exact up to 20,000 chunks, faiss candidates with exact scores above."""
        return self._opened.nearest(np.asarray(vector, dtype=np.float32), k, where or {})

    @surviving
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """Document frequencies of the lexical index; chunks removed since its last merge still count."""
        return self._opened.words.frequencies(stems)

    @surviving
    def near_words(self, stem: str, edits: int, k: int) -> Keys:
        """Chunks with a stem near to this one, by tantivy's fuzzy query."""
        return self._opened.words.near_words(stem, edits, k)

    @surviving
    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """The bytes that came with each chunk."""
        return self._opened.of_chunks(keys, VectorView.traits, reading.traits)

    @surviving
    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """The signatures, one row a key."""
        return self._opened.of_chunks(keys, VectorView.signatures, reading.signatures)

    mentioned_in = _read(numbers.mentioned_in)
    named = _read(numbers.chunks_known_by)

    @surviving
    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Whether each chunk's document has the metadata."""
        texts = self._opened.texts(where)
        with self._opened.database.reading() as connection:
            owners = reading.owners(connection, keys)
            return np.isin(owners, reading.numbers(connection, texts)) if where else owners >= 0

    def close(self) -> None:
        """Let the indexes catch up if this store wrote, release files and connections, and give the lock back."""
        (self._opened.drop if self.replaced else self._opened.close)()

    def _writable(self) -> Opened:
        if self._opened.database.read_only:
            raise StoreError(f"the library {self._folder} is open for reading only; open it with write access")
        return self._opened

    def reopen(self) -> None:
        """Go on with the library that lies at the path now; `StaleIndexError` where it cannot stand for the one that was opened."""
        with self._reopening:
            old = self._opened
            if old.database.replaced:  # else another thread was faster
                self._opened = successor(old, self._folder, self._settings)
                old.drop()


@dataclass(frozen=True, slots=True)
class Embedded:
    """Implements `decoct.index.base.Backend`."""

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> EmbeddedStore:
        """See `EmbeddedStore.open`."""
        return EmbeddedStore.open(folder_of(location, "this"), settings=settings, create=create)

    def stored_settings(self, location: str) -> dict[str, str] | None:
        """Those in its database."""
        return opening.stored_settings(folder_of(location, "this"))

    def remove(self, location: str) -> None:
        """The folder and everything in it, if it holds a library."""
        folder = folder_of(location, "this")
        if (folder / opening.FILE).is_file():
            shutil.rmtree(folder)
