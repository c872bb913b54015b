"""What replicas of a server share in PostgreSQL beside its jobs: keys, sessions, rates, the libraries that requests made."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from decoct.errors import ConfigError
from decoct.index.resolve import stored_settings
from decoct.llm.base import LLM
from decoct.server.keys import Caller, Key, Keys, Scope, digest_of, made_key
from decoct.server.pool import Libraries
from decoct.server.sessions import LASTS, RequestRates, Sessions
from decoct.server.tables import Row, Tables


@dataclass(frozen=True, slots=True)
class SharedKeys(Keys):
    """The keys in a table: each request looks its own up, so one that was revoked ends at once everywhere."""

    tables: Tables

    def all(self) -> list[Key]:
        """The keys, oldest first."""
        return [_key(row) for row in self.tables.run("SELECT * FROM keys ORDER BY created, id")]

    def add(self, libraries: Mapping[str, Scope], *, server: bool = False, note: str = "") -> tuple[Key, str]:
        """Make a key; return it and its one and only showing."""
        key, token = made_key(libraries, server=server, note=note)
        self.tables.run(
            "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?)",
            (key.id, key.sha256, json.dumps(dict(key.libraries)), key.server, key.note, key.created),
        )
        return key, token

    def revoke(self, id_: str) -> None:
        """Take a key away; `ConfigError` if there is none of that id."""
        if not self.tables.run("DELETE FROM keys WHERE id = ? RETURNING id", (id_,)):
            raise ConfigError(f"there is no key {id_!r}; `decoct keys list` shows them")

    def key(self, id_: str) -> Key | None:
        """The key of that id."""
        if "\0" in id_:  # no text of PostgreSQL
            return None
        rows = self.tables.run("SELECT * FROM keys WHERE id = ?", (id_,))
        return _key(rows[0]) if rows else None


def _key(row: Row) -> Key:
    return Key(row["id"], row["sha256"], json.loads(row["libraries"]), row["server"], row["note"], row["created"])


class SharedSessions(Sessions):
    """Sessions of the web page that every replica knows, and one secret for the tokens of forms."""

    def __init__(self, keys: Keys, tables: Tables) -> None:
        self._keys, self._tables = keys, tables
        self._secret = bytes.fromhex(tables.run("SELECT value FROM state WHERE name = 'secret'")[0]["value"])

    def begin(self, caller: Caller) -> str:
        """A new session's cookie; those that ended are forgotten."""
        cookie, clock = secrets.token_urlsafe(32), self._tables.clock
        self._tables.run(f"DELETE FROM sessions WHERE until < {clock}")
        self._tables.run(
            f"INSERT INTO sessions VALUES (?, ?, {clock} + ?)",
            (digest_of(cookie), caller.key_id, float(LASTS)),
        )
        return cookie

    def caller(self, cookie: str) -> Caller | None:
        """Who has this cookie; None when it ended."""
        rows = self._tables.run(
            f"SELECT key_id FROM sessions WHERE digest = ? AND until > {self._tables.clock}",
            (digest_of(cookie),),
        )
        return self._keys.by_id(rows[0]["key_id"]) if rows else None

    def end(self, cookie: str) -> None:
        """Log out."""
        self._tables.run("DELETE FROM sessions WHERE digest = ?", (digest_of(cookie),))


@dataclass(frozen=True, slots=True)
class SharedRates(RequestRates):
    """A bucket of a second's requests a caller, one at least, over all replicas."""

    tables: Tables
    per_second: float

    def let_in(self, who: str) -> bool:
        """Whether one more request of `who` may pass now."""
        most, clock = max(1.0, self.per_second), self.tables.clock
        now = f"least(?, r.left_over + greatest({clock} - r.at, 0) * ?)"
        rows = self.tables.run(
            f"INSERT INTO rates AS r VALUES (?, ?, {clock}, true) ON CONFLICT (who) DO UPDATE SET "
            f"let_in = {now} >= 1, left_over = {now} - CASE WHEN {now} >= 1 THEN 1 ELSE 0 END, at = {clock} RETURNING let_in",
            (who, most - 1, *(most, self.per_second) * 3),
        )
        return bool(rows[0]["let_in"])


class SharedLibraries(Libraries):
    """The libraries of all replicas: those that requests made lie beside the state, in the same database."""

    def __init__(
        self,
        given: Mapping[str, str | Path],
        place: Path,
        llm: LLM | None,
        most: int,
        *,
        tables: Tables,
        address_of: Callable[[str], str],
    ) -> None:
        super().__init__(given, place, llm, most)
        self._tables, self._address_of = tables, address_of

    def delete(self, name: str) -> None:
        """Close a library and remove it, for every replica."""
        made = name not in self._given
        super().delete(name)
        if made:
            self._tables.run("DELETE FROM libraries WHERE name = ?", (name,))

    def build_of(self, name: str) -> tuple[str | None, str | None]:
        """The embedder and chunker that a library without documents is to be built with; None, its own, for one that has some."""
        place, row = self.place(name), self._row(name)
        if row is None or place is None or stored_settings(place) is not None:
            return super().build_of(name)
        return row["embedder"], row["chunker"]

    def _made_as(self, name: str) -> str:
        row = None if name in self._given else self._row(name)
        return str(row["made"]) if row else ""

    def _made_names(self) -> list[str]:
        return [row["name"] for row in self._tables.run("SELECT name FROM libraries")]

    def _made_place(self, name: str) -> str | None:
        return self._address_of(name) if self._row(name) is not None else None

    def _begun(self, name: str, embedder: str, chunker: str, undone: ExitStack) -> str | None:
        place = self._address_of(name)
        taken = self._tables.run(
            "INSERT INTO libraries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name",
            (name, embedder, chunker, secrets.token_hex(8)),
        )
        if not taken:
            return None
        undone.callback(self._tables.run, "DELETE FROM libraries WHERE name = ?", (name,))
        return place

    def _row(self, name: str) -> Row | None:
        """How `name` is to be built, and the mark of its making; None where there is none."""
        rows = self._tables.run("SELECT * FROM libraries WHERE name = ?", (name,))
        return rows[0] if rows else None
