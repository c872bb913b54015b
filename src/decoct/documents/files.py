"""Finds the files under the paths a user names, without leaving them.

A folder is walked in the order of names. Hidden entries, the stores of version control and Decoct's own libraries are passed over. Symbolic
links inside a folder are never followed: one that points inside it is passed over, as its target is met under its own name; one that
points outside or nowhere is a failure. (A path that the user names may itself be a link.) Pipes, devices and sockets are refused by
their type, before anything opens them.

Files are opened later than they are listed, and may have been exchanged in between. So opening never blocks and never follows a link at
the end of the path, and what was opened must be the very file at that path, with no link on the way.

Ids: a file `guide/a.md` of a folder argument `docs/` is `docs/guide/a.md`, whatever the working directory and however the folder was
spelt; a file argument is its name. Two arguments can so give one id (`a/notes.md` and `b/notes.md`): the caller must look for that, as
only it sees the whole run. The origin is the absolute path with its links resolved: by it a later run knows what is gone.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from decoct.documents.base import Failure, Limits, Source, size
from decoct.errors import ParseError, UnreadableError

# Beside hidden ones (.git, .hg, .svn): old version control, and what tools write for themselves.
SKIPPED = frozenset({"CVS", "RCS", "SCCS", "_darcs", "node_modules", "__pycache__"})
# What a folder that is a library holds (`decoct.index.embedded`): its texts are documents already, and the rest is none.
LIBRARY = frozenset({"library.db", "write.lock"})
_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):  # each where the system has it
    _FLAGS |= getattr(os, _flag, 0)
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def find(
    paths: Iterable[str | Path], limits: Limits | None = None, skip: Collection[Path] = ()
) -> Iterator[Source | Failure]:
    """Every regular file at or under `paths`, in that order, each folder sorted by name; a failure for what cannot be used.

    `skip` are folders to leave out (the library's own). Nothing is opened before a source is read.
    """
    limits = limits or Limits()
    left_out = frozenset(path.resolve() for path in skip)
    for path in map(expanded, paths):
        try:
            real = path.resolve(strict=True)
            mode = real.stat().st_mode
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links is a RuntimeError, a NUL a ValueError
            yield _failed(path, error)
            continue
        if stat.S_ISDIR(mode):
            yield from _Folder(real, limits, left_out).files(real)
        elif stat.S_ISREG(mode):
            yield _source(real, printable(path.name or real.name), limits)
        else:
            yield _special(path, mode)


def expanded(path: str | Path) -> Path:
    """The path, with a leading `~` as the home folder unless there is something of that very name."""
    plain = Path(path)
    if not str(plain).startswith("~") or os.path.lexists(plain):
        return plain
    try:
        return plain.expanduser()
    except RuntimeError:  # no such user
        return plain


@dataclass(frozen=True, slots=True)
class _Folder:
    """A walk: `root` is the folder with its links resolved."""

    root: Path
    limits: Limits
    left_out: frozenset[Path]

    def files(self, here: Path, depth: int = 0) -> Iterator[Source | Failure]:
        """Files below `here`, `depth` folders below the root."""
        if depth > self.limits.depth:
            yield Failure(printable(here), f"it is more than {self.limits.depth} folders deep", "depth")
            return
        try:
            with os.scandir(here) as found:
                names = sorted(entry.name for entry in found)
        except OSError as error:
            yield _failed(here, error)
            return
        if LIBRARY.issubset(names) and depth:
            return
        for name in names:
            if not name.startswith(".") and name not in SKIPPED and here / name not in self.left_out:
                yield from self._entry(here / name, depth)

    def _entry(self, path: Path, depth: int) -> Iterator[Source | Failure]:
        inside = path.relative_to(self.root)
        try:
            mode = path.lstat().st_mode
            target = path.resolve(strict=True) if stat.S_ISLNK(mode) else path
        except (OSError, RuntimeError) as error:
            yield _failed(path, error)
            return
        if stat.S_ISDIR(mode):
            yield from self.files(path, depth + 1)
        elif stat.S_ISREG(mode):
            yield _source(path, printable(self.root.name / inside), self.limits)
        elif not stat.S_ISLNK(mode):
            yield _special(path, mode)
        elif not target.is_relative_to(self.root):
            reason = "it is a link that leaves the folder given: name its target if you want it"
            yield Failure(printable(path), reason, "outside")


def _source(path: Path, name: str, limits: Limits) -> Source:
    return Source(name, lambda: _open(path, limits), printable(path), limits=limits, path=path)


def _open(path: Path, limits: Limits) -> BinaryIO:
    """Open the regular file at `path`, which was free of links when it was listed and must still be."""
    try:
        stream = os.fdopen(os.open(path, _FLAGS), "rb")
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    try:
        status = os.fstat(stream.fileno())
        same = stat.S_ISREG(status.st_mode) and path.resolve() == path and os.path.samestat(status, path.stat())
    except OSError:
        same = False
    if same and status.st_size <= limits.stream_bytes:
        return stream
    stream.close()
    if not same:
        raise ParseError("it was exchanged for something else after it was listed: run again")
    raise ParseError(f"it is larger than the limit of {size(limits.stream_bytes)}: split it")


def printable(path: Path | str) -> str:
    """A path as text that can be stored and shown: `/` between folders, undecodable bytes and control characters escaped."""
    text = os.fsencode(Path(path).as_posix()).decode("utf-8", "backslashreplace")
    return without_controls(text)


def without_controls(text: str) -> str:
    """`text` with control characters and lone surrogates escaped."""
    return CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def _failed(path: Path, error: Exception) -> Failure:
    return Failure(printable(path), _reason(error), "missing" if isinstance(error, FileNotFoundError) else "unreadable")


def _reason(error: Exception) -> str:
    match error:
        case FileNotFoundError():
            return "there is no such file (any more)"
        case PermissionError():
            return "there is no permission to read it"
        case OSError(strerror=str(words)):
            return f"it cannot be read: {words}"
        case _:
            return f"it cannot be read: {error}"


def _special(path: Path, mode: int) -> Failure:
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    kind = kinds.get(stat.S_IFMT(mode), "a special file")
    return Failure(printable(path), f"it is {kind}, not a file or folder", "special")
