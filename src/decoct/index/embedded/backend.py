"""The embedded store as a backend: locations are folders."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from decoct.index.embedded import opening
from decoct.index.embedded.store import EmbeddedStore
from decoct.index.resolve import folder_of


@dataclass(frozen=True, slots=True)
class Embedded:
    """Implements `decoct.index.base.Backend`."""

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> EmbeddedStore:
        """See `EmbeddedStore.open`."""
        return EmbeddedStore.open(folder_of(location, "this"), settings=settings, create=create)

    def stored_settings(self, location: str) -> dict[str, str] | None:
        """Those in its database."""
        return opening.stored_settings(folder_of(location, "this"))

    def remove(self, location: str) -> None:
        """The folder and everything in it, if it holds a library."""
        folder = folder_of(location, "this")
        if (folder / opening.FILE).is_file():
            shutil.rmtree(folder)
