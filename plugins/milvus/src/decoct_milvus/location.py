"""`milvus://user:password@host:port/name` and `milvus-lite:///FILE?library=NAME` as what their parts mean.

`name` (default `decoct`) begins the names of the library's collections. `vectors` (`exact` or `hnsw`) says how nearest vectors are found
in a library that is made: by comparing all (the default in a file), or by a graph (the default on a server). `tls=true` asks for TLS,
`database` names one of the server's databases. The token or password may come as `MILVUS_TOKEN`; it is held apart from what is shown.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from decoct.errors import ConfigError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_KNOWN = {"library", "vectors", "tls", "database"}


@dataclass(frozen=True, slots=True)
class MilvusLocation:
    """Where a library lies: `uri` is what pymilvus connects to."""

    uri: str
    library: str
    vectors: str
    database: str = ""
    token: str = field(default="", repr=False)

    @property
    def is_file(self) -> bool:
        """Whether it lies in a file of milvus-lite."""
        return "://" not in self.uri

    @property
    def address(self) -> str:
        """The address that `located` reads as this; it holds the token, so it is never to be shown."""
        if self.is_file:
            return f"milvus-lite://{quote(self.uri)}?{urlencode({'library': self.library, 'vectors': self.vectors})}"
        scheme, _, host = self.uri.partition("://")
        others = {"vectors": self.vectors, "tls": str(scheme == "https").lower(), "database": self.database}
        who = ":".join(quote(part, safe="") for part in self.token.split(":", 1)) + "@" if self.token else ""
        return (
            f"milvus://{who}{host}/{self.library}?{urlencode({key: value for key, value in others.items() if value})}"
        )

    def companion(self, name: str) -> MilvusLocation:
        """The library `name` that belongs to this one."""
        return replace(self, library=f"{self.library}__{name.replace('-', '_')}")

    def __str__(self) -> str:
        place = f"milvus-lite://{self.uri}" if self.is_file else f"milvus://{self.uri.partition('://')[2]}"
        return f"{place} (library {self.library})"


def located(location: str) -> MilvusLocation:
    """What `location` names; `ConfigError` where it cannot be read (the message shows no password)."""
    try:
        parts = urlsplit(location)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        port = parts.port or 19530
    except ValueError as error:
        raise ConfigError(
            "the Milvus address cannot be read; write milvus://HOST:PORT/NAME or milvus-lite:///FILE"
        ) from error
    if unknown := asked.keys() - _KNOWN:
        raise ConfigError(f"the Milvus address has parameters that mean nothing: {', '.join(sorted(unknown))}")
    lite = parts.scheme == "milvus-lite"
    library = asked.get("library", "") or ("" if lite else unquote(parts.path.strip("/"))) or "decoct"
    if not _NAME.fullmatch(library):
        raise ConfigError(
            f"{library!r} cannot name a library in Milvus: letters, digits and _, at most 100, no digit first"
        )
    vectors = asked.get("vectors", "exact" if lite else "hnsw")
    if vectors not in {"exact", "hnsw"}:
        raise ConfigError(f"vectors={vectors!r} is neither exact nor hnsw")
    if lite:
        if not (path := unquote(parts.netloc + parts.path)).endswith(".db"):
            raise ConfigError(
                "milvus-lite keeps a library in a file whose name ends with .db: milvus-lite:///path/to/library.db"
            )
        return MilvusLocation(str(Path(path).expanduser().absolute()), library, vectors)
    given = f"{unquote(parts.username or '')}:{unquote(parts.password)}" if parts.password is not None else ""
    token = given or os.environ.get("MILVUS_TOKEN", "")
    scheme = "https" if asked.get("tls") == "true" else "http"
    return MilvusLocation(f"{scheme}://{parts.hostname}:{port}", library, vectors, asked.get("database", ""), token)
