"""Files of an index: replacing a small one whole (after a crash it is the old or the new one), checksums, and who may read them."""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

# Bytes read at a time.
BLOCK = 1 << 22

# Files of this size are not read whole at every opening: what they were when their checksum was last right is noted beside them.
LARGE = 32 << 20

# Seconds that a file must have rested before it is noted: a change within one tick of the clock would not show.
RESTED = 3.0

NOTES = "proved.json"

# The end of every file of tantivy: a record with the CRC of all before it, the record's length, and this number.
_FOOTER, _MAGIC = struct.Struct("<II"), 1337


def sync(path: Path) -> None:
    """Have the file or folder written to the disk before going on. Windows does that for folders itself, and opens none."""
    folder = path.is_dir()
    if folder and not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)  # Windows writes out only what was opened for writing
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_json(path: Path, record: Mapping[str, object]) -> None:
    """Write `record` to `path` by renaming a finished file over it."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(record))
    sync(draft)
    draft.replace(path)
    sync(path.parent)


def share(folder: Path, like: str) -> None:
    """Let the records in `folder` be read by whoever may read the file `like` there: tantivy writes them for the owner alone."""
    if (folder / like).exists():
        for path in folder.glob("*.json"):
            path.chmod((folder / like).stat().st_mode & 0o777)


def size_of(folder: Path) -> int:
    """The bytes of the files in a folder and below; one that is replaced just now counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def checksum(path: Path, end: int, start: int = 0, before: int = 0) -> int:
    """CRC-32 of the bytes up to `end`, where `before` is that of those up to `start`; `ValueError` if the file is shorter."""
    found = before
    with path.open("rb") as file:
        file.seek(start)
        while start < end:
            block = file.read(min(BLOCK, end - start))
            if not block:
                raise ValueError(f"{path.name} is shorter than it should be")
            found = zlib.crc32(block, found)
            start += len(block)
    return found


def is_as_written(path: Path, expected: int, end: int, start: int = 0, before: int = 0) -> bool:
    """Whether the file's `checksum` is `expected`. A large file that has not been touched since it was is not read again."""
    if end - start < LARGE:
        return checksum(path, end, start, before) == expected
    state = path.stat()
    seen = [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns, end, expected]
    notes = _notes(path.parent)
    if notes.get(path.name) == seen:
        return True
    if checksum(path, end, start, before) != expected:
        return False
    if time.time() - max(state.st_ctime, state.st_mtime) > RESTED and os.access(path.parent, os.W_OK):
        there = {name: note for name, note in notes.items() if (path.parent / name).exists()}
        with suppress(OSError):  # on a full disk it is read again next time
            replace_json(path.parent / NOTES, {**there, path.name: seen})
    return True


def has_whole_footer(path: Path) -> bool:
    """Whether a file of tantivy has the CRC that its footer tells."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(size - _FOOTER.size, 0))
        tail = file.read()
        if len(tail) < _FOOTER.size:
            return False
        length, magic = _FOOTER.unpack(tail)
        body = size - _FOOTER.size - length
        if magic != _MAGIC or body < 0:
            return False
        file.seek(body)
        record = file.read(length)
    try:
        expected = int(json.loads(record)["crc"])
    except (ValueError, KeyError, TypeError):
        return False
    return is_as_written(path, expected, body)


def _notes(folder: Path) -> dict[str, list[int]]:
    try:
        found = json.loads((folder / NOTES).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
