"""The PostgreSQL store: everything of a library in one schema of one database.

A `put` or `delete` is one transaction: it is there whole or not at all, whatever dies in its middle. Any number of processes write at once;
two that replace one document at the same moment do it one after the other. Every look-up sees one committed state, and a commit is seen by
the next look-up of every process: no index lags, since PostgreSQL keeps them all in the transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from decoct import trace
from decoct.data import Chunk, Document, Floats, Keys, Ranking, Span
from decoct.index.abilities import Checked, Mentions, Named, StoreState
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Mask, Signatures, Status, Where
from decoct.index.embedded.writing import check
from decoct.index.entries import digest_of
from decoct.index.one_state import noted
from decoct_postgresql import names as numbers
from decoct_postgresql import nearest, opening, postings, reading, words, writing
from decoct_postgresql.connections import Connections
from decoct_postgresql.filtering import metadata_keys, resolved

if TYPE_CHECKING:
    import psycopg

R = TypeVar("R")
PAGE = 500  # documents a page of a listing


class PostgreSQLStore:
    """Implements `decoct.index.base.Store` and most abilities on a server; see the module's text. Thread-safe. Open it with `open`."""

    def __init__(self, connections: Connections, settings: Mapping[str, str]) -> None:
        self._connections = connections
        self._settings = dict(settings)

    @classmethod
    def open(cls, location: str, *, settings: Mapping[str, str], create: bool = True) -> Self:
        """Open the library at `location` (`postgresql.location`), making one if there is none and `create` is set.

        `settings` is how it is (to be) built: another value than the stored one raises `StaleIndexError` once there are documents; names
        that are not given are not compared. `StoreUnavailableError` where the server cannot be reached, `StoreError` for what it refuses.
        """
        connections = opening.connected(location)
        try:
            opening.prepare(connections, create=create)

            def fits(connection: psycopg.Connection[Any]) -> None:
                if not opening.is_empty(connection):
                    opening.check_settings(connections.location, opening.settings(connection), settings)

            connections.read(fits)
        except BaseException:
            connections.close()
            raise
        return cls(connections, settings)

    def companion(self, name: str) -> str:
        """A library of the same database that is counted and removed with this one. The address holds the password, if this one's did."""
        return self._connections.location.companion(name).address

    def __repr__(self) -> str:
        return f"<PostgreSQLStore {self._connections.location}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add or replace the documents in one transaction; of two entries with one id the later stays."""
        if checked := check(entries):
            place = self._connections.location
            self._connections.write(lambda connection: writing.put(connection, checked, self._settings, place))

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; return how many there were."""
        return self._connections.write(lambda connection: writing.delete(connection, doc_ids)) if doc_ids else 0

    def refresh(self) -> None:
        """Make the graph of nearest vectors and the postings of words where they are missing and worth it; nothing else is derived."""
        with self._connections.using() as connection:
            nearest.index(connection, self._connections.location.vectors)
            postings.write(connection, self._connections.location)

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """The digests of those that are stored."""
        return self._read(reading.digests, doc_ids)

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The ids of the documents whose digests begin so."""
        return self._read(reading.with_digests, starts)

    def document(self, doc_id: str) -> Document:
        """The document, as it was put."""
        return self._read(reading.document, doc_id)

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents in the order of their ids, read a page at a time."""
        after: str | None = None
        while True:
            page = self._where(reading.listing, where, after, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def entries(self, doc_ids: Sequence[str]) -> list[Entry]:
        """The documents as they were put, with their vectors, names and mentions."""
        found = (self._read(reading.entry, doc_id) for doc_id in doc_ids)
        return [entry for entry in found if entry is not None]

    def metadata_keys(self) -> list[str]:
        """The metadata keys of the documents."""
        return self._read(metadata_keys)

    def text(self, span: Span) -> str:
        """The text at `span`, read without the rest of its document."""
        return self._read(reading.span_text, span)

    def state(self) -> StoreState:
        """The library's name and its last committed change."""
        return self._read(reading.state)

    def status(self) -> Status:
        """Counts, size and settings."""
        return self._read(reading.status)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Checked]:
        """Read every document and compare it with the digest made when it was put."""
        total, damaged, seen = self.status().documents, [], 0
        for info in self.documents():
            kept = self._read(reading.kept_sum, info.id)
            for entry in self.entries([info.id]):
                seen += 1
                if kept != digest_of(entry):
                    damaged.append(info.id)
            if progress is not None:
                progress(seen, total)
        yield Checked("documents", seen, tuple(damaged))

    # -- chunks ---------------------------------------------------------------------------------------------------
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks that exist, in the order of `keys`."""
        return noted(keys, self._read(reading.chunks, reading.integers(keys)))

    def chunk_keys(self, doc_id: str) -> Keys:
        """A document's chunks in text order."""
        return self._read(reading.chunk_keys, doc_id)

    def places(self, keys: Keys | Sequence[int]) -> list[ChunkPlace | None]:
        """The document and place of each chunk."""
        return self._read(reading.places, reading.integers(keys))

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors as stored (half precision), one row a key."""
        return self._read(nearest.stored_vectors, np.asarray(keys, dtype=np.int64))

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 with exact counts, on tsvector (`words`), which the trace says."""
        trace.fact("store.words", "BM25 on tsvector")
        return self._read(lambda connection: words.search(connection, text, k, resolved(connection, where or {})))

    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed."""
        return self._read(words.languages)

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Dot products with `vector`: exact, or exact scores of HNSW's candidates (`nearest`)."""
        asked, mode = np.asarray(vector, dtype=np.float32), self._connections.location.vectors
        return self._read(
            lambda connection: nearest.search(connection, asked, k, resolved(connection, where or {}), mode)
        )

    # -- words and names ------------------------------------------------------------------------------------------
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks each stem stands, and how many chunks there are."""
        return self._read(words.frequencies, stems)

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """The bytes that came with each chunk."""
        return self._read(reading.traits, reading.integers(keys))

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """The signatures, one row a key."""
        return self._read(reading.signatures, reading.integers(keys))

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention each name."""
        return self._read(numbers.mentioned_in, reading.integers(names), most, least)

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by each name."""
        return self._read(numbers.chunks_known_by, reading.integers(names), most)

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """The range of keys of each chunk's document."""
        return self._read(reading.extents, reading.integers(keys))

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Whether each chunk's document has the metadata."""
        asked = reading.integers(keys)
        return self._read(lambda connection: reading.passing(connection, asked, resolved(connection, where)))

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _read(self, look_up: Callable[..., R], *given: Any) -> R:  # noqa: ANN401
        return self._connections.read(lambda connection: look_up(connection, *given))

    def _where(self, look_up: Callable[..., R], where: Where | None, *given: Any) -> R:  # noqa: ANN401
        return self._connections.read(lambda connection: look_up(connection, resolved(connection, where or {}), *given))
