"""The store contract: what every backend (embedded, PostgreSQL, Milvus …) promises, tested by `decoct_testing.store_contract`.

What only some stores can do (names, sessions, verifying …) is a protocol each in `decoct.index.abilities`. A backend is registered by the
scheme of its addresses (`decoct.registry`, stage `store`) and opened by `decoct.index.resolve`.

A library holds documents; each document has chunks in text order, each chunk a vector. Writing is by whole documents: a reader sees all
of a document or nothing of it, also after a crash. Writers never mix (a second waits, or gets `StoreBusyError`); any number read beside
one. Reading methods are thread-safe.

`where` (from `Query.where`) keeps the documents whose metadata has, for every key, one of the values given (compared as text) or one
within a range (`decoct.index.filters`); it is applied inside the search, so `k` results come back when k exist.

Ids and metadata hold no NUL character (`CorpusError`); every other character tells one id or value from another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Document, Floats, Keys, Metadata, Range, Ranking, Span

Where: TypeAlias = Mapping[str, tuple[str | Range, ...]]
Signatures: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Entry:
    """One document ready to be stored.

    `vectors` has one unit row a chunk; `digest` identifies source content and build settings. What `structure.traits` found, all of it
    optional, for a store that `SupportsNames` (others pass over it): `names`, numbers of the names by which others may mention the
    document, each with how surely it means it (0 to 1); `mentions`, for each chunk the numbers of the names that it mentions; `traits`,
    bytes of each chunk for whoever wrote them; `signatures`, a row of bytes a chunk, all of one width in a library.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: Floats
    digest: str
    names: tuple[tuple[int, float], ...] = ()
    mentions: tuple[tuple[int, ...], ...] = ()
    traits: tuple[bytes, ...] = ()
    signatures: Signatures | None = None


class ChunkPlace(NamedTuple):
    """Where a chunk stands: the document, and its place among that document's chunks, from 0; a tuple, as a search reads hundreds."""

    doc_id: str
    place: int


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document in a listing."""

    id: str
    title: str
    source: str
    characters: int
    chunks: int
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Status:
    """What a library holds and how it was built.

    `sequence` counts its changes; `names` is 0 for a store without `SupportsNames`; `derived` gives the change up to which each of its
    search indexes reaches, where they may lag; `library` names it for good and `generation` counts how often it was built anew.
    """

    documents: int
    chunks: int
    bytes: int
    settings: Mapping[str, str]
    sequence: int = 0
    names: int = 0
    derived: Mapping[str, int] = field(default_factory=dict)
    library: str = ""
    generation: int = 0


class Store(Protocol):
    """What every store must do; see the module's text for the promises."""

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add the documents, replacing those with the same id, in one transaction: all of `entries` or none."""

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove documents and everything of theirs; return how many there were. Unknown ids are passed over."""

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """`Entry.digest` of those of `doc_ids` that are stored."""

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each of `starts` (all of one length, not empty) the ids of the documents whose `Entry.digest` begins with it, if any."""

    def document(self, doc_id: str) -> Document:
        """The document; `UnknownDocumentError` if there is none of that id."""

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """All documents in the order of their ids, without their texts."""

    def metadata_keys(self) -> list[str]:
        """The metadata keys that documents have, sorted: what a filter can ask for."""

    def text(self, span: Span) -> str:
        """The document's text at `span`; `ProvenanceError` if the span reaches past it."""

    def status(self) -> Status:
        """Counts, size on disk and settings."""

    # -- chunks ---------------------------------------------------------------------------------------------------
    def chunks(self, keys: Keys | Sequence[int]) -> list[Chunk]:
        """The chunks of `keys`, in that order; keys that no longer exist are left out."""

    def chunk_keys(self, doc_id: str) -> Keys:
        """The keys of a document's chunks, in text order (empty for an unknown id)."""

    def places(self, keys: Keys | Sequence[int]) -> list[ChunkPlace | None]:
        """Where each chunk stands, in that order, without reading its text; None for a key that no longer exists."""

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors of `keys`, one row each in that order; zeros for a key that no longer exists."""

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 (k1 = 1.2, b = 0.75) over what `index.searchable` gives: best first, ties by key; no words, no results.

        Words are stemmed by the language of their document, those of `text` by all of the library's (`decoct.text.analysis`).
        """

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Chunks by dot product with `vector` (shape (dimension,)): best first, ties by key."""

    def close(self) -> None:
        """Release files and connections."""


class Backend(Protocol):
    """One kind of store, by the scheme of its addresses: the class that is registered, made without arguments.

    A location is what the user gave: a folder, or an address such as `postgresql://user@host/name`. Never show a password of it.
    """

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> Store:
        """The store at `location`, made where there is none and `create` is set (`StoreError` without).

        `settings` is how it is (to be) built, such as the embedder's fingerprint: another value than the stored one raises
        `StaleIndexError` once there are documents; names that are not given are not compared.
        """

    def stored_settings(self, location: str) -> dict[str, str] | None:
        """The settings with which the store at `location` was built; None where there is none, or nothing was ever put in it."""

    def remove(self, location: str) -> None:
        """Remove the store at `location` and everything of it; nothing happens where there is none."""


def ranking_of(rows: Sequence[tuple[int, float]]) -> Ranking:
    """The rows in their order."""
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    return Ranking(keys, np.array([score for _, score in rows], dtype=np.float32))
