"""What a user named -> where each file lies, for workers on any machine: paths, web pages, and objects of a storage that fsspec knows.

`file://` is a path. `http://` and `https://` are fetched by `decoct.documents.network.web`, with its checks of addresses. Every other
scheme is fsspec's (`decoct.documents.network.remote`), whose packages take what they need to be let in from each machine's environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from decoct.documents.base import Failure, Limits, Source
from decoct.documents.files import find, printable
from decoct.documents.network.remote import NO_FILE, WEB, opened, root_of, stored_files
from decoct.documents.sources import is_url, sources
from decoct.errors import CorpusError
from decoct.feed import Root


@dataclass(frozen=True, slots=True)
class FilePlace:
    """One file: its `address`, the `name` its document goes by, where a person finds it, and its size in bytes (0: unknown)."""

    address: str
    name: str
    origin: str
    size: int = 0
    allow_private: bool = False

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        """From the row that `row` made."""
        return cls(**row)

    def row(self) -> dict[str, Any]:
        """As a row of a table."""
        return asdict(self)

    def source(self) -> Source | Failure:
        """What a parser reads, opened on the machine that asks."""
        if not is_url(self.address):
            found = next(iter(find([self.address])))
        elif urlsplit(self.address).scheme.lower() in WEB:
            return next(iter(sources([self.address], allow_private=self.allow_private)))
        else:
            found = Source(self.name, lambda: opened(self.address, Limits()))
        return found if isinstance(found, Failure) else replace(found, name=self.name, origin=self.origin)


def places(
    given: Sequence[str | Path], skip: tuple[Path, ...], roots: list[Root], *, allow_private: bool
) -> Iterator[FilePlace | Failure]:
    """Every file that `given` names, and a failure for what cannot be used; `roots` is told what was looked through, as in a `Feed`."""
    for one in given:
        address = str(one)
        if not is_url(address):
            yield from _in_folder(one, skip, roots)
            continue
        parts = urlsplit(address)
        if parts.scheme.lower() == "file":
            yield from _in_folder(Path(unquote(parts.path)), skip, roots)
        elif parts.scheme.lower() in WEB:
            yield FilePlace(address, address, address, 0, allow_private)
        else:
            yield from _in_storage(address, roots)


def _in_folder(one: str | Path, skip: tuple[Path, ...], roots: list[Root]) -> Iterator[FilePlace | Failure]:
    try:
        path = printable(Path(one).expanduser().resolve(strict=True))
    except (OSError, RuntimeError, ValueError):
        path = printable(Path(one).absolute())
    root = Root(path)
    roots.append(root)
    for source in find([one], None, skip):
        if isinstance(source, Failure):
            root.unread.append(source.source)
            yield source
        elif source.path is not None:
            root.files += 1
            yield FilePlace(str(source.path), source.name, source.origin, _length(source.path))


def _in_storage(address: str, roots: list[Root]) -> Iterator[FilePlace | Failure]:
    root = Root(root_of(address))
    roots.append(root)
    try:
        found = stored_files(address)
    except CorpusError as error:
        root.unread.append(address)
        yield Failure(address, str(error), "unreadable")
        return
    if not found:
        root.unread.append(address)
        yield Failure(address, NO_FILE, "missing")
    for one in found:
        root.files += 1
        yield FilePlace(one.address, one.name, one.origin, one.size)


def _length(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
