"""The jobs of a server's replicas, which share rows and, through them, files: a job is accepted when both are there.

Who runs a job holds it by a lease of `LEASE` seconds that is renewed while the replica lives; when it ends, any other queues the job again
and runs it.
"""

from __future__ import annotations

import time
from pathlib import Path

from decoct.server.jobs import LEASE, RENEWED, Job, JobKind, JobStore
from decoct.server.tables import Tables
from decoct_postgresql.job_files import HandedFiles


class SharedJobs(JobStore):
    """The jobs of all replicas; files lie in `place`, which is this replica's own."""

    shared = True

    def __init__(self, tables: Tables, place: Path) -> None:
        super().__init__(tables, place)
        self._files = HandedFiles(tables)

    def evaluation(self, id_: str) -> Path:
        """Where an evaluation keeps what it was asked and what it found, as far as it is known by now."""
        folder = super().evaluation(id_)
        rows = self._tables.run("SELECT version, state, holder FROM jobs WHERE id = ?", (id_,))
        if rows and not (rows[0]["state"] == "running" and rows[0]["holder"] == self._me):
            self._files.fetch(id_, folder, rows[0]["version"])
        return folder

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
        """Queue a job, its files first; of two with one idempotency key `once` the first stays and is returned."""
        if once is not None and (known := self._once(library, owner, once)) is not None:
            return known
        self._files.send(id_, self._needs(id_, kind))
        job = super().add(id_, library, sources, owner=owner, once=once, digest=digest, kind=kind)
        if job.id != id_:  # another request with this key was faster
            self._files.remove(id_)
        return job

    def resume(self) -> None:
        """Put what nobody holds any more back into the queue."""
        self._update(f"state = 'queued', holder = '' WHERE state = 'running' AND lease < {self._tables.clock}", ())

    def held(self) -> set[str] | None:
        """The running jobs that are this replica's, their leases renewed; None where it is too early to ask again."""
        if time.monotonic() - self._renewed >= RENEWED:
            self._update(f"lease = {self._tables.clock} + ? WHERE holder = ? AND state = 'running'", (LEASE, self._me))
            self.resume()
        return super().held()

    def fetch(self, job: Job) -> None:
        """Bring what the job needs here, where another replica took it."""
        self._files.fetch(job.id, self._needs(job.id, job.kind), None)

    def keep(self, job: Job) -> None:
        """Hand what an evaluation found to the other replicas."""
        if job.kind == "evaluation":
            self._files.send(job.id, self.evaluations / job.id)
            self._update("version = version + 1 WHERE id = ?", (job.id,))

    def discard(self, job: Job) -> None:
        """Remove what was uploaded for a job that is done."""
        super().discard(job)
        if job.kind == "ingest":
            self._files.remove(job.id)

    def _forget(self, id_: str) -> None:
        super()._forget(id_)
        self._files.remove(id_)

    def _needs(self, id_: str, kind: JobKind) -> Path:
        """Where what a job needs lies: what was uploaded for it, or what an evaluation was asked."""
        return (self.spool if kind == "ingest" else self.evaluations) / id_
