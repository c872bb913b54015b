"""Where a library's cards are kept: in a store beside its own, in the folder `cards` of a library that is a folder."""

from __future__ import annotations

import threading

from decoct.embed.base import Embedder
from decoct.errors import MissingAbilityError, StaleIndexError
from decoct.index.abilities import SupportsCompanions, SupportsReplacement
from decoct.index.base import Store
from decoct.index.resolve import open_store, remove_store, stored_settings
from decoct.retrieve.cards.index import FORMAT, OpenCards

NAME = "cards"
_ADVICE = "run `decoct cards build`"


class LibraryCards:
    """Implements `decoct.retrieve.base.CardSource` for the library of `store`: opened when first asked for. Thread-safe."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._lock = threading.Lock()
        self._opened: OpenCards | None = None

    @property
    def location(self) -> str:
        """Where they lie beside the library's store, whether there are any or not; `MissingAbilityError` where they cannot be kept."""
        if not isinstance(self._store, SupportsCompanions):
            raise MissingAbilityError(
                "cards are kept in a store beside the library's own, which this one cannot have: keep the library in a folder, "
                "or take a recipe without cards"
            )
        return self._store.companion(NAME)

    def opened(self) -> OpenCards:
        """The cards, opened once; again where they were replaced since. `StaleIndexError` where none can be used, with what to run."""
        with self._lock:
            known = self._opened
            if known is not None and not (isinstance(known.cards, SupportsReplacement) and known.cards.replaced):
                return known
            self._release()
            if not stored_settings(self.location):
                raise StaleIndexError(f"the library has no cards yet: {_ADVICE}")
            if not self.usable():
                raise StaleIndexError(
                    f"the library's cards were built with another embedder or an older Decoct: {_ADVICE} again"
                )
            self._opened = OpenCards(self._store, open_store(self.location, self._settings, create=False))
            return self._opened

    def usable(self) -> bool:
        """Whether there are cards that the embedder can search, of the present format."""
        return stored_settings(self.location) == self._settings

    def writable(self) -> OpenCards:
        """The cards for writing (close their store after use); those of another embedder or format are removed first."""
        with self._lock:
            self._release()
            if (settings := stored_settings(self.location)) and settings != self._settings:
                remove_store(self.location)
            return OpenCards(self._store, open_store(self.location, self._settings))

    def close(self) -> None:
        """Release their files."""
        with self._lock:
            self._release()

    def _release(self) -> None:
        known, self._opened = self._opened, None
        if known is not None:
            known.cards.close()

    @property
    def _settings(self) -> dict[str, str]:
        return {"embedder": self._embedder.fingerprint, "cards": FORMAT}
