"""The application: routes behind one gate, errors of one shape, a life that begins and ends in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.metadata import version
from weakref import WeakValueDictionary

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from decoct.errors import DecoctError
from decoct.server.gate import Gate
from decoct.server.parameters import DocumentsIn
from decoct.server.problems import STATUSES, respond
from decoct.server.replies import ErrorBody
from decoct.server.settings import ServerSettings
from decoct.server.state import ServerState
from decoct.server.web.render import error_page

# Modules of this folder that have a `router`, in the order in which they are asked and described.
ROUTES = (
    *(f"routes.{one}" for one in "chat responses embeddings rerank ollama libraries questions documents".split()),
    *(f"routes.{one}" for one in "jobs evaluations system".split()),
    *(f"web.{one}" for one in "asking papers cards reports sources reference entering".split()),
)
_ABOUT = """Contexts under a hard token budget, and cited answers, from your own documents.

Every error has one shape, `{"error": {"message", "type", "code", "param", "request_id"}}`; offsets are code points of a document's text."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The server as an ASGI application. Its jobs run while its lifespan does."""
    server = ServerState(settings)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        running = asyncio.create_task(server.runner.run())
        try:
            yield
        finally:
            app.state.stopping = True
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            server.close()

    app = FastAPI(
        title="Decoct",
        version=version("decoct"),
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,  # its page fetches scripts from elsewhere
        redoc_url=None,
        responses={status: {"model": ErrorBody} for status in STATUSES},
    )
    app.state.decoct = server
    app.state.stopping = False
    app.state.turns, app.state.runnable = WeakValueDictionary(), {}
    app.state.error_page = error_page
    for name in ROUTES:
        app.include_router(import_module(f"decoct.server.{name}").router)
    app.mount("/static", StaticFiles(packages=[("decoct.server.web", "static")]))
    _describe(app)
    for error in (RequestValidationError, HTTPException, DecoctError):
        app.add_exception_handler(error, respond)
    app.add_middleware(
        Gate, settings=settings, keys=server.keys, sessions=server.sessions, rates=server.rates, metrics=server.metrics
    )
    return app


def _describe(app: FastAPI) -> None:
    """Adds to the OpenAPI page what no route's signature says: keys, and the documents of an upload."""
    made = app.openapi

    def described() -> dict[str, object]:
        schema = made()
        parts = schema.setdefault("components", {})
        parts.setdefault("securitySchemes", {})["key"] = {"type": "http", "scheme": "bearer"}
        schema["security"] = [{"key": []}, {}]
        inner = DocumentsIn.model_json_schema(ref_template="#/components/schemas/{model}")
        parts["schemas"].update(inner.pop("$defs", {}))
        parts["schemas"]["DocumentsIn"] = inner
        return schema

    app.openapi = described  # type: ignore[method-assign]
