"""A library in one file, taken while it is read and written, and put back.

The file is a tar archive (`.gz` by its name) of `library.db`, copied by SQLite's own backup so that it is one committed state, and of what
else lies in the library's folder. The search indexes are not in it: they are derived, and built again when the library is first searched.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from decoct.errors import ConfigError, StoreError, UnknownLibraryError, not_stored
from decoct.index.embedded.opening import stored_settings

DATABASE = "library.db"
_ENDS = (".tar", ".gz", ".tgz")
_DERIVED = frozenset(
    {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "write.lock", "write.holder", "lexical", "vectors"}
)


def back_up(library: Path, file: Path) -> int:
    """Write the library in the folder `library` to `file`; return how many documents it holds. Nothing is left of a failed one."""
    if not (library / DATABASE).is_file():
        raise UnknownLibraryError(f"there is no library at {library}")
    if file.suffix not in _ENDS:
        raise ConfigError(f"a backup is a tar archive: name it {file.stem}.tar or {file.stem}.tar.gz, not {file.name}")
    if file.exists():
        raise ConfigError(f"{file} is there already: name another file, or remove it")
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    try:
        with _workplace(file.parent, "backup") as folder:
            copy = Path(folder) / DATABASE
            documents = _copied(library / DATABASE, copy)
            with tarfile.open(new, "w" if file.suffix == ".tar" else "w:gz") as archive:
                archive.add(copy, DATABASE)
                for path in _files_beside_the_store(library):
                    archive.add(path, str(path.relative_to(library)), recursive=False)
        with new.open("rb") as written:  # else a power cut could leave the new name on an empty file
            os.fsync(written.fileno())
        new.replace(file)
    except OSError as error:
        raise not_stored(error, f"the backup {file} cannot be written: {error.strerror}") from error
    finally:
        new.unlink(missing_ok=True)
    return documents


def _workplace(parent: Path, kind: str) -> tempfile.TemporaryDirectory[str]:
    """A folder to work in, gone at the end; those that a process left which was killed are removed first."""
    for left in parent.glob(f".{kind}-*-*"):
        number = left.name.split("-")[1]
        if left.is_dir() and number.isdigit() and not _is_alive(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(dir=parent, prefix=f".{kind}-{os.getpid()}-")


def _is_alive(process: int) -> bool:
    if os.name != "posix":  # there, signal 0 is none
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another's
        return True
    return True


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the files of an archive; `TarError` for a path or a link that would lead out of the folder."""
    for member in archive:
        place = folder / member.name
        if not (member.isreg() or member.isdir()) or not place.resolve().is_relative_to(folder.resolve()):
            raise tarfile.TarError(f"{member.name!r} is no file of a library")
        if member.isreg() and (content := archive.extractfile(member)) is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            with content, place.open("wb") as written:
                shutil.copyfileobj(content, written)


def restore(file: Path, library: Path) -> int:
    """Put a backup back as the library in the folder `library`, which must not hold one; return how many documents it has."""
    if (library / DATABASE).exists():
        raise ConfigError(f"there is a library at {library} already: name another folder, or remove it")
    if not file.is_file():
        raise ConfigError(f"there is no file {file}")
    library.parent.mkdir(parents=True, exist_ok=True)
    with _workplace(library.parent, "restore") as folder:
        made = Path(folder) / "library"
        try:
            with tarfile.open(file) as archive:
                _unpack(archive, made)
        except tarfile.ReadError as error:  # its words list what every kind of compression says
            raise ConfigError(
                f"{file} is not a whole backup of a library: name a file that `decoct backup` wrote"
            ) from error
        except (tarfile.TarError, EOFError, OSError) as error:
            raise ConfigError(f"{file} is not a whole backup of a library: {error}") from error
        if not (made / DATABASE).is_file():
            raise ConfigError(f"{file} is not a backup of a library: it has no {DATABASE}")
        documents = _counted(made / DATABASE, file)
        stored_settings(made)  # a newer schema than this version's is told before anything is in its place
        library.mkdir(exist_ok=True)
        for path in made.iterdir():
            if path.name != DATABASE:
                shutil.move(path, library / path.name)
        # Last: a folder is a library when it has its database.
        shutil.move(made / DATABASE, library / DATABASE)
    return documents


def _copied(database: Path, copy: Path) -> int:
    try:
        with (
            closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            return _count(target)
    except sqlite3.Error as error:
        raise StoreError(f"the library {database.parent} cannot be copied: {error}") from error


def _counted(database: Path, file: Path) -> int:
    try:
        with closing(sqlite3.connect(database)) as connection:
            (told,) = connection.execute("PRAGMA integrity_check").fetchone()
            if told != "ok":
                raise ConfigError(f"the backup {file} is damaged: {told}")
            return _count(connection)
    except sqlite3.Error as error:
        raise ConfigError(f"the backup {file} is damaged: {error}") from error


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def _files_beside_the_store(library: Path) -> Iterator[Path]:
    for top in sorted(library.iterdir()):
        if top.name in _DERIVED:
            continue
        for path in [top, *sorted(top.rglob("*"))] if top.is_dir() else [top]:
            if not path.is_symlink():
                yield path
