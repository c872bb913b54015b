"""Gzip, bzip2 and xz around any other format, read as a stream and bounded.

The bound is on the ratio of what came out to what was read (`Limits.inflation`), checked from 16 MB on so that small files are free,
and on the total. A cut or damaged file raises `ParseError` where the damage is met: what came before was whole.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, cast

from decoct.documents.base import MB, Limits, Source, size
from decoct.errors import ParseError

_FREE = 16 * MB  # inflating this much is harmless whatever the ratio


_OPENED: dict[str, Callable[..., gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    "gzip": lambda stream: gzip.GzipFile(fileobj=stream),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}
_MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # behind bzip2's mark and a digit, so that no text is taken for it
_BROKEN = (EOFError, OSError, MemoryError, zlib.error, lzma.LZMAError)


class _Inflated(io.RawIOBase):
    """Reads through what packs a stream (any number of members) and stops a bomb."""

    def __init__(self, stream: BinaryIO, limits: Limits, kind: str) -> None:
        self._stream = stream
        self._kind = kind
        self._packed = _OPENED[kind](stream)
        self._limits = limits
        self._total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._packed.read1(len(buffer))
        except _BROKEN as error:
            if isinstance(error, OSError) and error.errno:  # of the disk
                raise
            raise ParseError(f"its {self._kind} data is damaged or cut off: fetch or compress it again") from error
        buffer[: len(data)] = data
        self._total += len(data)
        if self._total > self._limits.stream_bytes:
            raise ParseError(f"it inflates to more than {size(self._limits.stream_bytes)}: split it")
        if self._total > _FREE and self._total > self._limits.inflation * max(1, self._stream.tell()):
            raise ParseError(f"it inflates to more than {self._limits.inflation} times its size, as a zip bomb does")
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._packed.close()
            self._stream.close()
        super().close()


def packing(head: bytes) -> str:
    """What packs the data that begins with `head`; empty for none that is known."""
    kind = next((kind for mark, kind in _MARKS.items() if head.startswith(mark)), "")
    return kind if kind != "bzip2" or head[4:10] in _BLOCKS else ""


def inflated(stream: BinaryIO, limits: Limits, kind: str = "gzip") -> BinaryIO:
    """The bytes inside the packed `stream`, as a stream that owns it."""
    return cast("BinaryIO", io.BufferedReader(_Inflated(stream, limits, kind), 256 * 1024))


def unwrap(source: Source, kind: str) -> Source:
    """The source inside a packed source. Its name stays, as it is the document's id."""
    return replace(source, opener=lambda: inflated(source.opener(), source.limits, kind), media_type="")
