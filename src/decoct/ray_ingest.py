"""Ingest on a Ray cluster: parse and embed wherever there are processors, write in one place.

A `ray.data` pipeline: locations -> documents (tasks) -> chunks, vectors and names (actors, each with its embedder and chunker) -> entries,
which come back to this process in order of completion and are put, a batch a transaction. Ray slows the first steps while the last is busy.
Each actor runs the very `Ingest` of one machine over its documents, so what is stored is the same; documents whose digest the library has
are passed over before any work is spent on them.

Ray does again what a lost worker had in hand, so an entry may come twice: it is put by its id, and nothing is doubled. If this process
dies, what was put is kept, and a run of the same sources goes on. Workers must see the same files: a shared folder, or an address of fsspec
(`s3://`, `gs://`, `file://`).
"""

from __future__ import annotations

import json
import logging
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.files import find, printable
from decoct.documents.formats import parse
from decoct.documents.sources import is_url
from decoct.errors import ConfigError, CorpusError, MissingExtraError
from decoct.index.abilities import caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.ingest import Ingest, Report, content_of

if TYPE_CHECKING:
    from decoct.library import Library

# Documents that an actor has in hand: what is done again when it is lost.
IN_HAND = 32

PAGE = 1000
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """What an actor needs to make entries: how the library is built, and the digests that it holds (a reference in Ray's memory)."""

    embedder: str
    chunker: str
    build: str
    language: str
    known: Any


@dataclass(slots=True)
class Collected:
    """The store of an actor: it knows the library's digests, and keeps what is put for the process that writes."""

    known: Mapping[str, str]
    entries: list[Entry] = field(default_factory=list)

    def digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        """Those of the library."""
        return {doc_id: self.known[doc_id] for doc_id in doc_ids if doc_id in self.known}

    def with_digests(self, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """None: the same text under another id is not looked for."""
        return {}

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep them."""
        self.entries.extend(entries)


class Worker:
    """An actor: documents in, entries and what is to be told of them out."""

    def __init__(self, job: Job) -> None:
        import ray

        from decoct.config import Resources, resolve
        from decoct.embed.resolve import open_embedder
        from decoct.embed.tokenizer import default_tokenizer

        self._embedder = open_embedder(job.embedder)
        resources = Resources(embedder=self._embedder, tokenizer=default_tokenizer())
        self._chunker = resolve(json.loads(job.chunker), "chunk", "chunker").build(resources)
        self._job = job
        self._known: Mapping[str, str] = ray.get(job.known)

    def __call__(self, batch: Mapping[str, Sequence[bytes]]) -> Row:
        """One row for a batch: its report and entries."""
        store = Collected(self._known)
        ingest = Ingest(
            cast("Store", store), self._chunker, self._embedder, self._job.build, language=self._job.language
        )
        report = ingest.run(pickle.loads(body) for body in batch["body"])  # noqa: S301 - our own, from the step before
        body = np.empty(1, dtype=object)
        body[0] = pickle.dumps((report, store.entries))
        return {"body": body}


def ray_ingest(
    library: Library,
    given: Sequence[str | Path],
    address: str = "local",
    *,
    workers: int | None = None,
    gpus: float = 0,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Add files, folders and fsspec addresses to `library` by the Ray cluster at `address` ("local": one started here, "auto", host:port).

    `workers` is how many actors embed (as many as the cluster has processors for them, else), `gpus` how much of a GPU each is given.
    `ConfigError` where the library's embedder is an object of this process, `MissingExtraError` without Ray.
    """
    settings = library.status().settings
    if not settings.get("embedder_spec"):
        raise ConfigError(
            "this library's embedder is an object of this process, which workers cannot open; name one (minilm, openai:MODEL …)"
        )
    report = Report()
    places = list(_places(given, library.own_folders, report))
    report.total = len(places)
    with _cluster(address) as ray:
        known = _known(library.store)
        job = Job(
            settings["embedder_spec"],
            settings["chunker"],
            library.build,
            settings.get("language", "auto"),
            ray.put(known),
        )
        rows = _pipeline(ray, places, job, workers, gpus)
        told: dict[str, str] = {}
        with session_of(library.store):
            for row in rows:
                part, entries = pickle.loads(row["body"])  # noqa: S301
                _put(library.store, part, entries, told=told, report=report)
                if progress is not None:
                    progress(report)
            caught_up(library.store)
    return report


def _pipeline(ray: Any, places: Sequence[Row], job: Job, workers: int | None, gpus: float) -> Iterator[Row]:  # noqa: ANN401
    if not places:
        return iter(())
    blocks = min(len(places), 200)
    size = workers or max(int(ray.cluster_resources().get("CPU", 1)) - 1, 1)
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=size)
    read = ray.data.from_items(list(places), override_num_blocks=blocks).flat_map(documents_of)
    made = read.map_batches(Worker, fn_constructor_args=(job,), batch_size=IN_HAND, compute=pool, num_gpus=gpus or None)
    return cast("Iterator[Row]", made.iter_rows())


def documents_of(place: Row) -> list[Row]:
    """The documents and failures that a place gives, each as one row."""
    opener: Callable[[], BinaryIO] = partial(_opened, place["place"])
    local = None if is_url(place["place"]) else Path(place["place"])
    source = Source(place["name"], opener, place["origin"], path=local)
    found: list[Document | Failure] = []
    try:
        found.extend(parse(source))
    except (CorpusError, OSError) as error:
        found.append(source.failure(str(error)))
    return [{"body": pickle.dumps(one)} for one in found]


def _opened(place: str) -> BinaryIO:
    if not is_url(place):
        return Path(place).open("rb")
    import fsspec

    return cast("BinaryIO", fsspec.open(place, "rb").open())


def _places(given: Sequence[str | Path], skip: tuple[Path, ...], report: Report) -> Iterator[Row]:
    """Where each document or file of documents lies, and the name it goes by."""
    for one in given:
        if isinstance(one, str) and is_url(one):
            yield from _remote(one, report)
            continue
        for source in find([one], None, skip):
            if isinstance(source, Failure):
                report.failures.append(source)
            elif source.path is not None:
                yield {"place": str(source.path), "name": source.name, "origin": source.origin}


def _remote(address: str, report: Report) -> Iterator[Row]:
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtraError(f"reading {address}", "ray") from error
    try:
        system, root = fsspec.url_to_fs(address)
        root = root.rstrip("/")
        files = sorted(system.find(root)) if system.isdir(root) else [root]
        if not files or not system.exists(files[0]):
            report.failures.append(Failure(address, "there is nothing at this address", "missing"))
            return
    except (OSError, ValueError, ImportError) as error:
        report.failures.append(Failure(address, f"it cannot be listed: {error}", "unreadable"))
        return
    folder = root.rpartition("/")[2]
    for file in files:
        name = f"{folder}{file[len(root) :]}" if file != root else folder
        yield {"place": system.unstrip_protocol(file), "name": printable(name), "origin": system.unstrip_protocol(file)}


def _known(store: Store) -> dict[str, str]:
    found: dict[str, str] = {}
    page: list[str] = []
    for info in store.documents():
        page.append(info.id)
        if len(page) == PAGE:
            found |= store.digests(page)
            page = []
    return found | store.digests(page)


def _put(store: Store, part: Report, entries: Sequence[Entry], *, told: dict[str, str], report: Report) -> None:
    """Store what an actor made, and add what it tells to the report; two contents under one id are a failure, as on one machine."""
    kept = []
    for entry in entries:
        content = content_of(entry.digest)
        if told.setdefault(entry.document.id, content) == content:
            kept.append(entry)
        else:
            reason = f"the id {entry.document.id!r} was already given in this run with another content"
            report.failures.append(Failure(entry.document.source or entry.document.id, reason, CorpusError.code))
    if kept:
        before = store.digests([entry.document.id for entry in kept])
        new = [entry for entry in kept if content_of(before.get(entry.document.id, "")) != content_of(entry.digest)]
        store.put(new)
        replaced = sum(entry.document.id in before for entry in new)
        report.replaced += replaced
        report.added += len(new) - replaced
        report.unchanged += len(kept) - len(new)
        report.chunks += sum(len(entry.chunks) for entry in new)
    report.unchanged += part.unchanged
    report.failures += part.failures
    report.notes += part.notes
    report.seen += part.seen
    report.done += part.seen
    report.embedded += part.embedded


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """Ray, connected to `address`; what was started here ends here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingExtraError("ingest on Ray", "ray") from error
    mine = not ray.is_initialized()
    if mine:
        try:
            if address == "local":
                ray.init(
                    address="local",
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    _node_ip_address="127.0.0.1",
                )
            else:
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ConfigError(
                f"there is no Ray cluster at {address} ({error}); start one with `ray start --head`, or use --ray local"
            ) from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()
