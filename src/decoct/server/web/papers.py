"""The page of a library's documents: upload, jobs, list, removal; and libraries made here."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from decoct.library import Library
from decoct.server.jobs import ACTIVE
from decoct.server.parameters import LibraryIn
from decoct.server.problems import ProblemError
from decoct.server.routes.documents import listing, remove, upload_job
from decoct.server.routes.jobs import changeable_job
from decoct.server.routes.libraries import create, removed
from decoct.server.settings import NAME
from decoct.server.state import caller_of, in_library, server_of
from decoct.server.web.render import (
    Administered,
    Changed,
    Field,
    Sent,
    address,
    check_token,
    library_of_page,
    page,
    where_of_text,
)
from decoct.server.work import Cancel

router = APIRouter(include_in_schema=False)
PAGE = 50


@router.get("/documents")
async def documents(
    request: Request, library: Field = "", cursor: Field = "", find: Field = "", only: Field = ""
) -> HTMLResponse:
    """A page of the documents; `find` keeps those whose id or title holds it, `only` those with that metadata."""
    server, name = server_of(request), library_of_page(request, library)
    values: dict[str, Any] = {"library": name, "find": find, "only": only, "documents": [], "next": None, "total": 0}
    if name:
        where = where_of_text(only)

        def work(opened: Library, _: Cancel) -> dict[str, Any]:
            return {**listing(opened, cursor, PAGE, where, find), "total": opened.status().documents}

        values.update(await in_library(request, name, work))
    caller = caller_of(request)
    values["may_write"] = bool(name) and caller.may(name, "write")
    values["may_remove"] = bool(name) and caller.may(name, "admin")
    values["may_make"] = caller.server
    values["jobs"] = server.jobs.of(name, 10, "ingest") if values["may_write"] else []
    values["active"] = any(job.state in ACTIVE for job in values["jobs"])
    return page(request, "documents.html", **values)


@router.get("/jobs")
async def jobs(request: Request, library: Field = "") -> HTMLResponse:
    """The part of the page that shows jobs, which loads itself anew while one runs."""
    server, name = server_of(request), library_of_page(request, library)
    server.check(caller_of(request), name, "write")
    found = server.jobs.of(name, 10, "ingest")
    active = any(job.state in ACTIVE for job in found)
    return page(request, "jobs.html", library=name, jobs=found, active=active, may_write=True)


@router.post("/documents")
async def upload(request: Request, library: Field = "", csrf: Field = "") -> RedirectResponse:
    """Files of the form become a job."""
    check_token(request, csrf)
    name = library_of_page(request, library)
    server_of(request).check(caller_of(request), name, "write")
    await upload_job(request, name)
    return RedirectResponse(address("/documents", library=name), 303)


@router.post("/documents/delete")
async def delete(
    request: Request,
    name: Changed,
    id: Annotated[list[str], Form(max_length=PAGE)] = [],  # noqa: B006 - FastAPI copies it
    one: Sent = "",
) -> RedirectResponse:
    """Remove the documents that were ticked, or the `one` whose button was pressed."""
    server = server_of(request)
    await server.workers.run(request, lambda _: remove(server.libraries, name, *([one] if one else id)))
    return RedirectResponse(address("/documents", library=name), 303)


@router.post("/jobs")
async def job(request: Request, name: Changed, id: Sent = "", do: Sent = "") -> RedirectResponse:
    """Cancel, retry or forget a job."""
    server = server_of(request)
    if server.jobs.get(name, id) is not None:
        server.runner.change(changeable_job(request, name, id), do)
    return RedirectResponse(address("/documents", library=name), 303)


@router.post("/libraries")
async def make(request: Request, csrf: Sent = "", name: Sent = "") -> RedirectResponse:
    """Make an empty library."""
    check_token(request, csrf)
    if not NAME.fullmatch(name):
        raise ProblemError(
            422, "a library's name has a-z, 0-9, - and _, and begins with a letter or digit", param="name"
        )
    settings = server_of(request).settings  # the first of each that is offered
    await create(request, LibraryIn(name=name, embedder=settings.embedders[0], chunker=settings.chunkers[0]))
    return RedirectResponse(address("/documents", library=name), 303)


@router.post("/libraries/delete")
async def delete_library(request: Request, chosen_name: Administered, name: Sent = "") -> RedirectResponse:
    """Remove a library whose name was written out."""
    if name != chosen_name:
        raise ProblemError(422, f"write {chosen_name!r} to remove the library", param="name")
    await removed(request, chosen_name)
    return RedirectResponse("/documents", 303)
