"""Jobs on disk, ingests and evaluations: what was asked, how far it came, how it ended. They outlive the server.

`jobs.db` (SQLite, every change synced) holds a row a job; what was uploaded lies in `spool/<id>/` until the job is done, what an
evaluation was asked and found in `evaluations/<id>/` for as long as the job is known. A job is queued,
running, done, failed or cancelled; a server that starts puts what was running back into the queue, and documents that were stored
already cost nothing when they are met again.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
JobKind: TypeAlias = Literal["ingest", "evaluation"]
ACTIVE: tuple[JobState, ...] = ("queued", "running")
MOST_FAILURES = 100

_TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, library TEXT NOT NULL, state TEXT NOT NULL,
    sources INTEGER NOT NULL, created REAL NOT NULL, started REAL, finished REAL, attempts INTEGER NOT NULL DEFAULT 0,
    counts TEXT NOT NULL DEFAULT '{}', failures TEXT NOT NULL DEFAULT '[]', error TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '', once TEXT, digest TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT 'ingest');
CREATE UNIQUE INDEX IF NOT EXISTS once ON jobs (library, owner, once) WHERE once IS NOT NULL;
"""


@dataclass(frozen=True, slots=True)
class Job:
    """A job. `counts` are the report's so far, and how far it is; `digest` names its content, for idempotency keys."""

    id: str
    library: str
    state: JobState
    sources: int
    created: float
    started: float | None = None
    finished: float | None = None
    attempts: int = 0
    counts: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[Mapping[str, str], ...] = ()
    error: str = ""
    digest: str = ""
    kind: JobKind = "ingest"

    def as_dict(self) -> dict[str, Any]:
        """The job as JSON-ready data."""
        shown = asdict(self)
        del shown["digest"]
        counts = dict(self.counts)
        progress = {name: counts.pop(name, None) for name in ("current", "share", "seconds_left")}
        return {**shown, "counts": counts, "progress": progress, "failures": list(self.failures)}


class JobStore:
    """The jobs of a server. Thread-safe."""

    def __init__(self, state: Path) -> None:
        self.spool = state / "spool"
        self.spool.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.evaluations = state / "evaluations"
        self._guard = threading.RLock()
        self._connection = sqlite3.connect(state / "jobs.db", check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(_TABLE)
        if "kind" not in {row["name"] for row in self._connection.execute("PRAGMA table_info(jobs)")}:
            self._connection.execute("ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT 'ingest'")

    def folder(self, id_: str) -> Path:
        """Where a job's uploads lie."""
        return self.spool / id_

    def evaluation(self, id_: str) -> Path:
        """Where an evaluation keeps what it was asked and what it found."""
        return self.evaluations / id_

    def new_id(self) -> str:
        """An id for a job whose uploads are to be spooled."""
        return secrets.token_hex(8)

    def add(
        self,
        id_: str,
        library: str,
        sources: int,
        *,
        owner: str = "",
        once: str | None = None,
        digest: str = "",
        kind: JobKind = "ingest",
    ) -> Job:
        """Queue a job; of two with one idempotency key `once` the first stays and is returned."""
        with self._guard:
            if once is not None and (known := self._once(library, owner, once)) is not None:
                return known
            self._connection.execute(
                "INSERT INTO jobs (id, library, state, sources, created, owner, once, digest, kind) "
                "VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?)",
                (id_, library, sources, time.time(), owner, once, digest, kind),
            )
            job = self.get(library, id_)
        assert job is not None
        return job

    def get(self, library: str, id_: str) -> Job | None:
        """The job, or None."""
        with self._guard:
            row = self._connection.execute("SELECT * FROM jobs WHERE library = ? AND id = ?", (library, id_)).fetchone()
        return _job(row) if row else None

    def of(self, library: str, most: int = 100, kind: JobKind | None = None) -> list[Job]:
        """A library's jobs, newest first; all kinds where none is named."""
        with self._guard:
            rows = self._connection.execute(
                "SELECT * FROM jobs WHERE library = ? AND kind = coalesce(?, kind) ORDER BY number DESC LIMIT ?",
                (library, kind, most),
            ).fetchall()
        return [_job(row) for row in rows]

    def queued(self) -> list[Job]:
        """What waits, oldest first."""
        with self._guard:
            rows = self._connection.execute("SELECT * FROM jobs WHERE state = 'queued' ORDER BY number").fetchall()
        return [_job(row) for row in rows]

    def active(self) -> int:
        """How many are queued or running."""
        with self._guard:
            found = self._connection.execute("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')")
            return int(found.fetchone()[0])

    def resume(self) -> None:
        """Put what was running when the last server ended back into the queue."""
        with self._guard:
            self._connection.execute("UPDATE jobs SET state = 'queued' WHERE state = 'running'")

    def begin(self, id_: str) -> bool:
        """Mark a queued job as running; False if it was cancelled meanwhile."""
        return self._set(
            "state = 'running', started = ?, attempts = attempts + 1, error = ''", (time.time(),), id_, "queued"
        )

    def progress(self, id_: str, counts: Mapping[str, Any], failures: list[Mapping[str, str]]) -> None:
        """How far a running job came."""
        held = json.dumps(failures[:MOST_FAILURES])
        self._set("counts = ?, failures = ?", (json.dumps(counts), held), id_, "running")

    def end(self, id_: str, state: JobState, error: str = "") -> bool:
        """How a running job ended."""
        return self._set("state = ?, error = ?, finished = ?", (state, error, time.time()), id_, "running")

    def cancel(self, id_: str) -> bool:
        """Cancel a job that is queued or running; False for one that has ended."""
        with self._guard:
            done = self._connection.execute(
                "UPDATE jobs SET state = 'cancelled', finished = ? WHERE id = ? AND state IN ('queued', 'running')",
                (time.time(), id_),
            )
            return done.rowcount == 1

    def requeue(self, id_: str) -> bool:
        """Queue a failed or cancelled job again; False for another."""
        with self._guard:
            done = self._connection.execute(
                "UPDATE jobs SET state = 'queued', finished = NULL, error = '' WHERE id = ? AND state IN ('failed', 'cancelled')",
                (id_,),
            )
            return done.rowcount == 1

    def remove(self, library: str, id_: str | None = None) -> None:
        """Forget an ended job, or all of a library, with what it had uploaded."""
        with self._guard:
            ids = [id_] if id_ else [job.id for job in self.of(library, most=-1)]
            for one in ids:
                self._connection.execute("DELETE FROM jobs WHERE library = ? AND id = ?", (library, one))
                shutil.rmtree(self.folder(one), ignore_errors=True)
                shutil.rmtree(self.evaluation(one), ignore_errors=True)

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._connection.close()

    def _once(self, library: str, owner: str, once: str) -> Job | None:
        row = self._connection.execute(
            "SELECT * FROM jobs WHERE library = ? AND owner = ? AND once = ?", (library, owner, once)
        ).fetchone()
        return _job(row) if row else None

    def _set(self, change: str, values: tuple[object, ...], id_: str, state: JobState) -> bool:
        with self._guard:
            done = self._connection.execute(
                f"UPDATE jobs SET {change} WHERE id = ? AND state = ?",  # noqa: S608 - changes are this file's own
                (*values, id_, state),
            )
            return done.rowcount == 1


def _job(row: sqlite3.Row) -> Job:
    return Job(
        id=row["id"],
        library=row["library"],
        state=row["state"],
        sources=row["sources"],
        created=row["created"],
        started=row["started"],
        finished=row["finished"],
        attempts=row["attempts"],
        counts=json.loads(row["counts"]),
        failures=tuple(json.loads(row["failures"])),
        error=row["error"],
        digest=row["digest"],
        kind=row["kind"],
    )
