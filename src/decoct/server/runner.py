"""Runs the queued jobs, each in a child process, one a library and kind, so many of a kind at once."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from decoct.errors import StoreError
from decoct.server.child import IngestOrder
from decoct.server.evaluating import EvaluationOrder
from decoct.server.jobs import ACTIVE, LEASE, Job, JobState, JobStore
from decoct.server.pool import Libraries
from decoct.server.problems import TABLE
from decoct.server.settings import ServerSettings

log = logging.getLogger("decoct.server.jobs")
_LOOK = 0.3  # seconds between two looks at the queue, where nothing wakes it
_BUSY = 2.0  # seconds until a library that another process writes is tried again
_LINE = 1 << 24  # bytes that a child's report may have
_AWAY = "jobs cannot be run now: the server's state cannot be read or written"
_BROKEN = "jobs cannot be run now; the server's log tells why"
_GENERAL = "the job failed; the server's log tells why under its id"
# Errors of a child whose words speak of the job, beside those that requests have too (`problems.TABLE`).
_OWN = frozenset({"memory", "evaluation"})


class JobRunner:
    """See the module's text. `run` is a task of the server's event loop."""

    def __init__(self, jobs: JobStore, libraries: Libraries, settings: ServerSettings) -> None:
        self._jobs, self._libraries, self._settings = jobs, libraries, settings
        self._running: dict[str, tuple[tuple[str, str], asyncio.Task[None]]] = {}
        self._children: dict[str, asyncio.subprocess.Process] = {}
        self._later: dict[str, float] = {}
        self._stopping = False
        self._alive = 0.0
        self._trouble = ""
        self._unwritten: set[str] = set()

    @property
    def trouble(self) -> str:
        """Why no job can be begun or ended now; "" where nothing is wrong."""
        return self._trouble or (_AWAY if self._unwritten else "")

    async def run(self) -> None:
        """Take jobs from the queue until cancelled; children still running are then killed and their jobs stay for the next start.

        Nothing that fails on the way ends it: it is logged, told by `trouble`, and tried again.
        """
        self._alive = time.monotonic()
        resumed = False
        try:
            while True:
                try:
                    if not resumed:
                        self._jobs.resume()
                        resumed = True
                    self._look_after()
                    self._start()
                    self._trouble = ""
                except Exception as error:  # noqa: BLE001 - whatever it was, jobs that come later are to be run
                    self._in_trouble(error)
                await asyncio.sleep(_LOOK)
        finally:
            self._stopping = True
            for id_ in list(self._children):
                self._kill(id_)
            tasks = [task for _, task in self._running.values()]
            await asyncio.gather(*tasks, return_exceptions=True)

    def _in_trouble(self, error: Exception) -> None:
        if not self._trouble:  # once, not three times a second
            log.error("jobs cannot be run: %s", error, exc_info=None if isinstance(error, StoreError) else error)
        self._trouble = _AWAY if isinstance(error, StoreError) else _BROKEN
        # Replicas' state is away: what runs goes on as long as nobody else may take it.
        if self._jobs.shared and time.monotonic() - self._alive > LEASE:
            for id_ in list(self._children):
                self._kill(id_)

    def cancel(self, id_: str) -> bool:
        """Cancel a job, killing its child; False for one that has ended."""
        cancelled = self._jobs.cancel(id_)
        if cancelled:
            self._kill(id_)
        return cancelled

    def change(self, job: Job, do: str) -> bool:
        """Queue a job again (`do` is "retry"), cancel one that goes on, or forget one that has ended; False where it is forgotten."""
        if do == "retry":
            self._jobs.requeue(job.id)
        elif job.state in ACTIVE:
            self.cancel(job.id)
        else:
            self._jobs.remove(job.library, job.id)
            return False
        return True

    async def events(self, library: str, id_: str) -> AsyncIterator[Job]:
        """The job whenever it changed, until it has ended."""
        last: Job | None = None
        while True:
            job = self._jobs.get(library, id_)
            if job is None:
                return
            if job != last:
                last = job
                yield job
            if job.state not in ACTIVE:
                return
            await asyncio.sleep(_LOOK)

    def _look_after(self) -> None:
        """Renew what is held; end the children of jobs that were cancelled through another replica, or that are another's by now."""
        held = self._jobs.held()
        if held is not None:
            for id_ in set(self._children) - held:
                self._kill(id_)
            for id_ in held - set(self._running):  # its end could not be written
                self._jobs.end(id_, "queued")
        self._alive = time.monotonic()

    def _start(self) -> None:
        for job in self._jobs.queued():
            busy, mine = {at for at, _ in self._running.values()}, (job.library, job.kind)
            limits = self._settings.limits
            most = limits.children if job.kind == "ingest" else limits.evaluations
            if sum(kind == job.kind for _, kind in busy) >= most:
                continue  # uploads do not wait for evaluations, which take hours
            if job.id in self._running or mine in busy or self._later.get(job.id, 0) > time.monotonic():
                continue
            if not self._jobs.begin(job.id):
                continue
            self._jobs.fetch(job)
            task = asyncio.create_task(self._do(job))
            self._running[job.id] = (mine, task)
            task.add_done_callback(partial(self._ended_task, job.id))

    def _ended_task(self, id_: str, task: asyncio.Task[None]) -> None:
        self._running.pop(id_, None)
        self._unwritten.discard(id_)
        if not task.cancelled() and task.exception() is not None:  # `_look_after` puts the job back into the queue
            log.error("job %s ended in an error", id_, exc_info=task.exception())

    async def _do(self, job: Job) -> None:
        try:
            state, error = await self._done(job)
        except Exception:  # whatever it was, the job must not stay "running" for ever
            log.exception("job %s of %s failed", job.id, job.library)
            state, error = "failed", _GENERAL
        finally:
            self._children.pop(job.id, None)
        await self._write_end(job, state, error)

    async def _write_end(self, job: Job, state: JobState, error: str) -> None:
        """Write how a job ended, again and again where the state cannot be written: its library waits for that."""
        while True:
            try:
                if state == "queued" or (self._stopping and state == "failed"):
                    # Another process writes its library; or it was killed with the server: the next one, or another replica, goes on.
                    self._later[job.id] = time.monotonic() + _BUSY
                    self._jobs.end(job.id, "queued")
                    return
                self._jobs.keep(job)
                if self._jobs.end(job.id, state, error) and state == "done":
                    self._jobs.discard(job)
            except StoreError as failure:
                if self._stopping:  # the next start puts it back into the queue
                    return
                if job.id not in self._unwritten:
                    log.error("the end of job %s cannot be written yet: %s", job.id, failure)  # noqa: TRY400
                self._unwritten.add(job.id)
                await asyncio.sleep(_LOOK)
            else:
                return

    def _order(self, job: Job, place: str) -> IngestOrder | EvaluationOrder:
        if job.kind == "evaluation":
            recipes = {name: one.as_dict() for name, one in self._settings.recipes.items()}
            llm = self._settings.llm if isinstance(self._settings.llm, str) else None
            return EvaluationOrder(place, str(self._jobs.evaluation(job.id)), recipes, llm)
        embedder, chunker = self._libraries.build_of(job.library)
        return IngestOrder(place, str(self._jobs.folder(job.id)), embedder, chunker, self._settings.allow_private)

    async def _done(self, job: Job) -> tuple[JobState, str]:
        place = self._libraries.place(job.library)
        if place is None:
            return "failed", "the library is gone"
        order = {
            "kind": job.kind, "memory": self._settings.limits.child_bytes, **asdict(self._order(job, str(place)))
        }  # fmt: skip
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "decoct.server.child", stdin=pipe, stdout=pipe, start_new_session=True, limit=_LINE
        )
        self._children[job.id] = child
        current = self._jobs.get(job.library, job.id)
        if self._stopping or current is None or current.state != "running":  # stopped or cancelled while it started
            self._kill(job.id)
        try:
            end = await self._heard(job, child, json.dumps(order).encode() + b"\n")
            code = await child.wait()
        except BaseException:  # it cannot be understood, or nobody listens any more, but it may still be writing
            self._kill(job.id)
            await child.wait()
            raise
        return self._ended(job, end, code)

    async def _heard(self, job: Job, child: asyncio.subprocess.Process, order: bytes) -> dict[str, Any]:
        """How the child said that it ended; empty where it did not."""
        assert child.stdin is not None
        assert child.stdout is not None
        end: dict[str, Any] = {}
        with suppress(ConnectionError):
            child.stdin.write(order)
            await child.stdin.drain()
        while line := await child.stdout.readline():
            told = json.loads(line)
            if "error" in told:
                end = told
            else:
                end = told if "done" in told else end
                report = dict(told.get("progress") or told.get("done"))
                failures = report.pop("failures", [])
                with suppress(StoreError):  # the work goes on; `_write_end` waits for its end to be written
                    self._jobs.progress(job.id, report, failures)
        return end

    def _ended(self, job: Job, end: dict[str, Any], code: int) -> tuple[JobState, str]:
        if "done" in end:
            report = end["done"]
            if job.kind == "ingest" and report["failed"] and not report["documents"]:
                return "failed", "nothing could be read; see the failures"
            return "done", ""
        error = end.get("error", {})
        if error.get("code") == "store-busy":
            return "queued", ""
        told = log.error if job.id in self._children else log.info  # the second of one that was ended on purpose
        told("job %s of %s failed: exit code %s, %s", job.id, job.library, code, error)
        kind = error.get("code", "")
        if kind not in TABLE and kind not in _OWN:
            return "failed", _GENERAL
        return "failed", (TABLE[kind].words if kind in TABLE else "") or str(error["message"])

    def _kill(self, id_: str) -> None:
        child = self._children.pop(id_, None)
        if child is not None and child.returncode is None:
            with suppress(ProcessLookupError):  # its parsers too: it leads a group of its own
                if hasattr(os, "killpg"):
                    os.killpg(child.pid, signal.SIGKILL)
                else:
                    child.kill()
