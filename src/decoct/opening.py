"""What a library is opened with: what its user asked for, completed by how it was built.

A library may be built anew while somebody opens it: then its settings are read of the old one and its files found to be the new one's. It
is looked at again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decoct.config import resolve
from decoct.embed.base import Embedder
from decoct.errors import StaleIndexError
from decoct.index.abilities import SupportsState
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
        model = open_embedder(spec) if isinstance(spec, str) else spec
        settings = {
            "embedder": model.fingerprint,
            "embedder_spec": spec if isinstance(spec, str) else "",
            "chunker": json.dumps(chunker, sort_keys=True),
            "traits": VERSION,
            PLACES: "1",
            "language": checked_language(self.language or (stored or {}).get("language", AUTO)),
        }
        store = open_store(self.location, settings, create=create)
        try:
            name = store.state().library if isinstance(store, SupportsState) else ""
        except StaleIndexError:  # built anew between the two
            store.close()
            raise
        unplaced = stored is not None and PLACES not in stored
        return OpenedLibrary(store, model, chunker, settings, stored is not None, unplaced, name)
