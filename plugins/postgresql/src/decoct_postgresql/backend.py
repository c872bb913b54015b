"""The PostgreSQL store as a backend: locations are `postgresql://` addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from decoct_postgresql import opening
from decoct_postgresql.store import PostgreSQLStore


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """Implements `decoct.index.base.Backend`."""

    def open(self, location: str, settings: Mapping[str, str], *, create: bool = True) -> PostgreSQLStore:
        """See `PostgreSQLStore.open`."""
        return PostgreSQLStore.open(location, settings=settings, create=create)

    def stored_settings(self, location: str) -> dict[str, str] | None:
        """Those in its tables."""
        return opening.stored_settings(location)

    def remove(self, location: str) -> None:
        """Its schema, if it holds a library, and those of its companions."""
        opening.remove(location)
