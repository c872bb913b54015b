"""What replicas of a server share in PostgreSQL beside its jobs: keys, sessions, rates, the libraries that requests made."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from decoct.errors import ConfigError
from decoct.server.keys import Caller, Key, Keys, Scope, digest_of, made_key
from decoct.server.rates import RequestRates
from decoct.server.sessions import LASTS, Sessions
from decoct.server.tables import Row, SharedTables


@dataclass(frozen=True, slots=True)
class SharedKeys(Keys):
    """The keys in a table: each request looks its own up, so one that was revoked ends at once everywhere."""

    tables: SharedTables

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

    def __init__(self, keys: Keys, tables: SharedTables) -> None:
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

    tables: SharedTables
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


@dataclass(frozen=True, slots=True)
class MadeLibraries:
    """Libraries that requests made, beside the state in the same database."""

    tables: SharedTables
    address_of: Callable[[str], str]

    def names(self) -> list[str]:
        """All of them."""
        return [row["name"] for row in self.tables.run("SELECT name FROM libraries")]

    def get(self, name: str) -> Row | None:
        """How `name` is to be built, and the mark of its making; None where there is none."""
        rows = self.tables.run("SELECT * FROM libraries WHERE name = ?", (name,))
        return rows[0] if rows else None

    def add(self, name: str, embedder: str, chunker: str) -> bool:
        """Note a library; False where there is one of that name."""
        return bool(
            self.tables.run(
                "INSERT INTO libraries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name",
                (name, embedder, chunker, secrets.token_hex(8)),
            )
        )

    def remove(self, name: str) -> None:
        """Forget a library."""
        self.tables.run("DELETE FROM libraries WHERE name = ?", (name,))

    def address(self, name: str) -> str:
        """Where it lies; it holds the password, so it is never to be shown."""
        return self.address_of(name)
