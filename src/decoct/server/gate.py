"""The one way in: every request passes here before any route sees it, and every response on its way out.

In: a request id; the Host and Origin that it must have; who asks, by key or by the web page's session; the rate of a key; the size of a
body and the time it may take. Out: the request id, the headers of a careful page, the measurements. Plain ASGI, so that streams stay
streams.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import re
import secrets
import time
from collections.abc import MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from decoct.errors import ConfigError
from decoct.server.keys import EVERYTHING, Caller, Keys
from decoct.server.metrics import Metrics
from decoct.server.problems import ProblemError, respond, too_large
from decoct.server.sessions import RequestRates, Sessions
from decoct.server.settings import ServerSettings

Message: TypeAlias = MutableMapping[str, Any]
log = logging.getLogger("decoct.server")
SESSION = "decoct_session"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_NAMES = re.compile(r"[A-Za-z0-9-]+(?:, ?[A-Za-z0-9-]+)*")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?)(?::\d{1,5})?")
_PUBLIC = ("/health", "/ready", "/static/", "/login", "/openapi.json", "/docs")
_FREE = ("/health", "/ready", "/static/")  # of the rate: what watches a server, and what a page is made of
_EMBEDS = ("/v1/embeddings", "/api/embed")
_PROGRAMS = ("/api/", "/v1/", "/v2/", "/metrics", "/mcp")
_SAFE = ("GET", "HEAD", "OPTIONS")
_DRAIN = 5.0  # seconds
_DIGITS = 18  # of a length that may be meant
_FORM = 1 << 20  # bytes that a form of files adds to its files


@dataclass(frozen=True, slots=True)
class Gate:
    """See the module's text. It holds nothing but the application behind it and what it looks at, of a whole server or of tools over HTTP.

    Hosts, limits and whether a key is needed; the keys; who is logged in on the page; how much each caller may ask; what is measured.
    """

    app: ASGIApp
    settings: ServerSettings
    keys: Keys
    sessions: Sessions
    rates: RequestRates
    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        given = request.headers.get("x-request-id", "")
        request.state.request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        began, told = time.perf_counter(), {"status": 500}

        async def out(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                _headers(MutableHeaders(scope=message), request, self._shared_with(request))
            await send(message)

        try:
            with self.metrics.running():
                await self._in(request, scope, receive, out)
        finally:
            route = str(getattr(scope.get("route"), "path", scope.get("root_path") or "none"))
            self.metrics.request(scope["method"], route, told["status"], time.perf_counter() - began)

    async def _in(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._addressed(request)
            if request.method == "OPTIONS" and self._shared_with(request):
                await Response(status_code=204, headers=_preflight(request))(scope, receive, send)
                return
            request.state.caller = self._caller(request)
            self._rate(request)
            page = request.method == "GET" and not _starts(request.url.path, (*_PUBLIC, *_PROGRAMS))
            if request.state.caller is None and page:
                await RedirectResponse("/login", 303)(scope, receive, send)
                return
            self._let_in(request)
            body = self._body(request, receive)
        except ProblemError as error:
            response = await respond(request, error)
            if error.status_code == 401:
                response.headers["WWW-Authenticate"] = "Bearer"
            await _drained(receive)
            await response(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if message["status"] >= 400 and not body.whole:  # a route, or the framework, refused it half read
                    await _drained(receive)
            await send(message)

        try:
            await self.app(scope, body, watched)
        except Exception as error:
            if started:  # the connection is cut: what was sent can no longer be taken back
                raise
            response = await respond(request, error)
            await response(scope, receive, watched)

    def _let_in(self, request: Request) -> None:
        if request.state.caller is None and not _starts(request.url.path, _PUBLIC):
            if request.headers.get("authorization"):
                raise ProblemError(
                    401, "this key is unknown here or was revoked: the header is `Authorization: Bearer dk_…`"
                )
            raise ProblemError(401, "this server needs a key: send the header `Authorization: Bearer dk_…`")

    def _addressed(self, request: Request) -> None:
        hosts = self.settings.hosts
        host = _host(request.headers.get("host", ""))
        if "*" not in hosts and host not in hosts and not ("<ip>" in hosts and _is_address(host)):
            raise ProblemError(421, "this server is not addressed by that host name; start it with --allowed-host NAME")
        if self._shared_with(request):
            return
        origin = request.headers.get("origin")
        if origin is not None and _place(origin) != request.headers.get("host", "").lower():
            raise _elsewhere()
        # Pictures and frames of another page carry no Origin, and a question in an address costs what a model costs.
        site, get = request.headers.get("sec-fetch-site", "none"), request.headers.get
        opened = (get("sec-fetch-mode"), get("sec-fetch-dest")) == ("navigate", "document")
        if site not in {"none", "same-origin"} and not opened:
            raise _elsewhere()

    def _shared_with(self, request: Request) -> str:
        """The allowed page of elsewhere that asks, by its origin; "" where none does, or not for what programs ask."""
        origin = request.headers.get("origin", "")
        allowed = origin.lower() in self.settings.origins and _starts(request.url.path, ("/api/", "/v1/", "/v2/"))
        return origin if allowed else ""

    def _caller(self, request: Request) -> Caller | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not self.settings.keys:
            return EVERYTHING
        if scheme:
            return self._known(token.strip()) if scheme.lower() == "bearer" else None
        # A page of elsewhere shows a key of its own, and never has the session of ours.
        cookie = "" if self._shared_with(request) else request.cookies.get(SESSION, "")
        caller = self.sessions.caller(cookie) if cookie else None
        if caller is not None and _starts(request.url.path, _PROGRAMS) and request.method not in _SAFE:
            sent = request.headers.get("x-csrf-token", "")
            if not hmac.compare_digest(sent.encode(), self.sessions.token(cookie).encode()):
                raise ProblemError(403, "the page's token is missing: load the page anew", code="csrf")
        return caller

    def _known(self, token: str) -> Caller | None:
        try:
            return self.keys.caller(token)
        except ConfigError as error:
            log.exception("the keys cannot be read")
            raise ProblemError(500, "the server's keys cannot be read; its log tells why", code="internal") from error

    def _rate(self, request: Request) -> None:
        if _starts(request.url.path, _FREE):
            return
        # Who shows no key is counted by address: keys are guessed no faster than used.
        caller: Caller | None = request.state.caller
        who = (caller.key_id if caller else "") or (request.client.host if request.client else "")
        rates = self.rates
        if not rates.let_in(who):
            told = f"more than {rates.per_second:g} requests a second; slow down"
            raise ProblemError(429, told, code="rate", retry_after=1)

    def _body(self, request: Request, receive: Receive) -> _Body:
        limits = self.settings.limits
        upload = request.method == "POST" and request.url.path.endswith("/documents")
        json = limits.embedding_bytes if request.url.path in _EMBEDS else limits.json_bytes
        most = limits.upload_bytes if upload else json
        form = _FORM if upload and request.headers.get("content-type", "").lower().startswith("multipart/") else 0
        said = request.headers.get("content-length", "")
        if said.isascii() and said.isdigit() and (len(said) > _DIGITS or int(said) > most + form):
            raise too_large(most)
        # A body of JSON has its time as a whole; an upload may take as long as it keeps bringing something.
        return _Body(receive, most, form, limits.body_idle, None if upload else time.monotonic() + limits.body_idle)


class _Body:
    """A request's body, within its size and its time; `whole` when nothing more of it is to be read."""

    def __init__(self, receive: Receive, most: int, form: int, idle: float, end: float | None) -> None:
        self._receive, self._most, self._form, self._idle, self._end = receive, most, form, idle, end
        self._seen, self.whole = 0, False

    async def __call__(self) -> Message:
        """The next part."""
        if self.whole:
            return await self._receive()
        wait = self._idle if self._end is None else max(0.01, self._end - time.monotonic())
        try:
            message = await asyncio.wait_for(self._receive(), wait)
        except TimeoutError as error:
            self.whole = True  # nothing more is waited for
            raise ProblemError(408, "the request's body took too long") from error
        self._seen += len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self._seen > self._most + self._form:
            raise too_large(self._most)
        return message


async def _drained(receive: Receive) -> None:
    """Read what is left of a body that is refused, for a while: who is still sending when the connection closes never sees why."""
    end = time.monotonic() + _DRAIN
    with suppress(TimeoutError):
        while (await asyncio.wait_for(receive(), max(0.01, end - time.monotonic()))).get("more_body", False):
            pass


def _preflight(request: Request) -> dict[str, str]:
    """What an allowed page may send: what programs do, with the headers that it asks for."""
    asked = request.headers.get("access-control-request-headers", "")
    return {
        "Access-Control-Allow-Methods": "GET, POST, DELETE",
        "Access-Control-Allow-Headers": asked if _NAMES.fullmatch(asked) else "Authorization, Content-Type",
        "Access-Control-Max-Age": "600",
    }


def _headers(headers: MutableHeaders, request: Request, shared_with: str) -> None:
    headers["X-Request-Id"] = request.state.request_id
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"  # with none at all, forms would send `Origin: null`
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "cross-origin" if shared_with else "same-origin"
    if shared_with:
        headers["Access-Control-Allow-Origin"] = shared_with
        headers["Access-Control-Expose-Headers"] = "X-Request-Id, Retry-After, X-Should-Retry"
        headers.add_vary_header("Origin")
    headers.setdefault("Content-Security-Policy", CSP)
    headers.setdefault("Cache-Control", "max-age=300" if "etag" in headers else "no-store")  # a file of the page
    if headers.get("content-type", "").startswith(("text/event-stream", "application/x-ndjson")):
        headers["X-Accel-Buffering"] = "no"  # else nginx keeps a stream until it is whole


def _starts(path: str, prefixes: tuple[str, ...]) -> bool:
    return any(path.startswith(one) if one.endswith("/") else path == one for one in prefixes)


def _elsewhere() -> ProblemError:
    return ProblemError(403, "requests of other web pages are not answered", code="origin")


def _place(origin: str) -> str | None:
    """The host and port of an Origin header; None for one that is no address."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _host(header: str) -> str:
    """A Host header without its port, in lower case; "" for what is no host and port."""
    found = _HOST.fullmatch(header.strip().lower())
    return found[1] if found else ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
