"""Files of a storage that fsspec knows.

`s3://BUCKET/FOLDER` (package s3fs), `gs://` (gcsfs), `abfs://` (adlfs), `webdav://HOST/FOLDER` (webdav4) and others.
Each of these packages takes what it needs to be let in from the environment, or from user and password in the address; those are kept
nowhere. Hidden files and those of version control are passed over, as in a folder. Hosts are not checked, as they are for web pages: the
storage is one's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast
from urllib.parse import quote, unquote, urlsplit

from decoct.documents.base import Failure, Limits, Source, size
from decoct.documents.files import SKIPPED, printable, without_controls
from decoct.errors import CorpusError, MissingExtraError, UnreadableError

WEB = ("http", "https")
NO_FILE = "there is no file at this address"
_LOCAL = ("file", "local")
_WEBDAV = {"webdav": "http", "dav": "http", "webdavs": "https", "davs": "https"}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file: its `address`, the `name` its document goes by, where a person finds it, and its size in bytes."""

    address: str
    name: str
    origin: str
    size: int

    def source(self, limits: Limits | None = None) -> Source:
        """What a parser reads; it is fetched when it is opened."""
        limits = limits or Limits()
        return Source(self.name, lambda: opened(self.address, limits), self.origin, limits=limits)


def is_stored(address: str) -> bool:
    """Whether an address with a scheme is one of a storage, and not of the web."""
    return urlsplit(address).scheme.lower() not in (*WEB, *_LOCAL)


def root_of(address: str) -> str:
    """The address below which a sync may miss files, as fsspec writes it: without user, password and the last slash."""
    try:
        system, top = _storage(address)
    except Exception:  # noqa: BLE001 - what cannot be reached is told where it is listed
        return _bare(address)
    return _named(address, system, top)


def _named(address: str, system: Any, path: str) -> str:  # noqa: ANN401 - fsspec has no types
    """The address of a path of the storage that `address` is in."""
    if urlsplit(address).scheme.lower() in _WEBDAV:
        return f"{_bare(address).split('//')[0]}//{urlsplit(_bare(address)).netloc}/{path.strip('/')}"
    return str(system.unstrip_protocol(path))


def _bare(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{unquote(parts.path)}".rstrip("/")


def stored_files(address: str) -> list[StoredFile]:
    """The files at and below an address, by name; `CorpusError` where it cannot be listed."""
    try:
        system, top = _storage(address)
        system.invalidate_cache()  # fsspec lists once a process, and a server or a sync looks again
        known: dict[str, Any] = system.find(top, detail=True)
    except MissingExtraError:
        raise
    except Exception as error:  # every storage has errors of its own
        raise CorpusError(f"it cannot be listed: {error}") from error
    folder, begin = top.rpartition("/")[2], address.rstrip("/")
    webdav = urlsplit(address).scheme.lower() in _WEBDAV  # fsspec's own addresses are not quoted
    found = []
    for path in sorted(known):
        inside = path.strip("/")[len(top.strip("/")) :]
        parts = inside.strip("/").split("/")
        if path.endswith("/") or any(part.startswith(".") or part in SKIPPED for part in parts):
            continue
        length = int(known[path].get("size") or 0)
        further = f"{begin}{quote(inside) if webdav else inside}"
        origin = without_controls(_named(address, system, path))
        found.append(StoredFile(further, printable(f"{folder}{inside}"), origin, length))
    return found


def stored_sources(address: str, limits: Limits | None = None) -> Iterator[Source | Failure]:
    """The sources at an address, or one failure that says why there are none."""
    try:
        found = stored_files(address)
    except CorpusError as error:
        yield Failure(_bare(address), str(error), "unreadable")
        return
    if not found:
        yield Failure(_bare(address), NO_FILE, "missing")
    yield from (one.source(limits) for one in found)


def opened(address: str, limits: Limits) -> BinaryIO:
    """A stream of the file at an address; `UnreadableError` where it cannot be read or is larger than the limit."""
    try:
        system, path = _storage(address)
        length = int(system.info(path).get("size") or 0)
        if length <= limits.stream_bytes:
            return cast("BinaryIO", system.open(path, "rb"))
    except Exception as error:
        raise UnreadableError(f"it cannot be read from its storage: {error}") from error
    raise UnreadableError(f"it is larger than the limit of {size(limits.stream_bytes)}: split it")


def _storage(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    parts = urlsplit(address)
    scheme = parts.scheme.lower()
    try:
        import fsspec

        if scheme in _WEBDAV:
            from webdav4.fsspec import WebdavFileSystem

            client = _webdav_client(
                f"{_WEBDAV[scheme]}://{parts.netloc.rpartition('@')[2]}", parts.username, parts.password
            )
            return WebdavFileSystem("", client=client), unquote(parts.path).strip("/")
        system, path = fsspec.url_to_fs(address)
    except ImportError as error:
        raise MissingExtraError(f"reading {scheme}:// ({error})", "remote") from error
    return system, str(path).rstrip("/")


def _webdav_client(base: str, user: str | None, password: str | None) -> Any:  # noqa: ANN401 - webdav4's own class
    """A client that asks for names as they are: webdav4 takes `?`, `#` and `%` in them for parts of an address."""
    from webdav4.client import Client

    class _NamesAsTheyAre(Client):  # type: ignore[misc]  # webdav4 may be missing where types are checked
        def join_url(self, path: str, add_trailing_slash: bool = False) -> Any:  # noqa: ANN401 - httpx's URL
            return super().join_url(quote(path), add_trailing_slash)

    return _NamesAsTheyAre(base, auth=(unquote(user), unquote(password or "")) if user else None)
