"""The structures of a library (graphs, trees, summaries), as recipes read them: the laboratory builds and keeps them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from decoct import plugins
from decoct.embed.base import Embedder
from decoct.index.base import Store

T = TypeVar("T")


class Structures(Protocol):
    """The finished structures of a library: handed to retrievers as a resource."""

    def read(self, name: str, load: Callable[[Path], T]) -> T:
        """What `load` makes of the folder of the structure `name`, made once for each that is finished.

        `MissingStructureError` where there is none, with the command that builds it. A structure that is older than the library is used,
        and counted (`structure.stale`); chunks that are gone since are in it: `Store.passing` tells.
        """


class LaboratoryStructures:
    """Implements `Structures` by what the laboratory brings (`decoct.structures`), loaded when it is first asked for."""

    def __init__(self, store: Store, embedder: Embedder, home: Path | None) -> None:
        self._library = (store, embedder, home)

    @cached_property
    def _of_library(self) -> Any:  # noqa: ANN401 - decoct_lab.structure.of_library.LibraryStructures
        return plugins.load("structures", "of-library", "structures")(*self._library)

    def read(self, name: str, load: Callable[[Path], T]) -> T:
        """See `Structures.read`."""
        found: T = self._of_library.read(name, load)
        return found

    def states(self) -> list[Any]:
        """Every structure that is built or begun, by name, with how far it is behind; none where no distribution brings any."""
        states: list[Any] = self._of_library.states() if "of-library" in plugins.points("structures") else []
        return states

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - `build`, `drop`, `shelf` of the laboratory's
        return getattr(self._of_library, name)
