"""Which documents a structure has to read, and reading them: work that any `Spread` can do.

A batch knows the digests that its documents had when they were taken out of the store, so that one that changes while it is read is read
again by the next build.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from decoct.index.base import Store
from decoct.structure.base import Chunked, Part, StructureMethod

PAGE = 500


@dataclass(frozen=True, slots=True)
class StaleDocuments:
    """Documents to read, and what tells each as it is now."""

    documents: tuple[Chunked, ...]
    digests: Mapping[str, str]

    @classmethod
    def of(cls, store: Store, doc_ids: Sequence[str]) -> StaleDocuments:
        """Those of the ids, as `store` has them."""
        return cls(tuple(chunked(store, one) for one in doc_ids), parts_digests(store, doc_ids))


@dataclass(frozen=True, slots=True)
class ReadParts:
    """A part a document, and how long reading all of them took."""

    parts: list[Part]
    seconds: float


@dataclass(frozen=True, slots=True)
class ReadingBy:
    """Reads by `method`."""

    method: StructureMethod

    def __call__(self, batch: StaleDocuments) -> ReadParts:
        """The parts of a batch."""
        start = time.monotonic()
        return ReadParts(self.method.read(batch.documents), time.monotonic() - start)


def chunked(store: Store, doc_id: str) -> Chunked:
    """The document as a method reads it."""
    return Chunked(store.document(doc_id), tuple(store.chunks(store.chunk_keys(doc_id))))


def parts_digests(store: Store, doc_ids: Sequence[str]) -> dict[str, str]:
    """What tells a document as it is chunked now: its digest and its first chunk's number, which changes when it is stored anew."""
    found = {}
    for doc_id, digest in store.digests(doc_ids).items():
        keys = store.chunk_keys(doc_id)
        found[doc_id] = f"{digest}.{int(keys[0]) if len(keys) else -1}"
    return found


def pages(store: Store) -> Iterator[list[str]]:
    """The ids of the library's documents, a page at a time."""
    page: list[str] = []
    for info in store.documents():
        page.append(info.id)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page
