"""Sources -> documents -> chunks -> vectors and names -> store, on one screen.

Documents go to the store in batches, each in parts of a second or two, a transaction each: an interrupted run keeps what was committed, and
the next run passes over documents whose digest has not changed, before any work is spent on them. Memory holds one batch.

Embedding is nine tenths of the work. A batch is embedded a part at a time, and after every part `progress` is told: so the first
sign comes at once, and what `progress` raises (or Ctrl-C) ends the run within about a second, with nothing half stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import PurePath
from typing import Final

import numpy as np

from decoct.chunking.base import Chunker
from decoct.chunking.cut import chunks_of
from decoct.data import Chunk, Document, Floats
from decoct.documents.base import Failure
from decoct.embed.base import Embedder
from decoct.errors import CorpusError
from decoct.index.abilities import SupportsNames, caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.index.filters import check_filterable, is_filterable, with_plain_metadata
from decoct.structure.place import placed, search_text
from decoct.structure.traits import traits_of
from decoct.text.languages import AUTO

TITLE: Final = 200
NAMES: Final = 100


@dataclass(slots=True)
class Report:
    """What an ingest did. `failures` names each source or record that could not be stored, and why.

    Of a sync: `gone_ids` are the stored documents that their source no longer has, `removed` how many of them were removed, `kept` why
    they were not. `same_text` maps each document added or replaced to another one that has the very same text. `notes` is what a
    reader should know of sources that were read, such as a guessed encoding.

    While it runs: `seen` documents were read of `total` (0: unknown; of files of records an estimate), `done` are stored or about to
    be, `embedded` chunks have their vectors, `current` is the source being read; `seconds` since the start, `began` how many of them passed
    before anything was done (a long text is read and cut as a whole first), and, where it can be told, `seconds_left`.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunks: int = 0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    gone_ids: list[str] = field(default_factory=list)
    removed: int = 0
    kept: list[str] = field(default_factory=list)
    same_text: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    done: int = 0
    total: int = 0
    embedded: int = 0
    current: str = ""
    seconds: float = 0.0
    began: float = 0.0
    share_read: float = 0.0  # of the bytes of all sources, 0 where they are not known
    characters_seen: int = 0
    characters_done: int = 0
    embedding_seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Documents read without a failure."""
        return self.added + self.replaced + self.unchanged

    @property
    def gone(self) -> int:
        """How many stored documents their source no longer had, removed now or not."""
        return len(self.gone_ids)

    @property
    def duplicates(self) -> int:
        """How many documents were stored whose text is here under another id as well."""
        return len(self.same_text)

    @property
    def rate(self) -> float:
        """Chunks embedded a second; 0 before the first."""
        return self.embedded / self.embedding_seconds if self.embedding_seconds else 0.0

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1, by the length of the texts; 0 where the whole is not known."""
        return min(self.share_read * self.characters_done / self.characters_seen, 1.0) if self.characters_seen else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace since anything was done; None before there is one."""
        return (self.seconds - self.began) * (1 - self.share) / self.share if self.share else None

    def as_dict(self) -> dict[str, object]:
        """The report as JSON-ready data."""
        counts = ("documents", "added", "replaced", "unchanged", "chunks", "gone", "removed", "duplicates")
        return {
            **{name: getattr(self, name) for name in counts},
            "failed": len(self.failures),
            "failures": [asdict(failure) for failure in self.failures],
            "gone_ids": list(self.gone_ids),
            "same_text": dict(self.same_text),
            "kept": list(self.kept),
            "notes": list(self.notes),
        }


__all__ = ["Ingest", "Report", "search_text"]

# Enough chunks to sort into batches of equal length for the embedder, few enough to commit every few seconds.
BATCH_CHARACTERS = 100_000
BATCH_DOCUMENTS = 512
# Documents are committed about this often (seconds), and by so many characters at first: an interrupted run keeps the rest.
COMMIT = 1.5
FIRST_CHARACTERS = 8_000
# Texts embedded between two reports: grown and shrunk so that a part takes about this many seconds, whatever the embedder and machine.
# Growing by doubling lets a server, whose time is mostly waiting, have large parts too.
FIRST_PART = 8
LEAST_PART = 4  # fewer leave processors without work
QUICK, SLOW = 0.25, 0.5
# Documents are read and cut much faster than anyone wants to be told of it (seconds).
OFTEN = 0.1


@dataclass(slots=True)
class _Run:
    """One run: its report, whom it is told to, and which texts it gave under which ids."""

    report: Report
    progress: Callable[[Report], None] | None
    texts: dict[str, list[str]] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)
    last: float = 0.0
    room: int = FIRST_CHARACTERS
    taken: Counter[str] = field(default_factory=Counter)  # by file: records whose id another has

    def renamed(self, record: Document) -> Document:
        """The record under an id of its own: also where it stands; a document that is no record with an id, as it is."""
        path, _, line = record.source.rpartition("#")
        in_file = all(map(str.isdecimal, line.split(".")))  # "7", or "7.2" of several on one line
        # An id made of the path tells nothing of the content.
        if not in_file or record.source.endswith(f"/{record.id}"):
            return record
        self.taken[path] += 1
        return replace(record, id=f"{record.id} in {'/'.join(PurePath(path).parts[-2:])}#{line}")

    def committed_at_once(
        self, changed: Mapping[str, tuple[Document, str]]
    ) -> Iterator[dict[str, tuple[Document, str]]]:
        """The documents of a batch in parts that take about a second or two each, so that what an interruption costs is bounded by time."""
        part: dict[str, tuple[Document, str]] = {}
        characters = 0
        for at, (id_, one) in enumerate(changed.items(), 1):
            part[id_] = one
            characters += len(one[0].text)
            if characters < self.room and at < len(changed):
                continue
            began = time.monotonic()
            yield part
            took = time.monotonic() - began
            self.room = (
                self.room * 2
                if took < COMMIT / 2
                else max(self.room // 2, FIRST_CHARACTERS)
                if took > COMMIT * 2
                else self.room
            )
            part, characters = {}, 0

    def tell(self, seconds: float = 0.0) -> None:
        """Report, if that was not done within the last `seconds`."""
        now = time.monotonic()
        if not self.report.characters_done:
            self.report.began = now - self.start
        if self.progress is not None and now - self.last >= seconds:
            self.last = now
            self.report.seconds = now - self.start
            self.progress(self.report)

    def count(self, items: Iterable[Document | Failure]) -> Iterator[Document | Failure]:
        """`items` as they come, counted and told of."""
        for item in items:
            if isinstance(item, Document):
                self.report.seen += 1
                self.report.characters_seen += len(item.text)
            self.tell(OFTEN)
            yield item

    def pass_over(self, document: Document, failure: Failure | None = None) -> None:
        """Nothing more is to be done for the document."""
        self.report.done += 1
        self.report.characters_done += len(document.text)
        if failure is not None:
            self.report.failures.append(failure)
        else:
            self.report.unchanged += 1


@dataclass(frozen=True, slots=True)
class Ingest:
    """The way into a store. `build` names everything besides the source that shapes what is stored; `language` stems it.

    `sources` tells where stored documents came from, by id: with it a document that came from elsewhere is told apart (see `_store`).
    `describes` says whether names are found in the chunks; where it is None, they are if the store keeps them.
    """

    store: Store
    chunker: Chunker
    embedder: Embedder
    build: str
    sources: Mapping[str, str] = field(default_factory=dict)
    language: str = AUTO
    describes: bool | None = None

    def run(
        self,
        items: Iterable[Document | Failure],
        progress: Callable[[Report], None] | None = None,
        report: Report | None = None,
    ) -> Report:
        """Store the documents; failures pass into the report (a new one, or `report` where whoever gives the items fills it too).

        `progress` is called at the start, while documents are read, after every part that is embedded and after every batch. What it
        raises ends the run; the batches before are stored.
        """
        run = _Run(report if report is not None else Report(), progress)
        run.tell()
        counted = run.count(items)
        first = next(counted, None)
        # Another writer is told of before more is read, and where nothing comes nobody is kept out.
        if first is not None:
            with session_of(self.store):
                self._run(chain([first], counted), run)
        for path, count in run.taken.items():
            run.report.notes.append(
                f"{path}: ids that other records have: {count} (such a record is 'ID in FILE#LINE')"
            )
        caught_up(self.store)
        return run.report

    def _run(self, items: Iterable[Document | Failure], run: _Run) -> None:
        seen: dict[str, tuple[str, str]] = {}  # by id: its digest, and the file of a record
        for batch in _batches(items):
            fresh: list[tuple[Document, str]] = []
            for item in batch:
                if isinstance(item, Failure):
                    run.report.failures.append(item)
                    continue
                item = with_plain_metadata(named_in_bounds(item))  # noqa: PLW2901
                try:
                    digest = self._digest(item)
                except CorpusError as error:
                    run.pass_over(item, Failure(_shown(item.source or item.id), str(error), error.code))
                    continue
                given = digest, item.source.rpartition("#")[0]
                if seen.setdefault(item.id, given) != given:
                    item = run.renamed(item)  # noqa: PLW2901
                if seen.setdefault(item.id, given)[0] == digest:
                    fresh.append((item, digest))
                else:  # storing it would silently replace the other
                    reason = f"the id {item.id!r} was already given in this run with another content: give one of them another id"
                    run.pass_over(item, Failure(item.source or item.id, reason, CorpusError.code))
            self._store(fresh, run)
            run.tell()

    def _store(self, documents: Sequence[tuple[Document, str]], run: _Run) -> None:
        stored = {**self.store.digests([document.id for document, _ in documents])}
        changed: dict[str, tuple[Document, str]] = {}
        moved: list[Entry] = []
        for document, digest in documents:
            before = stored.get(document.id, "")
            elsewhere = self._elsewhere(document)
            # A file of its own, or a record of another one (FILE#LINE).
            in_another = elsewhere.partition("#")[0] != document.source.partition("#")[0]
            other = elsewhere and in_another and is_there(elsewhere)
            if other and (own := run.renamed(document)) is not document:
                stored |= self.store.digests([own.id])
                document, before = own, stored.get(own.id, "")  # noqa: PLW2901
                elsewhere, other = self._elsewhere(own), ""
            if document.id in changed:
                run.pass_over(document)
            elif content_of(before) == content_of(digest):
                run.pass_over(document)
                if elsewhere and not is_there(elsewhere):
                    moved.append(self._moved(document, before))
            elif other:
                reason = (
                    f"its id {document.id!r} is that of {elsewhere}, which is there too: give one of the folders another name, or "
                    f"remove the other document first (`decoct documents delete {document.id!r}`)"
                )
                run.pass_over(document, Failure(document.source, reason, "id"))
            else:
                changed[document.id] = document, digest
        if moved:
            self.store.put(moved)
        if not changed:
            return
        found = same_texts(self.store, {id_: digest for id_, (_, digest) in changed.items()}, run.texts)
        run.report.same_text |= found
        for part in run.committed_at_once(changed):
            entries = self._embedded(part, run)
            self.store.put(entries)
            replaced = sum(id_ in stored for id_ in part)
            run.report.replaced += replaced
            run.report.added += len(entries) - replaced
            run.report.chunks += sum(len(entry.chunks) for entry in entries)

    def _embedded(self, changed: Mapping[str, tuple[Document, str]], run: _Run) -> list[Entry]:
        """The entries of `changed`, embedded part by part."""
        cut: list[tuple[Chunk, ...]] = []
        for document, _ in changed.values():
            cut.append(placed(document, chunks_of(self.chunker, document)))
            run.tell(OFTEN)
        texts = [search_text(chunk) for chunks in cut for chunk in chunks]
        ends = np.cumsum([len(chunks) for chunks in cut])
        lengths = np.cumsum([len(document.text) for document, _ in changed.values()])
        embedded = [
            before + chunk.span.end for before, chunks in zip((0, *lengths), cut, strict=False) for chunk in chunks
        ]  # characters of the batch up to the end of each chunk
        report, done, characters = run.report, run.report.done, run.report.characters_done
        parts: list[Floats] = []
        at, size = 0, FIRST_PART
        run.tell(OFTEN)
        while at < len(texts):
            start = time.monotonic()
            parts.append(self.embedder.embed(texts[at : at + size], "passage"))
            took = time.monotonic() - start
            at += len(parts[-1])
            size = size * 2 if took < QUICK else max(size // 2, LEAST_PART) if took > SLOW else size
            report.embedded += len(parts[-1])
            report.embedding_seconds += took
            whole = int(np.searchsorted(ends, at, side="right"))
            report.done = done + whole
            report.characters_done = characters + int(embedded[at - 1])
            run.tell()
        report.done, report.characters_done = done + len(changed), characters + int(lengths[-1])
        rows = np.split(np.concatenate(parts) if parts else np.zeros((0, 0), np.float32), ends[:-1])
        return [self._entry(*one, chunks, own) for one, chunks, own in zip(changed.values(), cut, rows, strict=True)]

    def _moved(self, document: Document, digest: str) -> Entry:
        """The entry of a document that is stored as it is but for where it comes from."""
        keys = self.store.chunk_keys(document.id)
        return self._entry(document, digest, tuple(self.store.chunks(keys)), self.store.vectors(keys))

    def _entry(self, document: Document, digest: str, chunks: tuple[Chunk, ...], rows: Floats) -> Entry:
        """With the names of its chunks, where the store can keep them."""
        describes = isinstance(self.store, SupportsNames) if self.describes is None else self.describes
        if not describes:
            return Entry(document, chunks, rows, digest)
        found = traits_of(document, chunks, self.language)
        return Entry(document, chunks, rows, digest, found.names, found.mentions, found.traits, found.signatures)

    def _elsewhere(self, document: Document) -> str:
        """Where the stored document of this id came from, if that is another place than now; else empty."""
        source = self.sources.get(document.id, "")
        return source if source != document.source else ""

    def _digest(self, document: Document) -> str:
        """What decides whether the document is stored again: 32 digits of its text, a dash, 40 of all that shapes what is stored.

        (The first version of Decoct wrote the latter alone.) `CorpusError` for a document that cannot be stored.
        """
        if not document.text.strip():
            raise CorpusError("it holds no text")
        check_filterable(document)
        for key, value in document.metadata.items():
            if not is_filterable(value):
                raise CorpusError(f"its metadata {key!r} is no text, number, truth value or list of texts")
        links = [(link.start, link.end, link.target) for link in document.links]
        levels = [document.levels] if any(document.levels) else []
        told = [document.title, dict(document.metadata), document.names, document.headings]
        shape = [*told, links, self.build, *levels]
        try:
            document.id.encode()
            text = document.text.encode()
            digest = hashlib.blake2b(text, digest_size=20)
            digest.update(json.dumps(shape, sort_keys=True, ensure_ascii=False).encode())
        except UnicodeEncodeError as error:
            raise CorpusError("it holds half a surrogate pair: decode it with errors='replace'") from error
        return f"{hashlib.blake2b(text, digest_size=16).hexdigest()}-{digest.hexdigest()}"


def same_texts(store: Store, digests: Mapping[str, str], given: dict[str, list[str]]) -> dict[str, str]:
    """Which documents of `digests` (by id) have a text that the store, or this run until now (`given`), holds under another id."""
    texts = {id_: digest.partition("-")[0] for id_, digest in digests.items()}
    holders = store.with_digests(list(dict.fromkeys(texts.values())))
    found: dict[str, str] = {}
    for id_, text in texts.items():
        before = given.setdefault(text, [])
        others = [*(other for other in holders.get(text, ()) if other not in digests), *before]
        if others:
            found[id_] = others[0]
        before.append(id_)
    return found


def content_of(digest: str) -> str:
    """The part of a digest that tells whether a document is to be stored again."""
    return digest.rpartition("-")[2]


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def is_there(source: str) -> bool:
    """Whether a stored document's source is a file that is still there."""
    path = source if os.path.lexists(source) else source.rpartition("#")[0]
    return PurePath(path).is_absolute() and os.path.lexists(path)


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


def named_in_bounds(document: Document) -> Document:
    """The document with its title and names on one line each, of at most `TITLE` characters, and at most `NAMES` names."""
    title = _cut(document.title)
    names = tuple(dict.fromkeys(name for given in document.names[:NAMES] if (name := _cut(given))))
    if title == document.title and names == document.names:
        return document
    return replace(document, title=title, names=names)


def _cut(name: str) -> str:
    line = " ".join(name.split())
    if len(line) <= TITLE:
        return line
    return line[: TITLE - 1].rsplit(" ", 1)[0][: TITLE - 1] + "…"
