"""What is not a library's: recipes, health, measurements."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from decoct.server.problems import ProblemError
from decoct.server.replies import RecipesOut
from decoct.server.state import server_of

router = APIRouter()


@router.get("/api/v1/recipes", response_model=RecipesOut, tags=["questions"], summary="The recipes a request may name")
async def recipes(request: Request) -> dict[str, Any]:
    """Each with its description, its own budget and whether it needs a language model; `GET /v1/models` lists those that run here now."""
    known = server_of(request).settings.recipes.values()
    told = ("name", "description", "budget", "needs_llm")
    return {"recipes": [{name: getattr(one, name) for name in told} for one in known]}


@router.get("/health", tags=["system"], summary="Whether the process answers")
async def health() -> dict[str, str]:
    """It does."""
    return {"status": "ok"}


@router.get("/ready", tags=["system"], summary="Whether it takes requests")
async def ready(request: Request) -> dict[str, str]:
    """503 while it stops, its queue is full, jobs cannot be run, or none of its libraries opens; `unusable` counts those that do not."""
    server = server_of(request)
    if server.runner.trouble:
        raise ProblemError(503, server.runner.trouble, code="not-ready", retry_after=5)
    limits = server.settings.limits
    if getattr(request.app.state, "stopping", False) or server.workers.pending >= limits.threads + limits.queue:
        raise ProblemError(503, "the server is busy or stopping", code="not-ready", retry_after=1)
    names = server.libraries.names()
    unusable = await run_in_threadpool(server.libraries.unusable)
    if names and len(unusable) == len(names):
        raise ProblemError(503, "its libraries cannot be opened; its log tells why", code="not-ready", retry_after=5)
    return {"status": "ready", **({"unusable": str(len(unusable))} if unusable else {})}


@router.get("/metrics", tags=["system"], summary="Measurements for Prometheus", response_class=Response)
async def metrics(request: Request) -> Response:
    """In its text format; off this machine a key is needed."""
    return Response(server_of(request).metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")
