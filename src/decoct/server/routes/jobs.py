"""Ingest jobs: look, follow, cancel, retry."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from decoct.server.jobs import Job
from decoct.server.problems import ProblemError
from decoct.server.replies import JobOut, JobsOut
from decoct.server.state import Writes, caller_of, server_of

router = APIRouter(prefix="/api/v1/libraries/{lib}/jobs", tags=["jobs"])


@router.get("", response_model=JobsOut, summary="A library's jobs, newest first")
async def list_(request: Request, lib: str, _: Writes) -> dict[str, Any]:
    """The last hundred."""
    return {"jobs": [job.as_dict() for job in server_of(request).jobs.of(lib)]}


@router.get("/{job}", response_model=JobOut, summary="A job")
async def one(request: Request, lib: str, job: str, _: Writes) -> dict[str, Any]:
    """Its state, its counts so far, and what failed."""
    return _job(request, lib, job).as_dict()


_EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


@router.get("/{job}/events", summary="A job as it goes on", response_class=StreamingResponse, responses=_EVENTS)
async def events(request: Request, lib: str, job: str, _: Writes) -> StreamingResponse:
    """Server-sent events: the job whenever it changed, until it has ended."""
    _job(request, lib, job)

    async def told() -> AsyncIterator[str]:
        async for now in server_of(request).runner.events(lib, job):
            yield f"event: job\ndata: {json.dumps(now.as_dict())}\n\n"

    return StreamingResponse(told(), media_type="text/event-stream")


@router.delete("/{job}", response_model=JobOut, summary="Cancel a job, or forget one that has ended")
async def cancel(request: Request, lib: str, job: str, _: Writes) -> dict[str, Any]:
    """What was stored before stays; documents are stored whole or not at all."""
    found = changeable_job(request, lib, job)
    there = server_of(request).runner.change(found, "end")
    return (_job(request, lib, job) if there else found).as_dict()


@router.post("/{job}/retry", response_model=JobOut, summary="Queue a failed or cancelled job again")
async def retry(request: Request, lib: str, job: str, _: Writes) -> dict[str, Any]:
    """Documents that it had stored already cost nothing."""
    found = changeable_job(request, lib, job)
    if not server_of(request).jobs.requeue(job):
        raise ProblemError(
            409, f"the job is {found.state}: only failed and cancelled ones can be retried", code="job-state"
        )
    return _job(request, lib, job).as_dict()


def changeable_job(request: Request, lib: str, job: str) -> Job:
    """A job that the caller may cancel, retry or forget; 403 for an evaluation, which takes the scope `admin`."""
    found = _job(request, lib, job)
    if found.kind == "evaluation":
        server_of(request).check(caller_of(request), lib, "admin")
    return found


def _job(request: Request, lib: str, job: str) -> Job:
    found = server_of(request).jobs.get(lib, job)
    if found is None:
        raise ProblemError(404, f"there is no job {job[:64]!r}", code="job")
    return found
