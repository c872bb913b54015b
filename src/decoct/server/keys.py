"""Keys: who may do what with which library.

A key is `dk_<id>_<secret>`, shown once when it is made; kept is the SHA-256 of the whole, and what it may do. The file `keys.json` in
the server's state folder is written whole (a new file put in the old one's place), and read again when it changed, so `decoct keys`
works beside a running server.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from decoct.errors import ConfigError

Scope: TypeAlias = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "write", "admin")
ANY = "*"


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is kept: never its secret. `libraries` maps names, or "*" for all, to a scope; `server` allows making libraries."""

    id: str
    sha256: str
    libraries: Mapping[str, Scope] = field(default_factory=dict)
    server: bool = False
    note: str = ""
    created: int = 0

    def caller(self) -> Caller:
        """Who asks with it."""
        return Caller(self.id, self.libraries, self.server)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a key, or whoever is at this machine where no keys are needed (`key_id` "")."""

    key_id: str
    libraries: Mapping[str, Scope]
    server: bool

    def scope(self, library: str) -> Scope | None:
        """What the caller may do with `library`; None where it may not know of it."""
        mine = [self.libraries[name] for name in (library, ANY) if name in self.libraries]
        return max(mine, key=SCOPES.index) if mine else None

    def may(self, library: str, scope: Scope) -> bool:
        """Whether the caller has at least `scope` on `library`."""
        mine = self.scope(library)
        return mine is not None and SCOPES.index(mine) >= SCOPES.index(scope)


EVERYTHING = Caller("", {ANY: "admin"}, server=True)


def grants(given: list[str]) -> dict[str, Scope]:
    """`LIB:read` and the like as a map; `ConfigError` for another form."""
    found: dict[str, Scope] = {}
    for one in given:
        name, colon, scope = one.rpartition(":")
        if not colon or not name or scope not in SCOPES:
            raise ConfigError(f"--library {one!r}: write it as NAME:read, NAME:write or NAME:admin (NAME may be *)")
        found[name.lower()] = scope  # a library is served under its folder's name in small letters
    return found


class Keys:
    """The keys of a server; replicas share theirs (`decoct_postgresql.shared`). Thread-safe; processes may read while one writes."""

    def __init__(self, state: Path) -> None:
        self._path = state / "keys.json"
        self._guard = threading.RLock()
        self._seen: tuple[int, int] | None = None
        self._keys: Mapping[str, Key] = {}

    def all(self) -> list[Key]:
        """The keys, oldest first."""
        return sorted(self._read().values(), key=lambda key: (key.created, key.id))

    def add(self, libraries: Mapping[str, Scope], *, server: bool = False, note: str = "") -> tuple[Key, str]:
        """Make a key; return it and its one and only showing."""
        with self._guard:
            known = self._read()
            key, token = made_key(libraries, server=server, note=note, taken=known)
            self._write({**known, key.id: key})
        return key, token

    def revoke(self, id_: str) -> None:
        """Take a key away, also from a running server; `ConfigError` if there is none of that id."""
        with self._guard:
            known = self._read()
            if id_ not in known:
                raise ConfigError(f"there is no key {id_!r}; `decoct keys list` shows them")
            self._write({one: key for one, key in known.items() if one != id_})

    def key(self, id_: str) -> Key | None:
        """The key of that id."""
        return self._read().get(id_)

    def caller(self, token: str) -> Caller | None:
        """Who has this key; None for one that is not, or no longer, ours."""
        parts = token.split("_", 2)
        key = self.key(parts[1]) if len(parts) == 3 else None
        # A digest is compared also for an unknown id, so that the time says nothing.
        same = hmac.compare_digest(digest_of(token), key.sha256 if key else "0" * 64)
        return key.caller() if key is not None and same else None

    def by_id(self, id_: str) -> Caller | None:
        """Who has the key of this id, if it was not revoked: for sessions of the web page."""
        key = self.key(id_)
        return key.caller() if key else None

    def _read(self) -> Mapping[str, Key]:
        with self._guard:
            try:
                status = self._path.stat()
                if (seen := (status.st_mtime_ns, status.st_ino)) != self._seen:
                    table = json.loads(self._path.read_text("utf-8"))
                    self._keys, self._seen = {one["id"]: Key(**one) for one in table["keys"]}, seen
            except FileNotFoundError:
                self._keys, self._seen = {}, None
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(
                    f"{self._path} is damaged: put back a copy, or remove it and add keys anew"
                ) from error
            return self._keys

    def _write(self, keys: Mapping[str, Key]) -> None:
        new = self._path.with_name(f".keys-{os.getpid()}.json")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump({"keys": [asdict(key) for key in keys.values()]}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as error:
            raise ConfigError(
                f"{self._path} could not be written ({error.strerror or error}): check the disk's space and the permissions; "
                "the keys are as they were"
            ) from error
        self._seen = None


def made_key(
    libraries: Mapping[str, Scope], *, server: bool, note: str, taken: Collection[str] = ()
) -> tuple[Key, str]:
    """A new key, and its one and only showing."""
    if not libraries and not server:
        raise ConfigError("a key that may do nothing is of no use: give --library NAME:read or --server-admin")
    id_ = secrets.token_hex(4)
    while id_ in taken:
        id_ = secrets.token_hex(4)
    token = f"dk_{id_}_{secrets.token_urlsafe(32)}"
    return Key(id_, digest_of(token), dict(libraries), server, note, int(time.time())), token


def digest_of(token: str) -> str:
    """The SHA-256 of a secret, in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
