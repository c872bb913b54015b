"""Archives: zip files that are no document, and tar files (also packed), each file in them as if it lay in a folder of the archive's name.

Files are handed on one at a time, each to the parser of its format and so, as ever, under its limits and apart. Before that the archive
itself is held to limits: the number of entries, the size of all of them together, and how many times their packed size they grow, counted
while they are inflated. Links, devices, hidden files and names that lead out of the archive are passed over; archives in archives are
read two deep.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import IO

from decoct.data import Document
from decoct.documents.base import MB, Failure, Limits, Source, size
from decoct.documents.files import SKIPPED, without_controls
from decoct.documents.package import BROKEN
from decoct.errors import ParseError

DEEPEST = 2  # archives in archives
_FREE = 16 * MB  # inflating this much is harmless whatever the ratio
_PIECE = MB
_NESTED = re.compile(r"\.(zip|tar|tgz|tar\.gz|txz|tar\.xz|tbz2?|tar\.bz2)/", re.IGNORECASE)


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield what the files of an archive give, in its order, and a failure for each that cannot be read."""
    from decoct.documents.formats import parse as parse_source

    if len(_NESTED.findall(source.name)) >= DEEPEST:
        raise ParseError(f"it is an archive more than {DEEPEST} archives deep: unpack it")
    data, place = source.read(), source.origin or source.name
    number = 0
    for number, (name, content) in enumerate(_files(data, source.limits), 1):
        inner = replace(
            source,
            name=f"{source.name}/{without_controls(name)}",
            origin=f"{place}#{number}",  # as of a record, so that a sync knows of which file it is
            opener=partial(io.BytesIO, content),
            media_type="",
            path=None,
        )
        for item in parse_source(inner):
            if isinstance(item, Failure):
                where = f"{place}#{without_controls(name)}{item.source.removeprefix(inner.origin)}"
                yield replace(item, source=where)
            else:
                yield item
    if not number:
        raise ParseError("it holds no files")


def _files(data: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """The names and contents of the files in an archive that are to be read."""
    budget = _Budget(len(data), limits)
    try:
        if data.startswith(b"PK"):
            yield from _of_zip(data, budget)
        else:
            yield from _of_tar(data, budget)
    except ParseError:
        raise
    except (*BROKEN, tarfile.TarError) as error:
        raise ParseError("its archive is damaged or encrypted: fetch or pack it again") from error


class _Budget:
    """How much an archive may still give."""

    def __init__(self, packed: int, limits: Limits) -> None:
        self._limits = limits
        self._most = min(limits.stream_bytes, max(_FREE, limits.inflation * packed))
        self._packed, self._total, self._entries = packed, 0, 0

    def entry(self) -> None:
        """Count one entry."""
        self._entries += 1
        if self._entries > self._limits.entries:
            raise ParseError(f"it holds more than {self._limits.entries:,} files, the limit: unpack it")

    def read(self, stream: IO[bytes]) -> bytes:
        """All bytes of a stream; `ParseError` if it gives more than a file, or the archive, may."""
        pieces, length = [], 0
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            length += len(piece)
            self._total += len(piece)
            if self._total > self._most:
                raise ParseError(
                    f"it inflates from {size(self._packed)} to more than {size(self._most)}, as a zip bomb does"
                )
            if length > self._limits.file_bytes:
                raise ParseError(f"a file in it is larger than the limit of {size(self._limits.file_bytes)}: unpack it")
        return b"".join(pieces)


def _of_zip(data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            budget.entry()
            if not entry.is_dir() and _is_wanted(entry.filename):
                with archive.open(entry) as stream:
                    yield entry.filename, budget.read(stream)


def _of_tar(data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for entry in archive:
            budget.entry()
            if entry.isreg() and _is_wanted(entry.name) and (stream := archive.extractfile(entry)) is not None:
                yield entry.name.removeprefix("./"), budget.read(stream)


def _is_wanted(name: str) -> bool:
    """Whether a file is no hidden one, no leavings of a tool, and inside the archive."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    inside = not name.startswith("/") and ".." not in parts
    return inside and all(not part.startswith(".") and part not in SKIPPED and part != "__MACOSX" for part in parts)
