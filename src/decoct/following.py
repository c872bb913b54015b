"""An open library that is built anew, replaced or first filled by somebody else: its readers go on with what lies there now.

A store goes on by itself where the new library was built with the same settings (`index/embedded/store.py`). Where it was built with
others, or an older state was put back, it is opened again as it was opened first; what was asked meanwhile is asked again. A library of
another name in its place is not followed: what is asked of one must not be answered by the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from decoct.errors import StaleIndexError, StoreError
from decoct.index.abilities import SupportsReplacement, SupportsState
from decoct.index.base import Store
from decoct.opening import LibraryAsked, OpenedLibrary

T = TypeVar("T")

# Times that something is asked: each takes another library to be put there meanwhile.
ATTEMPTS = 8


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
