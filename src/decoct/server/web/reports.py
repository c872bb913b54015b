"""The pages of a library's evaluations: which there are, what one found, and the form that starts one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from decoct.evaluate.report.markdown import metric_grid
from decoct.server.evaluating import figure_of, report_of
from decoct.server.jobs import ACTIVE
from decoct.server.parameters import EvaluationIn, GoldQuestionIn
from decoct.server.problems import ProblemError, invalid_field
from decoct.server.routes.evaluations import begin, evaluation_as_json, evaluation_job
from decoct.server.state import caller_of, server_of
from decoct.server.web.render import Administered, Field, Sent, address, library_of_page, page, recipe_groups
from decoct.server.work import Cancel

router = APIRouter(include_in_schema=False)
# A figure has styles of its own, in which nothing can be loaded.
_FIGURE = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}


@router.get("/reports")
async def reports(request: Request, library: Field = "") -> HTMLResponse:
    """The library's evaluations, newest first, and for its admin the form for another."""
    server, name = server_of(request), library_of_page(request, library)
    jobs = server.jobs.of(name, kind="evaluation") if name else []
    return page(
        request,
        "reports.html",
        library=name,
        evaluations=[evaluation_as_json(server, job) for job in jobs],
        may_start=bool(name) and caller_of(request).may(name, "admin"),
        groups=recipe_groups(server),
        model=server.llm is not None,
    )


@router.get("/reports/{evaluation}")
async def report(request: Request, evaluation: str, library: Field = "") -> HTMLResponse:
    """One evaluation: quality against budget, the tables, what is more than chance, and the questions that tell most."""
    server, name = server_of(request), library_of_page(request, library)
    job = evaluation_job(request, name, evaluation)
    folder = server.jobs.evaluation(job.id)

    def work(_: Cancel) -> dict[str, Any]:
        if (made := report_of(folder)) is None:
            return {}
        tables = made.pop("tables")
        metrics, quality = tables["runs"][0]["metrics"], tables["quality"]
        grids = [metric_grid(name, [row for row in quality if row["metric"] == name]) for name in metrics]
        tests = [one for one in tables["significance"] if one["metric"] in metrics[:2]]
        return {**made, "metrics": grids, "tests": tests}

    return page(
        request,
        "report.html",
        library=name,
        one=evaluation_as_json(server, job),
        active=job.state in ACTIVE,
        may_start=caller_of(request).may(name, "admin"),
        **await server.workers.run(request, work),
    )


@router.get("/reports/{evaluation}/{metric}.svg")
async def figure(request: Request, evaluation: str, metric: str, library: Field = "") -> Response:
    """A measure's figure: quality against budget."""
    server, name = server_of(request), library_of_page(request, library)
    job = evaluation_job(request, name, evaluation)
    file = figure_of(server.jobs.evaluation(job.id), metric)
    if file is None:
        raise ProblemError(404, "there is no such figure")
    return Response(file.read_bytes(), media_type="image/svg+xml", headers=_FIGURE)


@router.post("/reports")
async def start(
    request: Request,
    where: Administered,
    name: Sent = "",
    budgets: Sent = "",
    generate: Sent = "",
    reader: Sent = "none",
    recipe: Annotated[list[str], Form(max_length=20)] = [],  # noqa: B006 - FastAPI copies it
    file: Annotated[UploadFile | None, File()] = None,
) -> RedirectResponse:
    """Start one from the form: with a questions file, else with questions that are made from the documents."""
    # Lines end where JSON Lines end them: a text may hold what Unicode calls a line's end too. Windows' editors begin with a mark.
    text = (await file.read()).decode("utf-8-sig", "replace") if file is not None else ""
    try:
        questions = [GoldQuestionIn.model_validate_json(line) for line in text.split("\n") if line.strip()]
        asked = EvaluationIn(
            name=name,
            questions=questions,
            generate=0 if questions else int(generate) if generate.isdecimal() else 50,
            recipes=recipe,
            budgets=[int(one) if one.strip().isdecimal() else one.strip() for one in budgets.split(",") if one.strip()],
            reader=reader,  # type: ignore[arg-type] # checked there
        )
    except ValidationError as error:
        raise invalid_field(error.errors()[0]) from error
    job = await begin(request, where, asked)
    return RedirectResponse(address(f"/reports/{job.id}", library=where), 303)


@router.post("/reports/{evaluation}")
async def change(request: Request, evaluation: str, name: Administered, do: Sent = "") -> RedirectResponse:
    """Cancel, take up again or remove one."""
    job = evaluation_job(request, name, evaluation)
    there = server_of(request).runner.change(job, do)
    return RedirectResponse(address(f"/reports/{job.id}" if there else "/reports", library=name), 303)
