"""What a library is opened with: what its user asked for, completed by how it was built.

A library may be built anew while somebody opens it: then its settings are read of the old one and its files found to be the new one's. It
is looked at again.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from decoct.config import resolve
from decoct.embed.base import Embedder
from decoct.errors import StaleIndexError, StoreError
from decoct.index.abilities import SupportsReplacement, SupportsState
from decoct.index.base import Store
from decoct.structure.place import PLACES
from decoct.structure.traits import VERSION
from decoct.text.languages import AUTO, checked_language

DEFAULT_EMBEDDER = "minilm"
DEFAULT_CHUNKER: Mapping[str, Any] = {"use": "structure", "tokens": 150, "overlap": 0}

# Times that opening begins again where the library was replaced meanwhile, and the pause between two, in seconds.
ATTEMPTS, PAUSE = 8, 0.02


@dataclass(frozen=True, slots=True)
class OpenedLibrary:
    """A store, and what goes with it.

    `settled`: it holds something, so its settings stay. `name` is which library it was
    found to be. `unplaced`: its chunks do not know the headings above them.
    """

    store: Store
    embedder: Embedder
    chunker: Mapping[str, Any]
    settings: Mapping[str, str]
    settled: bool
    unplaced: bool
    name: str


@dataclass(frozen=True, slots=True)
class LibraryAsked:
    """What a user asked for: where, and how it is to be built; None takes what it was built with, else the defaults."""

    location: str | Path
    embedder: str | Embedder | None = None
    chunker: str | Mapping[str, Any] | None = None
    language: str | None = None

    def opened(self, *, create: bool) -> OpenedLibrary:
        """The library; `StaleIndexError` where it was built otherwise than asked, `StoreError` where there is none and none is made."""
        from decoct.index.resolve import stored_settings

        for _ in range(ATTEMPTS - 1):
            stored = None
            try:
                stored = stored_settings(self.location)
                return self._opened(stored, create=create)
            except StaleIndexError:
                time.sleep(PAUSE)
                if stored is not None and stored_settings(self.location) == stored:
                    raise
        return self._opened(stored_settings(self.location), create=create)

    def _opened(self, stored: Mapping[str, str] | None, *, create: bool) -> OpenedLibrary:
        from decoct.embed.resolve import open_embedder
        from decoct.index.resolve import open_store, without_password

        asked = {"use": self.chunker} if isinstance(self.chunker, str) else self.chunker
        cut: Mapping[str, Any] = asked or (json.loads(stored["chunker"]) if stored else DEFAULT_CHUNKER)
        chunker = resolve(cut, "chunk", "chunker").as_dict()
        spec = self.embedder if self.embedder is not None else (stored or {}).get("embedder_spec", DEFAULT_EMBEDDER)
        if not spec:
            raise StaleIndexError(
                f"{without_password(self.location)} was built with an embedder of your own: give the same object as `embedder`"
            )
        model = open_embedder(spec, (stored or {}).get("embedder", "")) if isinstance(spec, str) else spec
        settings = {
            "embedder": model.fingerprint,
            "embedder_spec": spec if isinstance(spec, str) else "",
            "chunker": json.dumps(chunker, sort_keys=True),
            "traits": VERSION,
            PLACES: "1",
            "language": checked_language(
                (stored or {}).get("language", AUTO) if self.language is None else self.language
            ),
        }
        store = open_store(self.location, settings, create=create)
        try:
            name = store.state().library if isinstance(store, SupportsState) else ""
        except StaleIndexError:  # built anew between the two
            store.close()
            raise
        unplaced = stored is not None and PLACES not in stored
        return OpenedLibrary(store, model, chunker, settings, stored is not None, unplaced, name)


# An open library that is built anew, replaced or first filled by somebody else: its readers go on with what lies there now.
#
# A store goes on by itself where the new library was built with the same settings (`index/embedded/store.py`). Where it was built with
# others, or an older state was put back, it is opened again as it was opened first; what was asked meanwhile is asked again. A library of
# another name in its place is not followed: what is asked of one must not be answered by the other.
T = TypeVar("T")


class FollowedLibrary(Protocol):
    """What is followed of a `decoct.library.Library`, which stands above this module."""

    store: Store
    cards: Any

    @property
    def llm(self) -> Any:  # noqa: ANN401 - handed on as it is
        """The language model."""

    def follow(self) -> None:
        """Go on with what lies there now."""

    def close(self) -> None:
        """Release the files."""

    @classmethod
    def open(cls, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as `Library.open`
        """Opened as it was first."""


class Following:
    """What a library needs to be opened again: how it was asked for, and what was found then. Thread-safe."""

    def __init__(self, asked: LibraryAsked, found: OpenedLibrary) -> None:
        self.asked = asked
        self._settings, self._settled = found.settings, found.settled
        self._name = found.name
        self._guard = threading.Lock()

    def follow(self, library: FollowedLibrary) -> None:
        """See `Library.follow`."""
        store = library.store
        if (stale := self._staleness(store)) is None:
            return
        with self._guard:
            if library.store is not store:  # another thread was faster
                return
            new, cards = self._opened_again(library, stale), library.cards
            vars(library).update(vars(new))
        cards.close()
        store.close()

    def now(self, library: FollowedLibrary, ask: Callable[[], T]) -> T:
        """What `ask` finds, asked again where the library was exchanged meanwhile; its errors are those of one that was not."""
        for _ in range(ATTEMPTS - 1):
            store, generation = library.store, ("", -1)
            try:
                library.follow()
                store = library.store
                generation = _generation(store)
                return ask()
            except StoreError:
                library.follow()
                if library.store is store and _generation(store) == generation:
                    raise
        return ask()

    def _opened_again(self, library: FollowedLibrary, stale: StaleIndexError) -> FollowedLibrary:
        from decoct.index.resolve import stored_settings

        asked = self.asked
        if stored_settings(asked.location) is None:
            raise stale
        built = {"embedder": asked.embedder, "chunker": asked.chunker, "language": asked.language}
        new: FollowedLibrary = type(library).open(asked.location, **built, llm=library.llm, create=False)
        if _generation(new.store)[0] != self._name:
            new.close()
            raise stale
        return new

    def _staleness(self, store: Store) -> StaleIndexError | None:
        """Why `store` cannot stand for what lies at the location; None where it can, or goes on with it by itself."""
        try:
            if isinstance(store, SupportsReplacement) and store.replaced:
                store.digests([])  # it goes on, if it can
            if not self._settled and not self._is_as_filled(store):
                return StaleIndexError("the library was first filled with other settings than it was opened with")
        except StaleIndexError as error:
            return error
        return None

    def _is_as_filled(self, store: Store) -> bool:
        """Whether a library that was empty when it was opened is still, or was filled as it is open; true for good then."""
        from decoct.index.resolve import stored_settings

        if isinstance(store, SupportsState) and not store.state().sequence:
            return True
        stored = stored_settings(self.asked.location)
        if stored is None:
            return True
        self._settled = all(self._settings.get(name, value) == value for name, value in stored.items())
        return self._settled


def _generation(store: Store) -> tuple[str, int]:
    """Which library is open in the store, and how often it was built anew."""
    return store.state()[:2] if isinstance(store, SupportsState) else ("", 0)
