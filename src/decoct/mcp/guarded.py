"""The tools over HTTP, behind the same gate as the server: hosts, rates, sizes and times of requests, and keys where they are asked for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as ASGIScope

from decoct.server.gate import Gate
from decoct.server.keys import Caller, Keys, Scope
from decoct.server.metrics import Metrics
from decoct.server.problems import ProblemError, respond
from decoct.server.sessions import RequestRates, Sessions
from decoct.server.settings import ServerLimits, ServerSettings

PATH = "/mcp"


class KeyCheck:
    """Lets in whose key has at least `scope` on all the `libraries`: an agent sees all of them."""

    def __init__(self, app: ASGIApp, libraries: Collection[str], scope: Scope) -> None:
        self._app, self._libraries, self._scope = app, libraries, scope

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        request = Request(scope) if scope["type"] == "http" else None
        refusal = self._refusal(request.state.caller) if request else None
        answer: ASGIApp = await respond(request, refusal) if request and refusal else self._app
        await answer(scope, receive, send)

    def _refusal(self, caller: Caller | None) -> ProblemError | None:
        if (
            caller is None
        ):  # where the gate asks for no key: what a whole server shows to anybody, of which nothing is here
            return ProblemError(404, f"there is nothing here but {PATH}")
        if all(caller.may(name, self._scope) for name in self._libraries):
            return None
        return ProblemError(403, f"this key may not {self._scope} every library that is offered here", code="scope")


def guarded(
    server: MCPServer,
    libraries: Collection[str],
    state: Path,
    *,
    keys: bool,
    writes: bool,
    limits: ServerLimits | None = None,
) -> ASGIApp:
    """The tools as an ASGI application at `PATH`; with `keys` those of `decoct keys` in the folder `state` are asked for."""
    app = server.streamable_http_app(streamable_http_path=PATH, stateless_http=True, json_response=True)
    known, settings = Keys(state), ServerSettings(state, keys=keys, recipes={}, limits=limits or ServerLimits())
    rates = RequestRates(settings.limits.per_second)
    # Nobody logs in here, and nothing is measured.
    inner = KeyCheck(app, libraries, "write" if writes else "read")
    return Gate(inner, settings, known, Sessions(known), rates, Metrics(lambda: 0, lambda: 0))
