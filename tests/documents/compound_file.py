"""A writer of compound files (MS-CFB): a tree of storages with short streams, for tests of files of old Office."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

Tree: TypeAlias = "Mapping[str, bytes | Tree]"

_SECTOR, _MINI, _LONGEST = 512, 64, 4_095
_END, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5


def compound_file(tree: Tree) -> bytes:
    """The bytes of a file that holds `tree`: streams are bytes of at most 4,095, storages are mappings; small enough for one table."""
    writer = _Writer()
    writer.add("Root Entry", tree)
    small, directory = _sectors(writer.small), b""
    places = -(-len(writer.entries) // 4)  # sectors of the directory
    chain = [_FAT, *_chain(1, places), *_chain(1 + places, 1), *_chain(2 + places, len(small) // _SECTOR)]
    assert max(len(chain), len(writer.mini_chain)) <= _SECTOR // 4
    writer.entries[0] = (*writer.entries[0][:4], 2 + places, len(writer.small))
    for name, kind, sibling, child, start, size in writer.entries:
        written = name.encode("utf-16-le") + b"\0\0"
        directory += struct.pack(
            "<64sHBB3I16sI2Q2II", written, len(written), kind, 1, _NONE, sibling, child, b"", 0, 0, 0, start, size, 0
        )
    head = struct.pack(
        "<8s16s5H6s10I",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"",
        62,
        3,
        0xFFFE,
        9,
        6,
        b"",
        0,
        1,
        1,
        0,
        4096,
        1 + places,
        1,
        _END,
        0,
        0,
    )
    tables = (struct.pack(f"<{len(one)}I", *one).ljust(_SECTOR, b"\xff") for one in (chain, writer.mini_chain))
    fat, mini_fat = tables
    return head.ljust(_SECTOR, b"\xff") + fat + _sectors(directory) + mini_fat + small


class _Writer:
    """Gathers the entries (name, kind, sibling, child, start, size) and the short streams."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, int, int, int, int, int]] = []
        self.small = b""
        self.mini_chain: list[int] = []

    def add(self, name: str, inside: bytes | Tree, sibling: int = _NONE) -> int:
        """Add a stream or a storage with all in it; `sibling` is the entry beside it. Its number."""
        number = len(self.entries)
        if isinstance(inside, bytes):
            assert len(inside) <= _LONGEST
            start = len(self.small) // _MINI
            self.small += inside.ljust(-(-len(inside) // _MINI) * _MINI, b"\0")
            self.mini_chain += _chain(start, len(self.small) // _MINI - start)
            self.entries.append((name, _STREAM, sibling, _NONE, start if inside else _END, len(inside)))
            return number
        self.entries.append((name, _ROOT, sibling, _NONE, 0, 0))
        child = _NONE
        for inner in sorted(inside, key=lambda one: (len(one), one.upper()), reverse=True):
            child = self.add(inner, inside[inner], child)
        self.entries[number] = (name, _STORAGE if number else _ROOT, sibling, child, 0, 0)
        return number


def _chain(start: int, count: int) -> list[int]:
    return [*range(start + 1, start + count), _END] if count else []


def _sectors(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // _SECTOR) * _SECTOR, b"\0")
