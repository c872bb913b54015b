"""The Milvus store as a backend: locations are `milvus://` and `milvus-lite://` addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from decoct_milvus import collections, writing
from decoct_milvus.connection import Connection
from decoct_milvus.location import located
from decoct_milvus.store import MilvusStore


@dataclass(frozen=True, slots=True)
class Milvus:
    """Implements `decoct.index.base.Backend`."""

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> MilvusStore:
        """See `MilvusStore.open`."""
        return MilvusStore.open(location, settings=settings, create=create)

    def stored_settings(self, location: str) -> dict[str, str] | None:
        """Those in its `state`."""
        place = located(location)
        if place.is_file and not Path(place.uri).exists():
            return None  # connecting would make the file
        at = Connection(location)
        try:
            return (writing.settings_of(at) or None) if at.has("state") else None
        finally:
            at.close()

    def remove(self, location: str) -> None:
        """Its collections, and those of its companions."""
        place = located(location)
        if place.is_file and not Path(place.uri).exists():
            return
        at = Connection(location)
        try:
            for name in at.client.list_collections():
                if (
                    name.startswith((f"{place.library}_", f"{place.library}__"))
                    and name.rpartition("_")[2] in collections.TABLES
                ):
                    own = name.rpartition("_")[0]
                    if own == place.library or own.startswith(f"{place.library}__"):
                        at.client.drop_collection(name)
        finally:
            at.close()
