"""`postgresql://user:password@host:port/database?library=NAME&vectors=exact&sslmode=verify-full` as what its parts mean.

`library` (default `decoct`) names the schema in which the library lies, `vectors` how nearest vectors are found: `exact` (every vector is
compared), `hnsw`, or `auto` (default: exact up to `nearest.EXACT` chunks). Every other parameter is libpq's own (`sslmode`,
`sslrootcert`, `connect_timeout`, `service` …), and what is not given comes from libpq's environment (`PGPASSWORD`, `PGHOST` …) and
password file. The password is held apart, so that neither a message nor a `repr` can show it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from decoct.errors import ConfigError

SCHEMES = ("postgresql", "postgres")
VECTORS = ("auto", "exact", "hnsw")
# A companion's name follows a dot; an identifier of PostgreSQL has 63 bytes.
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,39}(\.[a-z-]{1,22})?")


@dataclass(frozen=True, slots=True)
class PostgreSQLLocation:
    """Where a library lies: `parameters` are libpq's, without the password."""

    parameters: dict[str, str]
    library: str
    vectors: str
    password: str | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """The address that `located` reads as this; it holds the password, so it is never to be shown."""
        named = {name: self.parameters.get(name, "") for name in ("user", "host", "port", "dbname")}
        others = {name: value for name, value in self.parameters.items() if name not in named}
        user = quote(named["user"], safe="") + (
            f":{quote(self.password, safe='')}" if self.password is not None else ""
        )
        host = f"[{named['host']}]" if ":" in named["host"] else quote(named["host"], safe="")
        place = f"{user}{'@' if user else ''}{host}{':' if named['port'] else ''}{named['port']}"
        query = urlencode({"library": self.library, "vectors": self.vectors, **others})
        return f"postgresql://{place}/{quote(named['dbname'], safe='')}?{query}"

    def companion(self, name: str) -> PostgreSQLLocation:
        """The library `name` that belongs to this one."""
        return replace(self, library=f"{self.library}.{name}")

    def __str__(self) -> str:
        host, port = self.parameters.get("host", ""), self.parameters.get("port", "")
        place = (
            f"{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}/{self.parameters.get('dbname', '')}"
        )
        return f"postgresql://{place}?library={self.library}"


def located(location: str) -> PostgreSQLLocation:
    """What `location` names; `ConfigError` where it cannot be read (the message shows no password)."""
    try:
        parts = urlsplit(location)
        port = parts.port
        asked = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise ConfigError(
            "the postgresql:// address cannot be read; write postgresql://USER@HOST:PORT/DATABASE?library=NAME and "
            "percent-encode what else stands in it, or give the password as PGPASSWORD"
        ) from error
    library, vectors = asked.pop("library", "decoct"), asked.pop("vectors", "auto")
    if not _NAME.fullmatch(library):
        raise ConfigError(
            f"library={library!r} cannot name a library: lower-case letters, digits, _ and -, at most 40, no digit first"
        )
    if vectors not in VECTORS:
        raise ConfigError(f"vectors={vectors!r} is none of {', '.join(VECTORS)}")
    if "password" in asked:
        raise ConfigError(
            "give the password before the @ of the address, percent-encoded, or as PGPASSWORD: parameters are shown"
        )
    password = unquote(parts.password) if parts.password is not None else None
    found = {
        "host": unquote(parts.hostname or ""),
        "port": str(port or ""),
        "user": unquote(parts.username or ""),
        "dbname": unquote(parts.path.removeprefix("/")),
    }
    given = {name: value for name, value in found.items() if value}
    return PostgreSQLLocation({"connect_timeout": "10", **asked, **given}, library, vectors, password)
