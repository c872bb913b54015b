"""Rows in the binary form of COPY, the fastest way in: vectors go as the bytes that they are stored as.

See "Binary Format" in PostgreSQL's manual of COPY; `halfvec` is a length, two unused bytes and its numbers in network order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats

if TYPE_CHECKING:
    import psycopg

_HEAD = b"PGCOPY\n\xff\r\n\x00" + struct.pack("!ii", 0, 0)
_END = struct.pack("!h", -1)
_NULL = struct.pack("!i", -1)
_BIGINT_ARRAY = struct.pack("!iii", 1, 0, 20)  # one dimension, no nulls, elements of type 20

# Bytes handed to the connection at a time.
_BLOCK = 1 << 20

HALF = np.dtype(">f2")


def big(value: int) -> bytes:
    """A bigint."""
    return struct.pack("!iq", 8, value)


def whole(value: int) -> bytes:
    """An integer."""
    return struct.pack("!ii", 4, value)


def double(value: float) -> bytes:
    """A double precision number."""
    return struct.pack("!id", 8, value)


def text(value: str | None) -> bytes:
    """A text without NUL."""
    return _NULL if value is None else raw(value.encode())


def raw(value: bytes) -> bytes:
    """A bytea, or any value whose binary form is known."""
    return struct.pack("!i", len(value)) + value


def bigs(values: Sequence[int]) -> bytes:
    """A bigint[]."""
    if not values:
        return raw(struct.pack("!iii", 0, 0, 20))
    items = b"".join(big(value) for value in values)
    return raw(_BIGINT_ARRAY + struct.pack("!ii", len(values), 1) + items)


def doubles(values: Sequence[float]) -> bytes:
    """A double precision[]."""
    if not values:
        return raw(struct.pack("!iii", 0, 0, 701))
    return raw(struct.pack("!iiiii", 1, 0, 701, len(values), 1) + b"".join(double(value) for value in values))


def halves(rows: Floats) -> list[bytes]:
    """Each row as a halfvec; shape (n, dimension)."""
    head = struct.pack("!hh", rows.shape[1], 0)
    return [raw(head + row.tobytes()) for row in np.ascontiguousarray(rows, dtype=HALF)]


def half(data: bytes) -> NDArray[np.float16]:
    """A halfvec as it comes back in binary."""
    return np.frombuffer(data, dtype=HALF, offset=4)


def copied(connection: psycopg.Connection[Any], table: str, rows: Iterable[Sequence[bytes]]) -> None:
    """Write `rows`, each the encoded columns of `table` in their order."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        block = bytearray(_HEAD)
        for row in rows:
            block += struct.pack("!h", len(row))
            for value in row:
                block += value
            if len(block) > _BLOCK:
                copy.write(bytes(block))
                block.clear()
        copy.write(bytes(block + _END))
