"""Build a structure of a library: read each document that is new or changed, forget those that are gone, and put the whole together.

Documents go in batches, each one transaction: an interrupted build keeps every batch that was read and is resumed by running it again,
and the structure that was there before stays in use until the new one is finished. A document on which the model failed in part is used
as far as it was read, counted, and read again by the next build.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from decoct import trace
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, DecoctError, StaleIndexError
from decoct.index.base import Status, Store
from decoct.index.embedded.files import size_of
from decoct.index.embedded.lock import WriteLock
from decoct_lab.structure.base import Chunked, Spending, StructureMethod
from decoct_lab.structure.parts import PartRow, Parts
from decoct_lab.structure.reading import ReadingBy, ReadParts, StaleDocuments
from decoct_lab.structure.shelf import Finished, Shelf
from decoct_lab.structure.workshop import Bench
from decoct_lab.workforce import Here, Workforce

# Documents read between two commits, and by one worker at a time: a few rounds of what a model answers side by side; by rules, many more.
BATCH_ASKED, BATCH = 8, 64
PAGE = 500


@dataclass(slots=True)
class StructureReport:
    """What a build did, and how far it is: `doing` the step, `done` of `total` in it."""

    doing: str = "reading"
    done: int = 0
    total: int = 0
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    documents: int = 0
    chunks: int = 0
    failed: int = 0
    failures: dict[str, list[str]] = field(default_factory=dict)
    spent: Spending = field(default_factory=Spending)
    fallbacks: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    bytes: int = 0

    def as_dict(self) -> dict[str, object]:
        """As JSON-ready data."""
        failures = [{"document": doc_id, "reasons": reasons} for doc_id, reasons in self.failures.items()]
        return {
            "read": self.read,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "documents": self.documents,
            "chunks": self.chunks,
            "failed": self.failed,
            "failures": failures,
            **self.spent.as_dict(),
            "fallbacks": self.fallbacks,
            "seconds": round(self.seconds, 1),
            "bytes": self.bytes,
        }


@dataclass(frozen=True, slots=True)
class BuildStructure:
    """The way from a library to its structure `name`; `workforce` does the work on documents, texts and summaries."""

    store: Store
    embedder: Embedder
    shelf: Shelf
    name: str
    method: StructureMethod
    workforce: Workforce = field(default_factory=Here)

    def estimate(self) -> tuple[int, Spending]:
        """How many documents `run` would read, and what that will cost at most; nothing is written."""
        stale = self._stale_now()
        return len(stale), self.method.estimate(self.chunked(doc_id) for doc_id in stale)

    def run(self, progress: Callable[[StructureReport], None] | None = None) -> StructureReport:
        """Bring the structure up to date; `progress` is called as it goes on, and ends the build by what it raises."""
        folder = self.shelf.folder(self.name)
        folder.mkdir(parents=True, exist_ok=True)
        with WriteLock(folder / "write.lock").held():
            self._refuse_to_lose()
            with closing(Parts(folder / "parts.db")) as parts:
                return _Run(self, parts, progress).whole()

    def _refuse_to_lose(self) -> None:
        """What a model was paid for is not replaced by what rules find."""
        before = self.shelf.finished(self.name)
        if before is not None and before.model and not self.method.model:
            raise ConfigError(
                f"the structure {self.name!r} was built with {before.model}: name a model with --llm, or remove it first "
                f"(`decoct structure drop {self.name} --library {self.shelf.home}`) to build it without one"
            )

    def _stale_now(self) -> list[str]:
        known: dict[str, tuple[str, int]] = {}
        path = self.shelf.folder(self.name) / "parts.db"
        if path.is_file():
            with closing(Parts(path)) as parts:
                known = parts.known(self.method.fingerprint)
        return [doc_id for page in pages(self.store) for doc_id in self.stale(page, known)]

    def stale(self, doc_ids: Sequence[str], known: dict[str, tuple[str, int]]) -> list[str]:
        """Those of `doc_ids` that are to be read: not `known` as they are now, or read with failures."""
        digests = parts_digests(self.store, doc_ids)
        return [one for one in doc_ids if one in digests and known.get(one) != (digests[one], 0)]

    def chunked(self, doc_id: str) -> Chunked:
        """The document as a method reads it."""
        return Chunked(self.store.document(doc_id), tuple(self.store.chunks(self.store.chunk_keys(doc_id))))

    def batch(self, doc_ids: Sequence[str]) -> StaleDocuments:
        """The documents as they are read together."""
        return StaleDocuments(tuple(map(self.chunked, doc_ids)), parts_digests(self.store, doc_ids))


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


class _Run:
    """One build under the lock."""

    def __init__(self, build: BuildStructure, parts: Parts, progress: Callable[[StructureReport], None] | None) -> None:
        self.build, self.parts, self.progress = build, parts, progress
        self.report = StructureReport()
        self.start = time.monotonic()

    def whole(self) -> StructureReport:
        """Read, forget, put together."""
        store, method, report = self.build.store, self.build.method, self.report
        before, status = self.build.shelf.finished(self.build.name), store.status()
        living = self._read()
        gone = sorted(self.parts.ids() - living)
        self.parts.remove(gone)
        report.removed = len(gone)
        embedder = self.build.embedder.fingerprint
        wanted = (method.fingerprint, embedder, status.library, status.generation, self.parts.changes)
        have = before and (before.fingerprint, before.embedder, before.library, before.generation, before.changes)
        folder = self.build.shelf.folder(self.build.name)
        documents, chunks, failed, spent, seconds = self.parts.totals(method.fingerprint)
        made = before.made if before is not None and wanted == have else ""
        if not made:
            seconds_before = time.monotonic()
            made, together = self._put_together(before)
            spent = (Spending(**spent) + together).as_dict()
            seconds += time.monotonic() - seconds_before
        elif before is not None:
            spent, seconds = before.spent, before.seconds
        self.build.shelf.finish(
            self.build.name, self._record(made, status, (documents, chunks, failed), spent, seconds)
        )
        self.parts.forget_vectors()
        report.documents, report.chunks, report.failed = documents, chunks, failed
        report.failures = self.parts.failures(method.fingerprint)
        report.bytes = size_of(folder)
        self._tell("done", documents, documents)
        return report

    def _record(
        self, made: str, status: Status, counted: tuple[int, int, int], spent: dict[str, int], seconds: float
    ) -> Finished:
        documents, chunks, failed = counted
        return Finished(
            made=made,
            fingerprint=self.build.method.fingerprint,
            model=self.build.method.model,
            embedder=self.build.embedder.fingerprint,
            library=status.library,
            generation=status.generation,
            sequence=status.sequence,
            changes=self.parts.changes,
            documents=documents,
            chunks=chunks,
            failed=failed,
            seconds=round(seconds, 3),
            spent=spent,
        )

    def _read(self) -> set[str]:
        """Read what is stale; the ids of all documents that the library has."""
        known = self.parts.known(self.build.method.fingerprint)
        every = list(pages(self.build.store))
        stale = [doc_id for page in every for doc_id in self.build.stale(page, known)]
        living = {doc_id for page in every for doc_id in page}
        self.report.unchanged = len(living) - len(stale)
        size = BATCH_ASKED if self.build.method.model else BATCH
        batches = (self.build.batch(stale[at : at + size]) for at in range(0, len(stale), size))
        read = self.build.workforce.results(ReadingBy(self.build.method), batches)
        for at in range(0, len(stale), size):
            self._tell("reading", at, len(stale))
            with trace.recording() as record, trace.stage("structure"):
                batch, found = next(read)
            self._keep(batch, found, self._spent(record))
        return living

    def _keep(self, batch: StaleDocuments, read: ReadParts, spent: Spending) -> None:
        count = len(batch.documents)
        share = {name: amount / count for name, amount in spent.as_dict().items()}
        self.parts.put(
            self.build.method.fingerprint,
            [
                PartRow(doc_id, batch.digests[doc_id], len(one.chunks), part, share, read.seconds / count)
                for one, part in zip(batch.documents, read.parts, strict=True)
                if (doc_id := one.document.id) in batch.digests
            ],
        )
        self.report.read += count
        self.report.failed += sum(len(part.failed) for part in read.parts)

    def _put_together(self, before: Finished | None) -> tuple[str, Spending]:
        folder = self.build.shelf.folder(self.build.name)
        made = f"made-{1 + max((int(path.name[5:]) for path in folder.glob('made-*') if path.name[5:].isdigit()), default=0)}"
        draft = folder / f"{made}.new"
        for left in folder.glob("made-*.new"):
            shutil.rmtree(left)
        draft.mkdir()
        method = self.build.method
        now = method.fingerprint, self.build.embedder.fingerprint
        old = folder / before.made if before is not None and (before.fingerprint, before.embedder) == now else None
        bench = Bench(
            draft,
            old if old is not None and old.is_dir() else None,
            self.parts,
            method.fingerprint,
            self.build.embedder,
            self._others(),
            self._tell,
            self.build.workforce,
        )
        with trace.recording() as record, trace.stage("structure"):
            try:
                method.put_together(bench)
            except DecoctError:
                shutil.rmtree(draft, ignore_errors=True)
                raise
        draft.rename(folder / made)
        return made, self._spent(record)

    def _others(self) -> tuple[Path, ...]:
        """The folders of the library's other structures whose vectors are of the same embedder."""
        shelf, found = self.build.shelf, []
        for name in shelf.names():
            with suppress(StaleIndexError):
                record = shelf.finished(name) if name != self.build.name else None
                if record is not None and record.embedder == self.build.embedder.fingerprint:
                    found.append(shelf.folder(name) / record.made)
        return tuple(found)

    def _spent(self, record: trace.Trace) -> Spending:
        for name, amount in record.fallbacks.items():
            self.report.fallbacks[name] = self.report.fallbacks.get(name, 0) + amount
            trace.fallback(name, amount)
        totals = {
            name: sum(stage.counts[name] for stage in record.stages)
            for name in ("model_calls", "cache_hits", "prompt_tokens", "completion_tokens")
        }
        spent = Spending(
            totals["model_calls"] + totals["cache_hits"],
            totals["cache_hits"],
            totals["prompt_tokens"],
            totals["completion_tokens"],
        )
        self.report.spent += spent
        return spent

    def _tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        report = self.report
        report.doing, report.done, report.total = doing, done, total
        report.seconds = time.monotonic() - self.start
        if self.progress is not None:
            self.progress(report)
