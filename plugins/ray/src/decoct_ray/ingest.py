"""Ingest on a Ray cluster: read and embed wherever there are processors, write in one place.

A `ray.data` pipeline: places -> documents (tasks) -> chunks, vectors and names (actors, each with its embedder and chunker) -> entries,
which come back to this process as they are made and are put, a batch a transaction. Ray holds the first steps back while the last is
busy: what waits between them is bounded by its object store. Each actor runs the `Ingest` of one machine over its documents, so the same
is stored, digest for digest; documents whose digest the library has are passed over before any work is spent on them.

Ray does again what a lost worker had in hand, so an entry may come twice: it is put by its id, and nothing is doubled. If this process
dies, what was put is kept, and a run of the same sources goes on. Workers must see the same files: a shared folder, or a storage.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from decoct.documents.base import Failure
from decoct.errors import ConfigError, CorpusError, DecoctError
from decoct.feed import UNREAD, Feed
from decoct.index.abilities import SupportsNames, caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.ingest import Report, content_of, same_texts
from decoct.sync import finish, is_within
from decoct_ray.places import FilePlace, places
from decoct_ray.session import LOCAL, cluster
from decoct_ray.work import FileRead, IngestWorker, KnownDocuments, MadeEntries, RayJob, Row, documents_of

if TYPE_CHECKING:
    from decoct.library import Library

# Documents that an actor has in hand at a time: what is done again when it is lost.
IN_HAND = 32
# Parts that the places are cut into: enough for a large cluster to share, few enough to keep account of.
MOST_PARTS = 1_000
PAGE = 1_000


def ray_ingest(
    library: Library,
    given: Sequence[str | Path],
    address: str = LOCAL,
    *,
    prune: bool = False,
    workers: int | None = None,
    gpus: float = 0,
    allow_private: bool = False,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Bring `library` up to date with files, folders, URLs and addresses of storages, as `Library.sync` does, on the cluster at `address`.

    `address` is "local" (a cluster of this machine, started here), "auto" or HOST:PORT. `workers` is how many actors embed (default: one a
    processor but one), `gpus` how much of a GPU each of them is given. `ConfigError` where the library's embedder is an object of this
    process, `MissingExtraError` without Ray, `ClusterError` where there is no cluster or it is lost.
    """
    settings = library.status().settings
    if not settings.get("embedder_spec"):
        raise ConfigError(
            "this library's embedder is an object of this process, which workers cannot open: name one (minilm, openai:MODEL …)"
        )
    run = _Run(library.store, Feed([]), Report(), progress)
    todo = run.listed(places(given, library.own_folders, run.feed.roots, allow_private=allow_private))
    known = _known(library.store)
    with cluster(address) as ray, session_of(library.store):
        job = RayJob(
            settings["embedder_spec"],
            library.embedder.fingerprint,
            settings["chunker"],
            library.build,
            settings.get("language", "auto"),
            isinstance(library.store, SupportsNames),
            ray.put(known),
        )
        for row in _made(ray, todo, job, workers, gpus):
            made: MadeEntries | DecoctError = pickle.loads(row["body"])  # noqa: S301 - written by this package's worker
            if isinstance(made, DecoctError):
                raise made
            run.take(made)
        caught_up(library.store)
    finish(library.store, dict(known.sources), run.feed, run.report, prune=prune)
    run.tell()
    return run.report


def _made(ray: Any, todo: Sequence[FilePlace], job: RayJob, workers: int | None, gpus: float) -> Iterator[Row]:  # noqa: ANN401
    """The rows of `MadeEntries`, as they are done."""
    if not todo:
        return iter(())
    size = workers or max(int(ray.cluster_resources().get("CPU", 1)) - 1, 1)
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=size)
    rows = ray.data.from_items([one.row() for one in todo], override_num_blocks=min(len(todo), MOST_PARTS))
    made = rows.flat_map(documents_of).map_batches(
        IngestWorker, fn_constructor_args=(job,), batch_size=IN_HAND, compute=pool, num_gpus=gpus or None
    )
    return cast("Iterator[Row]", made.iter_rows())


def _known(store: Store) -> KnownDocuments:
    contents: dict[str, str] = {}
    sources: dict[str, str] = {}
    page: list[str] = []
    for info in store.documents():
        sources[info.id] = info.source
        page.append(info.id)
        if len(page) == PAGE:
            contents |= store.digests(page)
            page = []
    contents |= store.digests(page)
    return KnownDocuments({id_: content_of(digest) for id_, digest in contents.items()}, sources)


@dataclass(slots=True)
class _Run:
    """One run: what was given and read (`feed`), its report, and which contents and texts it put under which ids."""

    store: Store
    feed: Feed
    report: Report
    progress: Callable[[Report], None] | None
    told: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)
    bytes: int = 0
    bytes_read: int = 0
    left: int = 0

    def listed(self, found: Iterator[FilePlace | Failure]) -> list[FilePlace]:
        """The places to read; failures go to the report."""
        todo = []
        for one in found:
            if isinstance(one, Failure):
                self.report.failures.append(one)
            else:
                todo.append(one)
        self.bytes = sum(one.size for one in todo)
        self.left = self.report.total = len(todo)
        self.tell()
        return todo

    def take(self, made: MadeEntries) -> None:
        """Store what an actor made, and tell of it."""
        report, part = self.report, made.report
        self._put(made.entries)
        for read in made.read:
            self._note(read)
        report.unchanged += part.unchanged
        report.failures += part.failures
        report.seen += part.seen
        report.done += part.seen
        report.characters_seen += part.characters_seen
        report.characters_done += part.characters_seen
        report.embedded += part.embedded
        report.embedding_seconds = time.monotonic() - self.start
        report.total = max(report.total, report.done + self.left)
        report.share_read = min(self.bytes_read / self.bytes, 1.0) if self.bytes else 0.0
        self.tell()

    def tell(self) -> None:
        """Tell how far it is."""
        self.report.seconds = time.monotonic() - self.start
        if self.progress is not None:
            self.progress(self.report)

    def _note(self, read: FileRead) -> None:
        """A file was read to its end; a second time where a worker was lost, which changes nothing."""
        place = read.place
        if place.origin in self.feed.read:
            return
        self.feed.read[place.origin] = read.gave
        self.feed.ids |= read.gave.ids
        self.report.current = place.origin
        self.bytes_read += place.size
        self.left -= 1
        if read.note:
            self.report.notes.append(read.note)
        for root in self.feed.roots:
            if is_within(place.origin, root.path):
                root.unread += [failure.source for failure in read.gave.failures if failure.code in UNREAD]

    def _put(self, entries: Sequence[Entry]) -> None:
        """Two contents under one id are a failure."""
        kept: dict[str, Entry] = {}
        for entry in entries:
            id_, content = entry.document.id, content_of(entry.digest)
            if id_ not in self.told:
                self.told[id_] = content
                kept[id_] = entry
            elif self.told[id_] != content:  # else it was made twice, as after the loss of a worker
                reason = f"the id {id_!r} was already given in this run with another content"
                self.report.failures.append(Failure(entry.document.source or id_, reason, CorpusError.code))
        before = self.store.digests(list(kept))
        digests: Mapping[str, str] = {id_: entry.digest for id_, entry in kept.items()}
        if kept:
            self.report.same_text |= same_texts(self.store, digests, self.texts)
            self.store.put(list(kept.values()))
        replaced = sum(id_ in before for id_ in kept)
        self.report.replaced += replaced
        self.report.added += len(kept) - replaced
        self.report.chunks += sum(len(entry.chunks) for entry in kept.values())
