"""What runs on the cluster's machines: reading a file into documents, and making entries of documents.

Rows between the steps are tables of bytes. A row of documents is a pickled `Document`, `Failure` or `FileRead` (what a whole file gave); a
row of entries is a pickled `MadeEntries`. Both are written and read by this module's own code on one's own cluster.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from decoct.data import Document
from decoct.documents.base import Failure
from decoct.documents.formats import parse
from decoct.errors import DecoctError, StaleIndexError
from decoct.feed import ReadFile
from decoct.index.base import Entry, Store
from decoct.ingest import Ingest, Report, is_there
from decoct_ray.places import FilePlace
from decoct_ray.worker import portable_error

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file was read to its end: how many bytes it had, and what it gave."""

    place: FilePlace
    gave: ReadFile
    documents: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """What the library holds: of each document the digest of its content, and where it came from."""

    contents: Mapping[str, str]
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RayJob:
    """What an actor needs to make entries: how the library is built, and a reference to the `KnownDocuments` in Ray's memory."""

    embedder: str
    fingerprint: str
    chunker: str
    build: str
    language: str
    describes: bool
    known: Any


@dataclass(frozen=True, slots=True)
class MadeEntries:
    """What an actor made of some documents: entries to put, what its ingest tells, and the files that were read to their end."""

    report: Report
    entries: Sequence[Entry]
    read: Sequence[FileRead]


@dataclass(slots=True)
class CollectingStore:
    """The store of an actor: it knows what the library holds, and keeps what is put for the process that writes."""

    contents: Mapping[str, str]
    moved: set[str] = field(default_factory=set)
    entries: list[Entry] = field(default_factory=list)

    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """Those of the library; none for a document that moved, so that it is made again with its new source."""
        return {one: self.contents[one] for one in doc_ids if one in self.contents and one not in self.moved}

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """None: who holds the same text is looked for where it is written."""
        return {}

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep them."""
        self.entries.extend(entries)


class IngestWorker:
    """An actor: documents in, `MadeEntries` out. It opens the library's embedder and chunker once."""

    def __init__(self, job: RayJob) -> None:
        self._job = job
        self._wrong: DecoctError | None = None
        try:
            self._open(job)
        except (
            DecoctError
        ) as error:  # told with the first batch: of what happens in making an actor Ray tells the words alone
            self._wrong = error

    def _open(self, job: RayJob) -> None:
        import ray

        from decoct.config import Resources, resolve
        from decoct.embed.resolve import open_embedder
        from decoct.embed.tokenizer import default_tokenizer

        self._embedder = open_embedder(job.embedder, job.fingerprint)
        if self._embedder.fingerprint != job.fingerprint:
            raise StaleIndexError(
                f"a worker's embedder {job.embedder!r} is {self._embedder.fingerprint}, the library's {job.fingerprint}: install the "
                "same Decoct and models on every machine"
            )
        resources = Resources(embedder=self._embedder, tokenizer=default_tokenizer())
        self._chunker = resolve(json.loads(job.chunker), "chunk", "chunker").build(resources)
        self._known: KnownDocuments = ray.get(job.known)

    def __call__(self, batch: Mapping[str, Sequence[bytes]]) -> Row:
        """One row for a batch: what was made of it, or the error that ends the run."""
        try:
            if self._wrong is not None:
                raise self._wrong
            return _one(self._made(batch))
        except DecoctError as error:
            return _one(portable_error(error))

    def _made(self, batch: Mapping[str, Sequence[bytes]]) -> MadeEntries:
        found = [pickle.loads(body) for body in batch["body"]]  # noqa: S301 - our own, from the step before
        items = [one for one in found if not isinstance(one, FileRead)]
        sources = self._known.sources
        moved = {
            one.id
            for one in items
            if isinstance(one, Document)
            and (before := sources.get(one.id, one.source)) != one.source
            and not is_there(before)
        }
        store = CollectingStore(self._known.contents, moved)
        job = self._job
        ingest = Ingest(
            cast("Store", store), self._chunker, self._embedder, job.build, sources, job.language, job.describes
        )
        report = ingest.run(items)
        return MadeEntries(report, store.entries, [one for one in found if isinstance(one, FileRead)])


def _one(made: MadeEntries | Exception) -> Row:
    body = np.empty(1, dtype=object)
    body[0] = pickle.dumps(made)
    return {"body": body}


def documents_of(row: Row) -> Iterator[Row]:
    """A row a document and failure of the file at a place, and a last one for the file."""
    place = FilePlace.of(row)
    source = place.source()
    if isinstance(source, Failure):
        yield _row(source)
        yield _row(FileRead(place, ReadFile((), failures=[source])))
        return
    gave, notes, documents = ReadFile(()), [], 0
    for item in parse(source):
        notes.append(gave.take(item, source.origin))
        documents += isinstance(item, Document)
        yield _row(item)
    yield _row(FileRead(place, gave, documents, next(filter(None, notes), "")))


def _row(item: Document | Failure | FileRead) -> Row:
    return {"body": pickle.dumps(item)}
