"""What a running server has at hand, and the checks that routes make before they touch a library."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from fastapi import Depends
from starlette.requests import Request

from decoct.library import Library
from decoct.llm.resolve import configured_llm
from decoct.recipe import Recipe
from decoct.registry import nearest
from decoct.server.jobs import JobStore
from decoct.server.keys import Caller, Keys, Scope
from decoct.server.metrics import Metrics
from decoct.server.pages import PagePictures
from decoct.server.pool import Libraries
from decoct.server.problems import ProblemError, no_library
from decoct.server.runner import JobRunner
from decoct.server.sessions import RequestRates, Sessions
from decoct.server.settings import ServerSettings
from decoct.server.shared_state import is_shared, shared_state
from decoct.server.tables import SqliteTables
from decoct.server.work import Cancel, Workers

T = TypeVar("T")


class ServerState:
    """Everything that routes share, of a server with these settings; nothing runs yet."""

    def __init__(self, settings: ServerSettings) -> None:
        limits, waiting = settings.limits, (settings.limits.queue, settings.limits.patience)
        self.settings, self.llm = settings, configured_llm(settings.llm)
        shared = shared_state(str(settings.state)) if is_shared(settings.state) else None
        self.place = Path(tempfile.mkdtemp(prefix="decoct-replica-") if shared else settings.state)
        self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.keys: Keys = shared.keys() if shared else Keys(self.place)
        self.sessions: Sessions = shared.sessions(self.keys) if shared else Sessions(self.keys)
        self.rates: RequestRates = shared.rates(limits.per_second) if shared else RequestRates(limits.per_second)
        libraries = shared.libraries if shared else Libraries
        self.libraries: Libraries = libraries(settings.libraries, self.place, self.llm, limits.open_libraries)
        self.workers = Workers("engine", limits.threads, *waiting)
        self.model_workers = Workers("model", limits.model_threads, *waiting)
        self.page_workers = Workers("page", limits.page_threads, *waiting)
        self.pictures = PagePictures()
        self.jobs: JobStore = (
            shared.jobs(self.place) if shared else JobStore(SqliteTables(self.place / "jobs.db"), self.place)
        )
        self.jobs.sweep()
        self.runner = JobRunner(self.jobs, self.libraries, settings)
        self.metrics = Metrics(lambda: self.workers.pending + self.model_workers.pending, self.jobs.active)

    def close(self) -> None:
        """Take no more work and close what is open."""
        self.workers.close()
        self.model_workers.close()
        self.page_workers.close()
        self.libraries.close()
        self.jobs.close()
        if is_shared(self.settings.state):
            shutil.rmtree(self.place, ignore_errors=True)

    def recipe(self, name: str) -> Recipe:
        """A recipe of the allow-list; 422 for any other name, which is never looked for on the disk."""
        if name in self.settings.recipes:
            return self.settings.recipes[name]
        known = list(self.settings.recipes)
        raise ProblemError(
            422, f"there is no recipe {name[:64]!r} here; {nearest(name[:64], known)}", code="recipe", param="recipe"
        )

    def visible(self, caller: Caller) -> list[str]:
        """The libraries that the caller may know of."""
        return [name for name in self.libraries.names() if caller.scope(name) is not None]

    def check(self, caller: Caller, library: str, scope: Scope) -> None:
        """404 for a library that is not there or that the caller may not know of, 403 for too low a scope."""
        if caller.scope(library) is None or self.libraries.place(library) is None:
            raise no_library(library)
        if not caller.may(library, scope):
            raise ProblemError(403, f"this key lacks the scope {scope!r} on the library {library!r}", code="scope")

    @property
    def readers(self) -> Workers:
        """The threads for a call that may ask a language model."""
        return self.workers if self.llm is None else self.model_workers


def server_of(request: Request) -> ServerState:
    """The server's state, for routes."""
    return cast("ServerState", request.app.state.decoct)


def caller_of(request: Request) -> Caller:
    """Who asks: the gate has made sure that it is someone."""
    return cast("Caller", request.state.caller)


async def in_library(request: Request, name: str, work: Callable[[Library, Cancel], T], *, reads: bool = False) -> T:
    """What `work` makes of the open library, in a thread of the engine; `reads`: a language model may be asked."""
    server = server_of(request)

    def opened(cancel: Cancel) -> T:
        cancel.check()
        with server.libraries.use(name) as library:
            return work(library, cancel)

    return await (server.readers if reads else server.workers).run(request, opened)


def has_scope(scope: Scope) -> Callable[[Request, str], Coroutine[Any, Any, None]]:
    """A dependency: the caller has at least `scope` on the library of the path."""

    async def check(request: Request, lib: str) -> None:
        server, caller = server_of(request), caller_of(request)
        if is_shared(server.settings.state):  # it asks the database
            await asyncio.to_thread(server.check, caller, lib, scope)
        else:  # a look at a folder is faster than the way to a thread and back
            server.check(caller, lib, scope)

    return check


Reads: TypeAlias = Annotated[None, Depends(has_scope("read"))]
Writes: TypeAlias = Annotated[None, Depends(has_scope("write"))]
Admins: TypeAlias = Annotated[None, Depends(has_scope("admin"))]
"""What a route's parameter says of who may call it."""
