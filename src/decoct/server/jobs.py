"""Jobs, ingests and evaluations: what was asked, how far it came, how it ended. They outlive the server.

A row a job in `tables` (a file of SQLite, or PostgreSQL for replicas). What was uploaded lies in `spool/<id>/` until the job is done, what
an evaluation was asked and found in `evaluations/<id>/` for as long as the job is known. A job is queued, running, done, failed or
cancelled; a server that starts puts what was running back into the queue, and documents that were stored already cost nothing when
they are met again.

Who runs a job holds it. Replicas share rows and files (`decoct_postgresql.shared_jobs`) and hold a job by a lease of `LEASE` seconds.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from decoct.server.tables import Row, Tables

JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
JobKind: TypeAlias = Literal["ingest", "evaluation"]
ACTIVE: tuple[JobState, ...] = ("queued", "running")
MOST_FAILURES = 100

# Seconds after which a job of a replica that gave no sign of life is another's, and between two signs.
LEASE, RENEWED = 15.0, 3.0
_HERE = "WHERE id = ? AND state = 'running' AND holder = ?"  # a job that runs here


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
    """The jobs of a server, whose files lie in `place`. Thread-safe."""

    shared = False

    def __init__(self, tables: Tables, place: Path) -> None:
        self.spool = place / "spool"
        self.spool.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.evaluations = place / "evaluations"
        self._tables = tables
        self._me = secrets.token_hex(8)
        self._renewed = 0.0

    def folder(self, id_: str) -> Path:
        """Where a job's uploads lie."""
        return self.spool / id_

    def evaluation(self, id_: str) -> Path:
        """Where an evaluation keeps what it was asked and what it found, as far as it is known by now."""
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
        """Queue a job whose files are there; of two with one idempotency key `once` the first stays and is returned."""
        if once is not None and (known := self._once(library, owner, once)) is not None:
            return known
        self._tables.run(
            "INSERT INTO jobs (id, library, state, sources, created, owner, once, digest, kind) "
            "VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (id_, library, sources, time.time(), owner, once, digest, kind),
        )
        job = self.get(library, id_)
        if job is None and once is not None:  # another request with this key was faster
            job = self._once(library, owner, once)
        assert job is not None
        return job

    def get(self, library: str, id_: str) -> Job | None:
        """The job, or None."""
        if "\0" in id_:
            return None
        rows = self._tables.run("SELECT * FROM jobs WHERE library = ? AND id = ?", (library, id_))
        return _job(rows[0]) if rows else None

    def of(self, library: str, most: int = 100, kind: JobKind | None = None) -> list[Job]:
        """A library's jobs, newest first; all kinds where none is named."""
        kinds = ("ingest", "evaluation") if kind is None else (kind, kind)
        rows = self._tables.run(
            "SELECT * FROM jobs WHERE library = ? AND kind IN (?, ?) ORDER BY number DESC LIMIT ?",
            (library, *kinds, most),
        )
        return [_job(row) for row in rows]

    def unfinished(self, library: str) -> list[str]:
        """The ids of a library's jobs that are queued or running, however many."""
        rows = self._tables.run(
            "SELECT id FROM jobs WHERE library = ? AND state IN ('queued', 'running') ORDER BY number", (library,)
        )
        return [row["id"] for row in rows]

    def queued(self) -> list[Job]:
        """What waits, oldest first."""
        return [_job(row) for row in self._tables.run("SELECT * FROM jobs WHERE state = 'queued' ORDER BY number")]

    def active(self) -> int:
        """How many are queued or running."""
        rows = self._tables.run("SELECT count(*) AS found FROM jobs WHERE state IN ('queued', 'running')")
        return int(rows[0]["found"])

    def resume(self) -> None:
        """Put what was running when the last server ended back into the queue."""
        self._update("state = 'queued', holder = '' WHERE state = 'running'", ())

    def sweep(self) -> None:
        """Remove files that no job names: the server was killed before they were whole."""
        known = {row["id"] for row in self._tables.run("SELECT id FROM jobs")}
        for place in (self.spool, self.evaluations):
            for folder in place.iterdir() if place.is_dir() else ():
                if folder.name not in known:
                    shutil.rmtree(folder, ignore_errors=True)

    def begin(self, id_: str) -> bool:
        """Mark a queued job as running here; False if it was cancelled, or taken, or its library has one that runs."""
        return self._update(
            f"state = 'running', started = ?, attempts = attempts + 1, error = '', holder = ?, "  # noqa: S608
            f"lease = {self._tables.clock} + ? "
            "WHERE id = ? AND state = 'queued' AND NOT EXISTS (SELECT 1 FROM jobs AS other "
            "WHERE other.library = jobs.library AND other.kind = jobs.kind AND other.state = 'running')",
            (time.time(), self._me, LEASE, id_),
        )

    def held(self) -> set[str] | None:
        """The running jobs that are this server's; None where it is too early to ask again."""
        now = time.monotonic()
        if now - self._renewed < RENEWED:
            return None
        rows = self._tables.run("SELECT id FROM jobs WHERE holder = ? AND state = 'running'", (self._me,))
        self._renewed = now
        return {row["id"] for row in rows}

    def fetch(self, job: Job) -> None:
        """Bring what the job needs here, where it is not."""

    def keep(self, job: Job) -> None:
        """Have what an evaluation found be known wherever it is asked for."""

    def discard(self, job: Job) -> None:
        """Remove what was uploaded for a job that is done."""
        shutil.rmtree(self.folder(job.id), ignore_errors=True)

    def progress(self, id_: str, counts: Mapping[str, Any], failures: list[Mapping[str, str]]) -> None:
        """How far a running job came."""
        held = json.dumps(failures[:MOST_FAILURES])
        self._update(f"counts = ?, failures = ? {_HERE}", (json.dumps(counts), held, id_, self._me))

    def end(self, id_: str, state: JobState, error: str = "") -> bool:
        """How a running job ended."""
        return self._update(f"state = ?, error = ?, finished = ? {_HERE}", (state, error, time.time(), id_, self._me))

    def cancel(self, id_: str) -> bool:
        """Cancel a job that is queued or running; False for one that has ended."""
        return self._update(
            "state = 'cancelled', finished = ? WHERE id = ? AND state IN ('queued', 'running')", (time.time(), id_)
        )

    def requeue(self, id_: str) -> bool:
        """Queue a failed or cancelled job again; False for another."""
        return self._update(
            "state = 'queued', finished = NULL, error = '' WHERE id = ? AND state IN ('failed', 'cancelled')", (id_,)
        )

    def remove(self, library: str, id_: str | None = None) -> None:
        """Forget an ended job, or all of a library, with what it had uploaded."""
        rows = self._tables.run(
            "DELETE FROM jobs WHERE library = ? AND ? IN (id, '') RETURNING id", (library, id_ or "")
        )
        for row in rows:
            self._forget(row["id"])

    def close(self) -> None:
        """Close the tables."""
        self._tables.close()

    def _forget(self, id_: str) -> None:
        for place in (self.spool, self.evaluations):
            shutil.rmtree(place / id_, ignore_errors=True)

    def _once(self, library: str, owner: str, once: str) -> Job | None:
        rows = self._tables.run(
            "SELECT * FROM jobs WHERE library = ? AND owner = ? AND once = ?", (library, owner, once)
        )
        return _job(rows[0]) if rows else None

    def _update(self, change: str, values: tuple[object, ...]) -> bool:
        """Change jobs; whether there was one."""
        return bool(self._tables.run(f"UPDATE jobs SET {change} RETURNING id", values))  # noqa: S608


def _job(row: Row) -> Job:
    read = {"counts": json.loads(row["counts"]), "failures": tuple(json.loads(row["failures"]))}
    return Job(**{**{one.name: row[one.name] for one in fields(Job)}, **read})
