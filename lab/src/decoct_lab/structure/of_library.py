"""A library's structures: what is built, how far behind the library it is, and its files for whoever retrieves by it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from decoct import trace
from decoct.counted import counted
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, StaleIndexError
from decoct.index.base import Store
from decoct.index.embedded.files import size_of
from decoct_lab.structure.base import Spending, StructureMethod
from decoct_lab.structure.build import BuildStructure, pages, parts_digests
from decoct_lab.structure.parts import Parts
from decoct_lab.structure.shelf import Finished, Shelf

T = TypeVar("T")

# Seconds for which a structure that was found up to date (or not) is taken to be so: asking the store costs a millisecond.
_RESTS = 2.0


@dataclass(frozen=True, slots=True)
class StructureState:
    """A structure and how far it is behind its library; one that was begun and never finished has no documents.

    `rebuild` is what reading the `new` and `changed` documents will cost, by what the others cost.
    """

    name: str
    model: str
    documents: int
    chunks: int
    failed: int
    bytes: int
    new: int
    changed: int
    gone: int
    rebuild: Spending
    rebuild_seconds: float
    finished: bool = True

    @property
    def stale(self) -> bool:
        """Whether a build has something to do, other than to try again what failed."""
        return not self.finished or self.new + self.changed + self.gone > 0

    @property
    def line(self) -> str:
        """The state in words, on one line."""
        return state_line(self)

    def as_dict(self) -> dict[str, object]:
        """As JSON-ready data."""
        return {
            "name": self.name,
            "form": "model" if self.model else "model-free",
            "model": self.model,
            "finished": self.finished,
            "stale": self.stale,
            "documents": self.documents,
            "chunks": self.chunks,
            "failed": self.failed,
            "bytes": self.bytes,
            "behind": {"new": self.new, "changed": self.changed, "gone": self.gone},
            "rebuild": {**self.rebuild.as_dict(), "seconds": round(self.rebuild_seconds, 1)},
        }


def state_line(state: StructureState) -> str:
    """A structure's state on one line: form, size, and, where it is stale, what bringing it up to date costs."""
    if not state.finished:
        return f"{state.name}  begun, not finished: run `decoct structure build {state.name}` again"
    failed = f", {state.failed} failed" if state.failed else ""
    shown = (
        f"{state.name}  {f'by {state.model}' if state.model else 'without a model'}, {counted(state.documents, 'document')}, "
        f"{counted(state.chunks, 'chunk')}{failed}, {state.bytes / 1e6:.1f} MB"
    )
    if not state.stale:
        return f"{shown}, up to date"
    behind = ", ".join(
        f"{count} {what}"
        for what, count in (("new", state.new), ("changed", state.changed), ("gone", state.gone))
        if count
    )
    cost, seconds = cost_line(state.rebuild), max(1, round(state.rebuild_seconds))
    return f"{shown}, stale ({behind}): building it again costs {cost} and about {seconds} s"


def cost_line(spent: Spending, *, most: bool = False) -> str:
    """What a build asks of a model, in words."""
    if not spent.calls:
        return "no model call"
    return (
        f"about {counted(spent.calls, 'model call')}, {spent.prompt_tokens} prompt and "
        f"{'at most ' if most else ''}{counted(spent.completion_tokens, 'completion token')}"
    )


class LibraryStructures:
    """The `Structures` of the library of `store`, which lie in its folder `home`. Thread-safe."""

    def __init__(self, store: Store, embedder: Embedder, home: Path | None) -> None:
        self._store, self._embedder, self._home = store, embedder, home
        self._lock = threading.Lock()
        self._loaded: dict[str, tuple[Finished, dict[object, Any]]] = {}
        self._asked: tuple[float, tuple[str, int, int]] = (-_RESTS, ("", 0, 0))

    @property
    def shelf(self) -> Shelf:
        """Where they are; `ConfigError` for a library without a folder."""
        if self._home is None:
            raise ConfigError(
                "structures are kept in a library's folder, which this store does not have; use a library in a directory"
            )
        return Shelf(self._home)

    def read(self, name: str, load: Callable[[Path], T]) -> T:
        """See `Structures.read`."""
        record, folder = self.shelf.made(name)
        if record.embedder != self._embedder.fingerprint:
            raise StaleIndexError(
                f"the structure {name!r} was built with another embedder: {self.shelf.advice(name)} again"
            )
        self._tell_stale(name, record)
        with self._lock:
            known = self._loaded.get(name)
            if known is None or known[0] != record:
                known = self._loaded[name] = (record, {})
            if load not in known[1]:
                known[1][load] = load(folder)
            loaded: T = known[1][load]
            return loaded

    def build(self, name: str, method: StructureMethod) -> BuildStructure:
        """The way to build, or bring up to date, the structure `name`."""
        return BuildStructure(self._store, self._embedder, self.shelf, name, method)

    def drop(self, name: str) -> int:
        """Remove a structure; return how many bytes it had."""
        with self._lock:
            self._loaded.pop(name, None)
        return self.shelf.drop(name)

    def states(self) -> list[StructureState]:
        """Every structure that is built or begun, by name."""
        if self._home is None:
            return []
        return [self._state(name) for name in self.shelf.names()]

    def _state(self, name: str) -> StructureState:
        folder, status = self.shelf.folder(name), self._store.status()
        record = self.shelf.finished(name)
        if record is None:
            return StructureState(
                name, "", 0, 0, 0, size_of(folder), status.documents, 0, 0, Spending(), 0.0, finished=False
            )
        new = changed = gone = 0
        if (record.library, record.generation, record.sequence) != (status.library, status.generation, status.sequence):
            new, changed, gone = self._behind(folder, record)
        share = (new + changed) / max(record.documents, 1)
        spent = record.spending
        rebuild = Spending(
            round(spent.calls * share), 0, round(spent.prompt_tokens * share), round(spent.completion_tokens * share)
        )
        return StructureState(
            name,
            record.model,
            record.documents,
            record.chunks,
            record.failed,
            size_of(folder),
            new,
            changed,
            gone,
            rebuild,
            record.seconds * share,
        )

    def _behind(self, folder: Path, record: Finished) -> tuple[int, int, int]:
        with closing(Parts(folder / "parts.db")) as parts:
            known, ids = parts.known(record.fingerprint), parts.ids()
        new = changed = 0
        living: set[str] = set()
        for page in pages(self._store):
            living.update(page)
            for doc_id, digest in parts_digests(self._store, page).items():
                new += doc_id not in known
                changed += doc_id in known and known[doc_id][0] != digest
        return new, changed, len(ids - living)

    def _tell_stale(self, name: str, record: Finished) -> None:
        now = time.monotonic()
        asked, state = self._asked
        if now - asked > _RESTS:
            status = self._store.status()
            state = (status.library, status.generation, status.sequence)
            self._asked = (now, state)
        if state[:2] != (record.library, record.generation):
            raise StaleIndexError(
                f"the structure {name!r} is of another state of the library: {self.shelf.advice(name)} again"
            )
        if state[2] != record.sequence:
            trace.fallback("structure.stale")
