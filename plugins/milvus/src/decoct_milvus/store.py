"""The Milvus store: documents, chunks, vectors and words in collections of a server, a cluster, or one file (milvus-lite).

Milvus has no transactions, so what holds is: a document is there whole or not at all (`collections`), also after a kill of client or
server; a batch that is broken off may be there in part, document by document, and an ingest that is run again writes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self

import numpy as np

from decoct import trace
from decoct.data import Chunk, Document, Floats, Keys, Ranking, Span
from decoct.errors import UnknownLibraryError
from decoct.index.abilities import Checked, Mentions, Named
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Mask, Signatures, Status, Where
from decoct.index.embedded.writing import check
from decoct.index.entries import digest_of
from decoct.index.filters import storable
from decoct.index.one_state import noted
from decoct_milvus import collections, reading, searching, writing
from decoct_milvus.connection import Connection

PAGE = 500
_DIGEST = re.compile(r"[0-9a-zA-Z-]+")


class MilvusStore:
    """Implements `decoct.index.base.Store` in Milvus; see the module's text. Thread-safe. Open it with `open`."""

    def __init__(self, connection: Connection, settings: Mapping[str, str]) -> None:
        self._at = connection
        self._settings = dict(settings)
        self._numbers = collections.Numbers()

    @classmethod
    def open(cls, location: str, *, settings: Mapping[str, str], create: bool = True) -> Self:
        """Open the library at `location` (`milvus.location`), making one if there is none and `create` is set.

        `settings` is how it is (to be) built: another value than the stored one raises `StaleIndexError` once there are documents; names
        that are not given are not compared. `StoreUnavailableError` where the server cannot be reached.
        """
        at = Connection(location)
        try:
            if not at.has("documents"):
                if not create:
                    raise UnknownLibraryError(  # noqa: TRY301
                        f"there is no library at {at.location}; make one with `decoct ingest --library ADDRESS SOURCES`"
                    )
                collections.make(at.client, at.location.library)
            for table in collections.TABLES:
                at.has(table)
            writing.check_schema(at)
            if at.count("documents"):
                writing.check_settings(at, writing.settings_of(at), settings)
        except BaseException:
            at.close()
            raise
        return cls(at, settings)

    def companion(self, name: str) -> str:
        """A library of the same server that is removed with this one. The address holds the password, if this one's did."""
        return self._at.location.companion(name).address

    def __repr__(self) -> str:
        return f"<MilvusStore {self._at.location}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add or replace the documents, each whole or not at all; of two entries with one id the later stays."""
        if checked := check(entries):
            writing.sweep(self._at)
            writing.put(self._at, self._numbers, checked, self._settings)

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove the documents; return how many there were."""
        return writing.delete(self._at, doc_ids) if doc_ids else 0

    def refresh(self) -> None:
        """Have milvus-lite search from segments and not from memory, which takes it twice as long; nothing lags, here or on a server."""
        self._at.settle()

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """The digests of those that are stored."""
        known = {one for one in doc_ids if storable(one)}
        rows = self._at.among("documents", "key", [collections.term(one) for one in known], ["id", "digest"])
        return {row["id"]: row["digest"] for row in rows if row["id"] in known}

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The ids of the documents whose digests begin so."""
        found = {}
        for start in dict.fromkeys(starts):
            if not _DIGEST.fullmatch(start):  # no digest of ours, and nothing to be quoted
                continue
            rows = self._at.rows("documents", f'digest like "{start}%"', ["id"])
            found[start] = tuple(sorted(row["id"] for row in rows))
        return {start: ids for start, ids in found.items() if ids}

    def document(self, doc_id: str) -> Document:
        """The document, as it was put."""
        return reading.document(self._at, doc_id)

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents in the order of their ids, which are read and sorted first."""
        filtering = searching.condition_of(self._at, where or {})
        if filtering is None:
            return
        ids = reading.listing(self._at, searching.expression(filtering) or "number >= 0")
        for start in range(0, len(ids), PAGE):
            yield from reading.infos(self._at, ids[start : start + PAGE])

    def entries(self, doc_ids: Sequence[str]) -> list[Entry]:
        """The documents as they were put, with their vectors, names and mentions."""
        found = (reading.entry(self._at, doc_id) for doc_id in doc_ids)
        return [entry for entry in found if entry is not None]

    def metadata_keys(self) -> list[str]:
        """The metadata keys of the documents."""
        return searching.metadata_keys(self._at)

    def text(self, span: Span) -> str:
        """The text at `span`, read without the rest of its document."""
        return reading.span_text(self._at, span)

    def status(self) -> Status:
        """Counts and settings; Milvus does not tell bytes (0)."""
        return reading.status(self._at, self._settings)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Checked]:
        """Read every document and compare it with the digest made when it was put."""
        ids, damaged = reading.listing(self._at, "number >= 0"), []
        for seen, doc_id in enumerate(ids, 1):
            row = reading.row_of(self._at, doc_id, ["sum"])
            found = self.entries([doc_id])
            if row is not None and [row["sum"]] != [digest_of(entry).hex() for entry in found]:
                damaged.append(doc_id)
            if progress is not None:
                progress(seen, len(ids))
        yield Checked("documents", len(ids), tuple(damaged))

    # -- chunks ---------------------------------------------------------------------------------------------------
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks that exist, in the order of `keys`."""
        return noted(keys, reading.chunks(self._at, _integers(keys)))

    def chunk_keys(self, doc_id: str) -> Keys:
        """A document's chunks in text order."""
        row = reading.row_of(self._at, doc_id, ["number", "chunks"]) or {"number": 0, "chunks": 0}
        return np.arange(row["number"], row["number"] + row["chunks"], dtype=np.int64)

    def places(self, keys: Keys | Sequence[int]) -> list[ChunkPlace | None]:
        """The document and place of each chunk."""
        return reading.places(self._at, _integers(keys))

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors, rounded to half precision, one row a key."""
        return reading.vectors(self._at, _integers(keys))

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 of the candidates of Milvus's BM25 (`searching`), which the trace says."""
        trace.fact("store.words", "BM25 over candidates of Milvus")
        return searching.lexical(self._at, text, k, where or {})

    def languages(self) -> tuple[str, ...]:
        """The languages as which the documents are stemmed."""
        return searching.languages(self._at)

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Dot products with `vector`, of all chunks or of the graph's candidates."""
        return searching.nearest(self._at, np.asarray(vector, np.float32), k, where or {})

    # -- words and names ------------------------------------------------------------------------------------------
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks each stem stands, and how many chunks there are."""
        return searching.frequencies(self._at, stems)

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """The bytes that came with each chunk."""
        return reading.traits(self._at, _integers(keys))

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """The signatures, one row a key."""
        return reading.signatures(self._at, _integers(keys))

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention each name."""
        return searching.mentioned_in(self._at, _integers(names), most, least)

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by each name."""
        return searching.chunks_known_by(self._at, _integers(names), most)

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """The range of keys of each chunk's document."""
        return reading.extents(self._at, _integers(keys))

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Whether each chunk's document has the metadata."""
        return searching.passing(self._at, _integers(keys), where)

    def close(self) -> None:
        """Give the connection back."""
        self._at.close()


def _integers(keys: Keys | Sequence[int]) -> list[int]:
    return keys.tolist() if isinstance(keys, np.ndarray) else [int(key) for key in keys]
