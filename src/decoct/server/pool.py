"""Open libraries: at most so many at once, the least recently used closed first, never one that is in use."""

from __future__ import annotations

import json
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from decoct.errors import ConfigError, MissingExtraError, StaleIndexError, StoreError
from decoct.index.resolve import is_folder, remove_store, stored_settings
from decoct.library import Library
from decoct.llm.base import LLM
from decoct.server.problems import ProblemError, no_library
from decoct.server.settings import NAME

_BUILD = "build.json"  # how a library without documents is to be built
_FILES = ("library.db", "library.db-wal", "library.db-shm", "write.lock", "write.holder", _BUILD)
_FOLDERS = ("lexical", "vectors", "cards", "structures", "originals")


@dataclass(slots=True)
class _Opened:
    library: Library
    made: str = ""
    users: int = 0
    closing: bool = False


class Libraries:
    """The libraries of a server by name: those given at its start, and those made by requests, under `state/libraries`. Thread-safe."""

    def __init__(self, given: Mapping[str, str | Path], state: Path, llm: LLM | None, most: int) -> None:
        self._given, self._made = dict(given), state / "libraries"
        self._llm, self._most = llm, most
        self._open: OrderedDict[str, _Opened] = OrderedDict()
        self._guard = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._unusable: set[str] = set()

    def names(self) -> list[str]:
        """All there are, sorted."""
        return sorted({*self._given, *self._made_names()})

    def place(self, name: str) -> str | Path | None:
        """Where a library lies, a folder or an address; None for a name that is none. The name of a request is never a path."""
        if name in self._given:
            return self._given[name]
        return self._made_place(name) if NAME.fullmatch(name) else None

    def create(self, name: str, embedder: str, chunker: str) -> None:
        """Make an empty library; 409 if there is one of that name."""
        exists = ProblemError(409, f"there is a library {name!r} already", code="exists", param="name")
        if self.place(name) is not None:
            raise exists
        with ExitStack() as undone:  # else its name would be taken by what cannot be opened
            if (place := self._begun(name, embedder, chunker, undone)) is None:  # made by another request just now
                raise exists
            Library.open(place, embedder=embedder, chunker=chunker).close()
            undone.pop_all()

    def delete(self, name: str) -> None:
        """Close a library and remove its files; of a folder given at the start only what is a library's own."""
        folder = self.place(name)
        if folder is None:
            return
        with self._guard:
            held = self._open.get(name)
            if held is not None and held.users:
                raise ProblemError(409, "the library is in use; try again in a moment", code="in-use", retry_after=1)
            if held is not None:
                del self._open[name]
                held.library.close()
            self._given.pop(name, None)
            if not isinstance(folder, Path):
                remove_store(folder)
                return
            if folder.parent == self._made:
                shutil.rmtree(folder)
                return
            for file in _FILES:
                (folder / file).unlink(missing_ok=True)
            for inner in _FOLDERS:
                shutil.rmtree(folder / inner, ignore_errors=True)

    @contextmanager
    def use(self, name: str) -> Iterator[Library]:
        """The library, open for as long as the block lasts."""
        held = self._taken(name)
        try:
            yield held.library
        finally:
            with self._guard:
                held.users -= 1
                if held.closing and not held.users:
                    held.library.close()

    def forget(self, name: str) -> None:
        """Open the library anew at its next use: it was built anew."""
        with self._guard:
            held = self._open.pop(name, None)
            if held is not None:
                held.closing = True
                if not held.users:
                    held.library.close()

    def unusable(self) -> list[str]:
        """The libraries that could not be opened when they were last asked for, and cannot be now."""
        for name in list(self._unusable):
            try:
                with self.use(name):
                    pass
            except (StoreError, ProblemError, RuntimeError):
                continue
        return sorted(self._unusable & set(self.names()))

    def close(self) -> None:
        """Close all that is not in use; what is, closes when its last user is done."""
        for name in list(self._open):
            self.forget(name)

    def _taken(self, name: str) -> _Opened:
        made = self._made_as(name)
        if (known := self._open.get(name)) is not None and (known.made != made or not _goes_on(known.library)):
            self.forget(name)  # another replica removed it and made it anew, or it was replaced
        with self._guard:
            if (held := self._open.get(name)) is not None and held.made == made:
                return self._counted(name, held)
            opening = self._opening.setdefault(name, threading.Lock())
        with opening:  # one opens, the others wait for it; other libraries go on
            with self._guard:
                if (held := self._open.get(name)) is not None:
                    return self._counted(name, held)
            try:
                library = self._opened(name)
            except StoreError:
                self._unusable.add(name)
                raise
            self._unusable.discard(name)
            with self._guard:
                held = self._open[name] = _Opened(library, made)
                self._counted(name, held)
                self._shrink()
                return held

    def _counted(self, name: str, held: _Opened) -> _Opened:
        held.users += 1
        self._open.move_to_end(name)
        return held

    def _shrink(self) -> None:
        for name in list(self._open):
            if len(self._open) <= self._most:
                return
            if not self._open[name].users:
                self._open.pop(name).library.close()

    def _made_as(self, name: str) -> str:
        """The mark of a library's making, where another server may remove it and make it anew; else empty."""
        return ""

    def _made_names(self) -> list[str]:
        made = self._made.iterdir() if self._made.is_dir() else ()
        return [path.name for path in made if path.is_dir() and NAME.fullmatch(path.name)]

    def _made_place(self, name: str) -> str | Path | None:
        made = self._made / name
        return made if made.is_dir() else None

    def _begun(self, name: str, embedder: str, chunker: str, undone: ExitStack) -> str | Path | None:
        """The place of a library that is being made, its name taken until it is `undone`; None where it was taken."""
        place = self._made / name
        try:
            place.mkdir(parents=True)
        except FileExistsError:
            return None
        undone.callback(shutil.rmtree, place, ignore_errors=True)
        (place / _BUILD).write_text(json.dumps({"embedder": embedder, "chunker": chunker}), "utf-8")
        return place

    def build_of(self, name: str) -> tuple[str | None, str | None]:
        """The embedder and chunker that a library without documents is to be built with; None, its own, for one that has some."""
        place = self.place(name)
        if place is None or stored_settings(place) is not None:
            return None, None
        file = Path(place) / _BUILD
        if not is_folder(place) or not file.is_file():
            return None, None
        build = json.loads(file.read_text("utf-8"))
        return build["embedder"], build["chunker"]

    def _opened(self, name: str) -> Library:
        folder = self.place(name)
        if folder is None:
            raise no_library(name)
        embedder, chunker = self.build_of(name)
        try:
            return Library.open(folder, embedder=embedder, chunker=chunker, llm=self._llm, create=False)
        except MissingExtraError:
            raise
        except ConfigError as error:  # the server's fault, not the request's
            raise RuntimeError(f"the library {name!r} cannot be opened: {error}") from error


def _goes_on(library: Library) -> bool:
    """Whether an open library is, or goes on as, what lies at its place: it may be built anew at any time."""
    try:
        library.follow()
    except StaleIndexError:
        return False
    return True
