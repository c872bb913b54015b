"""A run's rows made by a `Workforce`, such as the workers of a cluster: slices of questions out, rows back, in the order of the questions.

A worker opens the libraries once and runs a `Runner` of its own. Contexts, answers and scores do not depend on who makes them, and the
record is written by the process that deals the slices out; only the times of rows are those of the worker's machine.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoct.embed.base import Embedder
from decoct.errors import WorkerSetupError
from decoct.evaluate.record import Row
from decoct.evaluate.run import Plan, Runner, Todo
from decoct.evaluate.session import RowSource
from decoct.index.resolve import folder_of, is_folder, without_password
from decoct.library import Library
from decoct.llm.base import LLM

if TYPE_CHECKING:  # a pool is one of itself: who spreads rows needs no laboratory
    from decoct_lab.workforce import Workforce

# Slices for each worker where nothing else decides their size, so that all of them end at about the same time.
_EACH = 4


@dataclass(frozen=True, slots=True)
class LibraryAt:
    """Where a worker opens a library, and its state (`Status`: library, generation, sequence): a copy of other days gives other rows."""

    place: str
    state: tuple[str, int, int]

    @classmethod
    def of(cls, place: str, library: Library) -> LibraryAt:
        """The library opened at `place`, which is told in full where it is a folder."""
        return cls(str(folder_of(place, "this").resolve()) if is_folder(place) else place, _state(library))


@dataclass(frozen=True, slots=True)
class SliceToMake:
    """Some questions with what is left of their pairs; `first` of the run."""

    todo: Todo
    first: bool


@dataclass(frozen=True, slots=True)
class MadeRows:
    """The rows of a slice, and fallbacks that belong to no single question."""

    rows: list[Row]
    fallbacks: Mapping[str, int]


@dataclass(slots=True)
class RowMaker:
    """Makes the rows of slices over the libraries (by chunker), which are opened with the first."""

    plan: Plan
    libraries: Mapping[str, LibraryAt]
    embedder: str | Embedder | None
    llm: LLM | None
    _runner: Runner | None = field(default=None, init=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False)

    def __call__(self, part: SliceToMake) -> MadeRows:
        """The rows of one slice."""
        if self._runner is None:
            self._runner = Runner(self.plan, self._opened())
        before = Counter(self._runner.fallbacks)
        rows = self._runner.rows(part.todo, first=part.first)
        return MadeRows(rows, self._runner.fallbacks - before)

    def __reduce__(self) -> tuple[object, ...]:
        return RowMaker, (self.plan, self.libraries, self.embedder, self.llm)

    def _opened(self) -> dict[str, Library]:
        found = {one: self._library(one) for one in dict.fromkeys(self.libraries.values())}
        return {chunker: found[one] for chunker, one in self.libraries.items()}

    def _library(self, one: LibraryAt) -> Library:
        told = f"the worker on {socket.gethostname()} does not see the library {without_password(one.place)}"
        advice = "put it where every machine finds it under the same path (--library DIR or --cache DIR in a shared folder), or on a server"
        if is_folder(one.place) and not (folder_of(one.place, "this") / "library.db").is_file():
            raise WorkerSetupError(f"{told}: {advice} (`decoct copy`)")
        library = Library.open(one.place, embedder=self.embedder, llm=self.llm, create=False)
        self._open.enter_context(library)
        if _state(library) != one.state:
            raise WorkerSetupError(
                f"{told} as it is on the machine of the command: {advice}, and leave it alone meanwhile"
            )
        return library


@dataclass(frozen=True, slots=True)
class SpreadRows:
    """Makes the rows of a run by `workforce`; what the workers fall back on is added to `fallbacks`."""

    maker: RowMaker
    workforce: Workforce
    fallbacks: Counter[str]

    @classmethod
    def of(
        cls,
        runner: Runner,
        places: Mapping[str, str],
        embedder: str | Embedder | None,
        llm: LLM | None,
        workforce: Workforce,
    ) -> SpreadRows:
        """For the run of `runner`, whose libraries lie at `places` (by chunker); its documents are in them, and stay here."""
        libraries = {chunker: LibraryAt.of(places[chunker], library) for chunker, library in runner.libraries.items()}
        return cls(RowMaker(runner.plan.sendable, libraries, embedder, llm), workforce, runner.fallbacks)

    def slices(self, todo: Todo) -> Iterator[list[Row]]:
        """The rows of `todo`, a list a slice, in order."""
        parts = self.maker.plan.parts(todo, -(-len(todo) // (_EACH * self.workforce.width)))
        slices = [SliceToMake(part, number == 0) for number, part in enumerate(parts)]
        for _, made in self.workforce.results(self.maker, slices):
            self.fallbacks.update(made.fallbacks)
            yield made.rows


def rows_by(workforce: Workforce) -> RowSource:
    """What makes the rows of a run by `workforce` (`Setup.rows`)."""
    return lambda runner, places, embedder, llm: SpreadRows.of(runner, places, embedder, llm, workforce).slices


def _state(library: Library) -> tuple[str, int, int]:
    status = library.status()
    return status.library, status.generation, status.sequence
