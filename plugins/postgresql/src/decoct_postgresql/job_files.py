"""The files of jobs that replicas hand each other: in parts, as rows of the tables that they share."""

from __future__ import annotations

import shutil
from pathlib import Path

from decoct.server.tables import Tables

_PART = 4 << 20
_VERSION = ".version"
# Seconds after which files that no job names were left by a request that broke off.
_LEFT = 24 * 3600.0


class HandedFiles:
    """Folders of files by the id of a job."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        tables.run(
            f"DELETE FROM files WHERE at < {tables.clock} - ? AND job NOT IN (SELECT id FROM jobs)",
            (_LEFT,),
        )

    def send(self, job: str, folder: Path) -> None:
        """Put every file of `folder` in the place of what is there of the job."""
        names = []
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name == _VERSION:
                continue
            name, part = path.relative_to(folder).as_posix(), 0
            names.append(name)
            with path.open("rb") as file:
                while (body := file.read(_PART)) or not part:
                    self._put(job, name, part, body)
                    part += 1
            self._tables.run("DELETE FROM files WHERE job = ? AND path = ? AND part >= ?", (job, name, part))
        for row in self._tables.run("SELECT DISTINCT path FROM files WHERE job = ?", (job,)):
            if row["path"] not in names:
                self._tables.run("DELETE FROM files WHERE job = ? AND path = ?", (job, row["path"]))

    def fetch(self, job: str, folder: Path, version: int | None) -> None:
        """Make `folder` hold what is there of the job; nothing is done where it has `version` already."""
        mark = folder / _VERSION
        if folder.is_dir() and (version is None or (mark.is_file() and mark.read_text() == str(version))):
            return
        new = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True, mode=0o700)
        for row in self._tables.run("SELECT path, part FROM files WHERE job = ? ORDER BY path, part", (job,)):
            (body,) = self._tables.run(
                "SELECT body FROM files WHERE job = ? AND path = ? AND part = ?", (job, row["path"], row["part"])
            )
            place = new / row["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("ab") as file:
                file.write(bytes(body["body"]))
        if version is not None:
            (new / _VERSION).write_text(str(version))
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)

    def remove(self, job: str) -> None:
        """Forget the job's files."""
        self._tables.run("DELETE FROM files WHERE job = ?", (job,))

    def _put(self, job: str, path: str, part: int, body: bytes) -> None:
        self._tables.run(
            f"INSERT INTO files VALUES (?, ?, ?, ?, {self._tables.clock}) "
            "ON CONFLICT (job, path, part) DO UPDATE SET body = excluded.body, at = excluded.at",
            (job, path, part, body),
        )
