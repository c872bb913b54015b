"""The store contract: what every backend (embedded, PostgreSQL, Milvus …) promises, tested by `decoct.testing.store_contract`.

A library holds documents; each document has chunks in text order, each chunk a vector and the names it mentions. Writing is by whole
documents: a reader sees all of a document or nothing of it, also after a crash. One process writes at a time (a second gets
`StoreBusyError`); any number read beside it. Reading methods are thread-safe.

`where` (from `Query.where`) keeps the documents whose metadata has, for every key, one of the values given (compared as text) or one
within a range (`decoct.index.filters`); it is applied inside the search, so `k` results come back when k exist.

Ids and metadata hold no NUL character (`CorpusError`); every other character tells one id or value from another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Document, Floats, Keys, Metadata, Range, Ranking, Span
from decoct.text.analysis import ENGLISH

Where: TypeAlias = Mapping[str, tuple[str | Range, ...]]
Signatures: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Entry:
    """One document ready to be stored.

    `vectors` has one unit row a chunk; `digest` identifies source content and build settings. What `structure.traits` found, all of it
    optional: `names`, numbers of the names by which others may mention the document, each with how surely it means it (0 to 1);
    `mentions`, for each chunk the numbers of the names that it mentions; `traits`, bytes of each chunk for whoever wrote them;
    `signatures`, a row of bytes a chunk, all of one width in a library.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: Floats
    digest: str
    names: tuple[tuple[int, float], ...] = ()
    mentions: tuple[tuple[int, ...], ...] = ()
    traits: tuple[bytes, ...] = ()
    signatures: Signatures | None = None


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who mentions names: pairs (`names[i]`, `keys[i]`) sorted by name and key, and in how many chunks each name asked for stands."""

    names: Keys
    keys: Keys
    counts: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Named:
    """Whom names mean: triples (`names[i]`, `keys[i]`, `strengths[i]`) sorted by name and key, one a chunk of each document meant."""

    names: Keys
    keys: Keys
    strengths: Floats


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
    """What a library holds and how it was built; `library` names it for good, `generation` counts how often it was built anew."""

    documents: int
    chunks: int
    names: int
    bytes: int
    settings: Mapping[str, str]
    sequence: int
    derived: Mapping[str, int]
    library: str = ""
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """Of one kind of thing that a library holds: how many were looked at, what of them is `damaged`, how many changes `behind` it is."""

    what: str
    checked: int
    damaged: tuple[str, ...] = ()
    behind: int = 0


class SupportsVerify(Protocol):
    """A store that can be held to what was stored."""

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Checked]:
        """Read everything, compute every digest again, and tell what differs; `progress` is told documents done and of how many."""


class Store(Protocol):
    """See the module's text for the promises."""

    # -- writing -------------------------------------------------------------------------------------------------
    def put(self, entries: Sequence[Entry]) -> None:
        """Add the documents, replacing those with the same id, in one transaction: all of `entries` or none."""

    def delete(self, doc_ids: Sequence[str]) -> int:
        """Remove documents and everything of theirs; return how many there were. Unknown ids are passed over."""

    def session(self) -> AbstractContextManager[None]:
        """Writes that belong together: once this store wrote inside, nobody else does until the end (without, until it rests)."""

    def refresh(self) -> None:
        """Let derived indexes catch up now (they do at the latest when next searched)."""

    # -- documents ------------------------------------------------------------------------------------------------
    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """`Entry.digest` of those of `doc_ids` that are stored."""

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each of `starts` (all of one length, not empty) the ids of the documents whose `Entry.digest` begins with it, if any."""

    def document(self, doc_id: str) -> Document:
        """The document; `CorpusError` if there is none of that id."""

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

    def vectors(self, keys: Keys | Sequence[int]) -> Floats:
        """The vectors of `keys`, one row each in that order; zeros for a key that no longer exists."""

    # -- searching ------------------------------------------------------------------------------------------------
    def lexical(self, text: str, k: int, where: Where | None = None) -> Ranking:
        """BM25 over title and text (k1 = 1.2, b = 0.75): best first, ties by key; no words, no results.

        Words are stemmed by the language of their document, those of `text` by all of the library's (`decoct.text.analysis`).
        """

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> Ranking:
        """Chunks by dot product with `vector` (shape (dimension,)): best first, ties by key."""

    # -- words and names ------------------------------------------------------------------------------------------
    def frequencies(self, stems: Sequence[str]) -> tuple[Keys, int]:
        """In how many chunks (title or text) each stem of the lexical index occurs, and how many chunks there are."""

    def traits(self, keys: Keys | Sequence[int]) -> list[bytes]:
        """`Entry.traits` of each chunk, in that order; empty for a key that no longer exists."""

    def signatures(self, keys: Keys | Sequence[int]) -> Signatures:
        """`Entry.signatures`, one row each in that order; zeros for a key that no longer exists or has none."""

    def mentioned_in(self, names: Keys | Sequence[int], most: int, least: int = 1) -> Mentions:
        """The chunks that mention the names, for those that `least` to `most` chunks mention; how many do, for all."""

    def named(self, names: Keys | Sequence[int], most: int) -> Named:
        """The chunks of the documents known by the names, for those by which at most `most` documents are known."""

    def extents(self, keys: Keys | Sequence[int]) -> Keys:
        """For each chunk its document's first key and the key after its last, shape (n, 2); (0, 0) for a key that no longer exists.

        The keys of a document's chunks are consecutive, in text order.
        """

    def passing(self, keys: Keys | Sequence[int], where: Where) -> Mask:
        """Which chunks exist and pass the filter."""

    def close(self) -> None:
        """Release files and connections."""


@runtime_checkable
class SupportsLanguages(Protocol):
    """A store that stems documents by their language."""

    def languages(self) -> tuple[str, ...]:
        """The languages of its documents, as codes of `decoct.text.analysis.STEMMERS` or "none"; at least one."""


def languages_of(store: Store) -> tuple[str, ...]:
    """The languages in which a question to `store` is to be stemmed: English for a store that knows no others."""
    return store.languages() if isinstance(store, SupportsLanguages) else ENGLISH
