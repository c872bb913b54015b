"""Libraries: list, make, look at, remove."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from decoct.library import Library
from decoct.server.parameters import LibraryIn
from decoct.server.problems import ProblemError
from decoct.server.replies import DeletedOut, LibrariesOut, LibraryOut, LibraryStatusOut
from decoct.server.state import Admins, Reads, caller_of, in_library, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/api/v1/libraries", tags=["libraries"])


@router.get("", response_model=LibrariesOut, summary="The libraries that the key may know of")
async def list_(request: Request) -> dict[str, Any]:
    """Each with what the key may do with it."""
    server, caller = server_of(request), caller_of(request)
    return {"libraries": [{"name": name, "permission": caller.scope(name)} for name in server.visible(caller)]}


@router.post("", response_model=LibraryOut, status_code=201, summary="Make a library")
async def create(request: Request, asked: LibraryIn) -> dict[str, Any]:
    """An empty library; the key needs the server's admin scope."""
    server, caller = server_of(request), caller_of(request)
    if not caller.server:
        raise ProblemError(403, "this key may not make libraries", code="scope")
    for field, allowed in (("embedder", server.settings.embedders), ("chunker", server.settings.chunkers)):
        if (value := getattr(asked, field)) not in allowed:
            raise ProblemError(
                422, f"{field} {value[:64]!r} is not offered here; it may be {', '.join(allowed)}", param=field
            )
    await server.workers.run(request, lambda _: server.libraries.create(asked.name, asked.embedder, asked.chunker))
    return {"name": asked.name, "permission": caller.scope(asked.name) or "admin"}


@router.get("/{lib}", response_model=LibraryStatusOut, summary="A library's counts")
async def status(request: Request, lib: str, _: Reads) -> JSONResponse:
    """How many documents and chunks it has, its size, and how it is built."""

    def work(library: Library, _: Cancel) -> dict[str, Any]:
        found = library.status()
        chunker = json.loads(found.settings.get("chunker", "{}"))
        return {
            "name": lib,
            "permission": caller_of(request).scope(lib),
            "documents": found.documents,
            "chunks": found.chunks,
            "bytes": found.bytes,
            "embedder": _kind(found.settings.get("embedder_spec", "")),
            "chunker": str(chunker.get("use", "")),
            "language": found.settings.get("language", ""),
        }

    return JSONResponse(await in_library(request, lib, work))


@router.delete("/{lib}", response_model=DeletedOut, summary="Remove a library")
async def delete(request: Request, lib: str, _: Admins) -> dict[str, int]:
    """Remove it with all its documents, jobs and evaluations. There is no way back."""
    await removed(request, lib)
    return {"deleted": 1}


async def removed(request: Request, lib: str) -> None:
    """Cancel a library's jobs and remove everything of it."""
    server = server_of(request)
    for id_ in server.jobs.unfinished(lib):
        server.runner.cancel(id_)

    def work(_: Cancel) -> None:
        server.libraries.delete(lib)
        server.jobs.remove(lib)

    await server.workers.run(request, work)


def _kind(spec: str) -> str:
    """An embedder's kind without the folder or address that its spec may hold."""
    return spec.partition(":")[0] or "own"
