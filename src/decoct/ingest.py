"""Sources -> documents -> chunks -> vectors and names -> store, on one screen.

Documents go to the store in batches, each batch one transaction: an interrupted run keeps every batch that was committed, and the
next run passes over documents whose digest has not changed, before any work is spent on them. Memory holds one batch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

from decoct.chunking.base import Chunker
from decoct.data import Chunk, Document
from decoct.documents.base import Failure
from decoct.documents.naming import named_in_bounds
from decoct.embed.base import Embedder
from decoct.errors import CorpusError
from decoct.index.base import Entry, Store
from decoct.structure.traits import known

# Enough chunks to sort into batches of equal length for the embedder, few enough to commit every few seconds.
BATCH_CHARACTERS = 100_000
BATCH_DOCUMENTS = 512


@dataclass(slots=True)
class Report:
    """What an ingest did. `failures` names each source or record that could not be stored, and why."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunks: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def documents(self) -> int:
        """Documents read without a failure."""
        return self.added + self.replaced + self.unchanged

    def as_dict(self) -> dict[str, object]:
        """The report as JSON-ready data."""
        return {
            "documents": self.documents,
            "added": self.added,
            "replaced": self.replaced,
            "unchanged": self.unchanged,
            "chunks": self.chunks,
            "failed": len(self.failures),
            "failures": [asdict(failure) for failure in self.failures],
        }


@dataclass(frozen=True, slots=True)
class Ingest:
    """The way into a store. `build` names everything besides the source that shapes what is stored."""

    store: Store
    chunker: Chunker
    embedder: Embedder
    build: str

    def run(self, items: Iterable[Document | Failure], progress: Callable[[Report], None] | None = None) -> Report:
        """Store the documents; failures pass into the report; `progress` is called after every batch."""
        report = Report()
        seen: dict[str, str] = {}
        for batch in _batches(items):
            fresh: list[tuple[Document, str]] = []
            for item in batch:
                if isinstance(item, Failure):
                    report.failures.append(item)
                    continue
                item = named_in_bounds(item)  # noqa: PLW2901
                try:
                    digest = self._digest(item)
                except CorpusError as error:
                    report.failures.append(Failure(_shown(item.source or item.id), str(error), error.code))
                    continue
                if seen.setdefault(item.id, digest) == digest:
                    fresh.append((item, digest))
                else:  # storing it would silently replace the other
                    reason = f"the id {item.id!r} was already given in this run with another content"
                    report.failures.append(Failure(item.source or item.id, reason, CorpusError.code))
            self._store(fresh, report)
            if progress is not None:
                progress(report)
        self.store.refresh()
        return report

    def _store(self, documents: Sequence[tuple[Document, str]], report: Report) -> None:
        stored = self.store.digests([document.id for document, _ in documents])
        changed = {d.id: (d, digest) for d, digest in documents if stored.get(d.id) != digest}
        report.unchanged += len(documents) - len(changed)
        if not changed:
            return
        cut = {id_: tuple(self.chunker.chunk(document)) for id_, (document, _) in changed.items()}
        texts = [search_text(chunk) for chunks in cut.values() for chunk in chunks]
        vectors = self.embedder.embed(texts, "passage")
        entries, row = [], 0
        for id_, (document, digest) in changed.items():
            chunks = cut[id_]
            found = known(document, chunks)
            rows = vectors[row : row + len(chunks)]
            entries.append(
                Entry(document, chunks, rows, digest, found.names, found.mentions, found.traits, found.signatures)
            )
            row += len(chunks)
        self.store.put(entries)
        replaced = sum(id_ in stored for id_ in changed)
        report.replaced += replaced
        report.added += len(entries) - replaced
        report.chunks += len(texts)

    def _digest(self, document: Document) -> str:
        """What decides whether the document is stored again; `CorpusError` for one that cannot be stored."""
        if not document.text.strip():
            raise CorpusError("it holds no text")
        for key, value in document.metadata.items():
            if not isinstance(value, str | int | float):
                raise CorpusError(f"its metadata {key!r} is no text, number or truth value")
        links = [(link.start, link.end, link.target) for link in document.links]
        shape = [document.title, dict(document.metadata), document.names, document.headings, links, self.build]
        try:
            document.id.encode()
            digest = hashlib.blake2b(document.text.encode(), digest_size=20)
            digest.update(json.dumps(shape, sort_keys=True, ensure_ascii=False).encode())
        except UnicodeEncodeError as error:
            raise CorpusError("it holds half a surrogate pair: decode it with errors='replace'") from error
        return digest.hexdigest()


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def search_text(chunk: Chunk) -> str:
    """What is embedded and indexed for a chunk: its document's title, unless the text begins with it, and its text."""
    if not chunk.title or chunk.text.startswith(chunk.title):
        return chunk.text
    return f"{chunk.title}\n{chunk.text}"


def _batches(items: Iterable[Document | Failure]) -> Iterator[list[Document | Failure]]:
    batch: list[Document | Failure] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += len(item.text) if isinstance(item, Document) else 0
        if characters >= BATCH_CHARACTERS or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
