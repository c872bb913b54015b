"""Evaluations of a library: recipes compared on questions, as jobs whose results stay."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from decoct import registry
from decoct.evaluate.generate import rules
from decoct.evaluate.reader_names import EXTRACTIVE
from decoct.evaluate.report.markdown import rows_without_run
from decoct.evaluate.system import ORACLES
from decoct.server.evaluating import EvaluationRequest, report_of
from decoct.server.jobs import Job
from decoct.server.parameters import EvaluationIn
from decoct.server.problems import ProblemError
from decoct.server.replies import EvaluationOut, EvaluationsOut, ReportOut
from decoct.server.state import Admins, Reads, ServerState, caller_of, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/api/v1/libraries/{lib}/evaluations", tags=["evaluations"])
# Tables of a report that speak of the questions and recipes alone; the others name this machine and its models.
_TABLES = ("quality", "types", "failures", "cost", "significance", "front")


@router.get("", response_model=EvaluationsOut, summary="A library's evaluations, newest first")
async def list_(request: Request, lib: str, _: Reads) -> dict[str, Any]:
    """The last hundred."""
    server = server_of(request)
    return {"evaluations": [evaluation_as_json(server, job) for job in server.jobs.of(lib, kind="evaluation")]}


@router.post(
    "", status_code=202, response_model=EvaluationOut, summary="Compare recipes on questions about the library"
)
async def start(request: Request, lib: str, asked: EvaluationIn, _: Admins) -> JSONResponse:
    """The questions are given, or `generate` are made from the documents. The answer is a job: follow it under the same id."""
    job = await begin(request, lib, asked)
    where = f"/api/v1/libraries/{lib}/evaluations/{job.id}"
    return JSONResponse(evaluation_as_json(server_of(request), job), 202, {"Location": where})


@router.get("/{evaluation}", response_model=ReportOut, summary="An evaluation and its tables")
async def one(request: Request, lib: str, evaluation: str, _: Reads) -> JSONResponse:
    """Its tables are empty until it is done."""
    server, job = server_of(request), evaluation_job(request, lib, evaluation)

    def work(_: Cancel) -> dict[str, Any]:
        made = report_of(server.jobs.evaluation(job.id))
        return {name: rows_without_run(made["tables"][name]) if made else [] for name in _TABLES}

    tables = await server.workers.run(request, work)
    return JSONResponse({**evaluation_as_json(server, job), "tables": tables})


@router.delete(
    "/{evaluation}", response_model=EvaluationOut, summary="Cancel an evaluation, or remove one that has ended"
)
async def remove(request: Request, lib: str, evaluation: str, _: Admins) -> dict[str, Any]:
    """A cancelled one keeps its rows and can be retried (`POST L/jobs/{id}/retry`), which goes on where it was."""
    server, job = server_of(request), evaluation_job(request, lib, evaluation)
    told = evaluation_as_json(server, job)
    there = server.runner.change(job, "end")
    return evaluation_as_json(server, evaluation_job(request, lib, evaluation)) if there else told


async def begin(request: Request, lib: str, asked: EvaluationIn) -> Job:
    """Queue an evaluation; an error at once for what needs a model or a distribution that is not there."""
    server = server_of(request)
    for name in asked.recipes:
        _possible(server, name)
    if asked.reader == "model" and server.llm is None:
        raise ProblemError(422, "this server has no language model to answer with", code="config", param="reader")
    if asked.reader == EXTRACTIVE:
        registry.load("read", EXTRACTIVE, "reader")
    if asked.generate and server.llm is None:
        await asyncio.to_thread(rules)
    id_ = server.jobs.new_id()
    given = [one.model_dump(exclude_defaults=True) for one in asked.questions]
    kept = EvaluationRequest(**{**asked.model_dump(), "questions": len(given) or asked.generate})
    await asyncio.to_thread(kept.write, server.jobs.evaluation(id_), given)
    return server.jobs.add(id_, lib, kept.questions, owner=caller_of(request).key_id, kind="evaluation")


def evaluation_as_json(server: ServerState, job: Job) -> dict[str, Any]:
    """An evaluation as JSON-ready data."""
    asked, shown = EvaluationRequest.read(server.jobs.evaluation(job.id)), job.as_dict()
    return {
        **{name: shown[name] for name in ("id", "state", "created", "started", "finished", "progress", "error")},
        **{name: getattr(asked, name) for name in ("name", "questions", "recipes", "budgets", "reader")},
        "rows": shown["counts"].get("rows", 0),
    }


def evaluation_job(request: Request, lib: str, evaluation: str) -> Job:
    """The job of an evaluation; 404 where there is none."""
    job = server_of(request).jobs.get(lib, evaluation)
    if job is None or job.kind != "evaluation":
        raise ProblemError(404, f"there is no evaluation {evaluation[:64]!r}", code="evaluation")
    return job


def _possible(server: ServerState, name: str) -> None:
    if name not in ORACLES and server.recipe(name).needs_llm and server.llm is None:
        told = f"the recipe {name!r} asks a language model, and this server has none"
        raise ProblemError(422, told, code="config", param="recipes")
