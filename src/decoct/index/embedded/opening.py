"""Whether a folder may be opened as a library, and with these settings; and making a new one."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from decoct.errors import StaleIndexError, StoreError, UnknownLibraryError, not_stored
from decoct.index.embedded import changes, reading, schema
from decoct.index.embedded.border import UndecodableError
from decoct.index.embedded.database import Database, ReplacedError, damaged_library
from decoct.index.embedded.files import sync
from decoct.index.embedded.opened import Opened

# A library that takes the place of another: what is built anew grows beside the old one, and changes places with it in one step.
#
# The new one has the old one's name and the next generation, so that whoever has the old one open can tell (`store`), and its keys and
# document numbers begin far above the old one's: what somebody still holds of the old library is nothing of the new.
#
# Linux exchanges two names at once (`renameat2`). Elsewhere there is a moment between two renames; a mark in the new folder says that it is
# complete, and whoever opens the library next finishes the second.
COMPLETE = "complete"

_AT_WORKING_FOLDER, _EXCHANGE = -100, 2


def successor_folder(folder: Path) -> Path:
    """Where the new library of `folder` grows."""
    return folder.with_name(f"{folder.name}.rebuild")


def put_in_place(folder: Path) -> Path:
    """Let the complete library `beside` the folder take its place; returns where the old one is now, to be removed."""
    new, aside = successor_folder(folder), _aside(folder)
    if _exchanged(new, folder):
        aside = new
    else:
        (new / COMPLETE).touch()
        sync(new)
        folder.rename(aside)
        with suppress(FileNotFoundError):  # whoever opened it just now did that
            new.rename(folder)
        (folder / COMPLETE).unlink(missing_ok=True)
    sync(folder.parent)
    return aside


def finish_interrupted(folder: Path) -> None:
    """Do the second rename of `put_in_place`, where the process died before it."""
    new = successor_folder(folder)
    if not folder.exists() and (new / COMPLETE).exists():
        with suppress(FileNotFoundError):  # another one was faster
            new.rename(folder)
    if (folder / COMPLETE).exists() and os.access(folder, os.W_OK):
        (folder / COMPLETE).unlink(missing_ok=True)


def is_there(file: Path) -> bool:
    """Whether the file of a library is there; one whose folder is between the two renames is, after the second."""
    folder = file.parent
    while not file.exists():
        if folder.exists() or not (successor_folder(folder) / COMPLETE).exists():
            return file.exists()  # another one may have done it just now
        finish_interrupted(folder)
    return True


def sweep(folder: Path) -> None:
    """Remove the old library that an interrupted rebuild left."""
    if folder.exists():
        shutil.rmtree(_aside(folder), ignore_errors=True)


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.replaced")


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system or the file system cannot."""
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(one), os.fsencode(other)
    done: int = exchange(_AT_WORKING_FOLDER, names[0], _AT_WORKING_FOLDER, names[1], _EXCHANGE)
    return done == 0


FILE = "library.db"

# What only stands beside a database that was there.
_DERIVED = ("lexical/decoct.json", "vectors/manifest.json", f"{FILE}-wal")

# Seconds to wait for the folder of a library that is just being replaced.
PATIENCE = 2.0

# Room that is left above the old library's last key and document number: it may still grow while the new one is built, or before an
# interrupted rebuild is taken up again.
KEYS_APART, NUMBERS_APART = 1 << 28, 1 << 24


def opened(folder: Path, settings: Mapping[str, str], *, read_only: bool = False) -> Opened:
    """The library in `folder`, which has one; `StaleIndexError` where it was built with other settings."""
    database = Database(folder / FILE, read_only=read_only or not os.access(folder, os.W_OK))
    try:
        with database.reading() as connection:
            check_settings(folder, connection, settings)
        return Opened(folder, database)
    except BaseException:
        database.close()
        raise


def successor(old: Opened, folder: Path, settings: Mapping[str, str]) -> Opened:
    """The library that was built anew from `old` in its place; `StaleIndexError` where none or another is there."""
    until = time.monotonic() + PATIENCE
    while not (folder / FILE).exists():
        if time.monotonic() > until:
            raise StaleIndexError(
                f"the library {folder} was removed or moved since it was opened; open it again where it is"
            )
        time.sleep(0.01)
    found = opened(folder, settings, read_only=old.database.read_only)
    if found.name == old.name and found.generation > old.generation:
        return found
    found.close()
    raise StaleIndexError(f"another library lies at {folder} than the one that was opened; open it again")


def stored_settings(path: str | Path) -> dict[str, str] | None:
    """The settings of the library in the folder `path`; None if there is no library or nothing in it yet."""
    folder = Path(path).expanduser().absolute()
    file = folder / FILE
    finish_interrupted(folder)

    def look() -> dict[str, str] | None:
        if not is_there(file):
            return None
        with (
            closing(Database(file, read_only=not os.access(folder, os.W_OK))) as database,
            database.reading() as connection,
        ):
            return reading.settings(connection) or None

    return of_one_library(look)


def check_folder(folder: Path, *, create: bool) -> None:
    """Make the library where there is none and `create` allows it; `StoreError` where it cannot be used or has lost its database."""
    file = folder / FILE
    try:
        finish_interrupted(folder)
        if folder.exists() and not folder.is_dir():
            raise UnknownLibraryError(f"{folder} is a file, not a library's folder; name a folder")
        if is_there(file):
            return
        if left := [name for name in _DERIVED if (folder / name).exists() and (folder / name).stat().st_size]:
            raise damaged_library(folder, f"its {FILE} is gone, though {left[0]} is there")
        if not create:
            raise UnknownLibraryError(
                f"there is no library at {folder}; make one with `decoct ingest --library {folder} SOURCES`"
            )
        folder.mkdir(parents=True, exist_ok=True)
        make(file)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be used ({error.strerror}); check its permissions") from error


def make(file: Path, prepare: Callable[[sqlite3.Connection], object] = lambda _: None) -> None:
    """An empty library at `file`, whole or not at all: after a crash there is never half of one, so an empty file is always damage.

    If another process makes one at the same time, the first stays.
    """
    draft = file.with_name(f"{file.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    try:
        try:
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("BEGIN IMMEDIATE")
                schema.migrate(connection)
                prepare(connection)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise not_stored(
                error, f"the library {file.parent} cannot be made ({error}); check permissions and disk space"
            ) from error
        sync(draft)
        with suppress(FileExistsError):
            try:
                os.link(draft, file)
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links
                if not file.exists():
                    draft.rename(file)
        sync(file.parent)
    finally:
        for end in ("", "-wal", "-shm"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)


def check_settings(folder: Path, connection: sqlite3.Connection, asked: Mapping[str, str]) -> None:
    """`StaleIndexError` where a library with documents was built with other settings than `asked`."""
    if reading.is_empty(connection):
        return
    stored = reading.settings(connection)
    differing = [name for name, value in asked.items() if name in stored and stored[name] != value]
    if differing:
        told = "; ".join(f"{name} {stored[name]!r}, not {asked[name]!r}" for name in differing)
        raise StaleIndexError(
            f"the library {folder} was built with {told}. Open it with those settings, or build it anew from its own texts: "
            f"`decoct ingest --rebuild --library {folder}`, with the --embedder, --chunker or --language that you want"
        )


def begin_successor(folder: Path, library: str, generation: int, last_key: int, last_number: int) -> None:
    """Make an empty library beside the folder to succeed it, or go on with the one that is there; what is not of that kind is removed."""
    new = successor_folder(folder)
    if _identity(new / FILE) == (library, generation + 1):
        return
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()

    def prepare(connection: sqlite3.Connection) -> None:
        connection.executemany(
            "UPDATE meta SET value = ? WHERE name = ?", [(library, "library"), (generation + 1, "generation")]
        )
        connection.executemany(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            [("chunks", last_key + KEYS_APART), ("documents", last_number + NUMBERS_APART)],
        )

    make(new / FILE, prepare)


def _identity(file: Path) -> tuple[str, int] | None:
    if not file.is_file() or not file.stat().st_size:
        return None
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return changes.identity(connection)
        except (sqlite3.Error, UndecodableError, ValueError, TypeError):
            return None


class Reopens(Protocol):
    """What can open the library that lies at its path now."""

    def reopen(self) -> None:
        """Do it; `StaleIndexError` where that cannot stand for the one that was open."""


# Times that a call is begun: each takes another library to be put in place while it runs.
ATTEMPTS = 8

T = TypeVar("T")
S = TypeVar("S", bound=Reopens)
P = ParamSpec("P")
R = TypeVar("R")


def of_one_library(look: Callable[[], T]) -> T:
    """What `look` finds of the library at a path, looked for again where another took its place meanwhile."""
    for _ in range(ATTEMPTS - 1):
        with suppress(ReplacedError):
            return look()
    return look()


def surviving(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that starts again on the new library where the old one was replaced before it ran, or meanwhile."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(ATTEMPTS - 1):
            try:
                return method(self, *args, **kwargs)
            except ReplacedError:
                with suppress(ReplacedError):  # by a third one, just now
                    self.reopen()
        return method(self, *args, **kwargs)

    return run
