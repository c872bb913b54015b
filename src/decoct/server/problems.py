"""Every error a client may see: one table from an error's code to its status and words, and one shape.

    {"error": {"message", "type", "code", "param", "request_id"}}

An error of the engine keeps its own words where they speak of the request. Where they may name a folder, an address or a model of this
machine, the table has other words, and the engine's go to the log.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import compile_path

from decoct.errors import DecoctError, is_disk_full

log = logging.getLogger("decoct.server")


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """How an error is told: its status, its type, and words in place of its own where `words` is not empty.

    `lasting` says of a status that clients try again after that here it mends nothing.
    """

    status: int
    type: str
    words: str = ""
    retry_after: int = 0
    lasting: bool = False


_CALLER, _STATE, _SERVER, _MODEL = "invalid_request_error", "conflict_error", "server_error", "model_error"
# code of the engine's error -> how it is told
TABLE: dict[str, ErrorShape] = {
    "query": ErrorShape(422, _CALLER),
    "budget": ErrorShape(422, _CALLER),
    "config": ErrorShape(422, _CALLER),
    "prompt-too-long": ErrorShape(422, _CALLER, "the context and question are longer than the "
                                  "language model's window: ask for a smaller budget"),
    "missing-extra": ErrorShape(501, _SERVER),
    "missing-distribution": ErrorShape(501, _SERVER),
    "corpus": ErrorShape(409, _STATE),
    "document": ErrorShape(404, "not_found_error"),
    "parse": ErrorShape(409, _STATE),
    "missing-ability": ErrorShape(422, _CALLER, "this recipe needs what the library's store, embedder or model cannot do; name another"),
    "stale-index": ErrorShape(409, _STATE, "the library, or its cards, are missing or were built with other settings: run "
                        "`decoct ingest --rebuild`, or `decoct cards build`"),
    "missing-structure": ErrorShape(409, _STATE, "the library lacks the structure that the recipe reads; build it: "
                                    "`decoct structure build`"),
    "store-busy": ErrorShape(503, _SERVER, "the library is being written by another process; try again in a moment", 2),
    "store-unavailable": ErrorShape(503, _SERVER, "the library's store cannot be reached now; try again", 5),
    "disk-full": ErrorShape(507, _SERVER, "the server's disk is full; try again when there is room", 60),
    "rate-limit": ErrorShape(503, _MODEL, "the language model asks to slow down; try again", 10),
    "model-unavailable": ErrorShape(503, _MODEL, "the language model cannot be reached now; try again", 5),
    "model-timeout": ErrorShape(504, _MODEL, "the language model did not answer in time; try again, or ask for a smaller budget"),
    "reply": ErrorShape(502, _MODEL, "the language model's reply could not be used; try again"),
    # such as a key that the model's service refuses, or an account without quota
    "model": ErrorShape(502, _MODEL, "the language model failed", lasting=True),
}  # fmt: skip
_HIDDEN = ErrorShape(500, _SERVER, "the server failed; its log tells why under this request id")
OLLAMA = tuple(f"/api/{one}" for one in "tags show chat generate embed embeddings ps version".split())
STATUSES = (400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504, 507)  # that the description names
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 409: _STATE,
          429: "rate_limit_error"}  # fmt: skip
_AGAIN = (408, 429, 502, 503, 504, 507)
_BY_STATUS = {400: "bad-request", 401: "no-key", 403: "forbidden", 404: "not-found", 405: "method", 408: "slow-body", 409: "conflict",
              413: "size", 415: "media-type", 421: "host", 422: "validation", 429: "rate"}  # fmt: skip


class ProblemError(HTTPException):
    """An error that the server itself finds: `code` is stable, `param` names the field at fault where there is one."""

    def __init__(
        self, status: int, message: str, *, code: str = "", param: str | None = None, retry_after: int = 0
    ) -> None:
        super().__init__(status, message, {"Retry-After": str(retry_after)} if retry_after else None)
        self.type = _TYPES.get(status, _CALLER if status < 500 else _SERVER)
        self.code = code or _BY_STATUS.get(status, "http")
        self.param = param
        self.again = status in _AGAIN


def no_library(name: str) -> ProblemError:
    """404 for a library that is not there, or that the caller may not know of."""
    return ProblemError(404, f"there is no library {name[:64]!r}", code="library")


def unsupported(message: str, param: str) -> ProblemError:
    """400 for what clients of other servers ask for and nobody can be given here."""
    return ProblemError(400, message, code="unsupported", param=param)


def too_large(most: int) -> ProblemError:
    """413 for a body, or the files of a form, of more than `most` bytes."""
    return ProblemError(413, f"the request is larger than the limit of {most:,} bytes; send less at once")


def problem_of(error: BaseException) -> ProblemError:
    """Any error as one that may be shown; what must not be is logged and told in general words."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, ClientDisconnect):
        return ProblemError(499, "the client went away", code="client-gone")
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        problem = ProblemError(error.status_code, str(error.detail))
        problem.headers = error.headers  # such as Allow, which belongs to 405
        return problem
    told = TABLE.get(error.code, _HIDDEN) if isinstance(error, DecoctError) else _HIDDEN
    code = error.code if isinstance(error, DecoctError) and told is not _HIDDEN else "internal"
    if is_disk_full(error):
        told, code = TABLE["disk-full"], "disk-full"
    message = told.words or " ".join(str(error).split())
    if told.status >= 500:
        log.error("request failed: %s", error, exc_info=error)
    problem = ProblemError(told.status, message, code=code, retry_after=told.retry_after)
    problem.type = told.type
    problem.again = problem.again and not told.lasting
    return problem


def body_of(problem: ProblemError, request_id: str) -> dict[str, Any]:
    """The one shape of an error."""
    return {
        "error": {
            "message": problem.detail,
            "type": problem.type,
            "code": problem.code,
            "param": problem.param,
            "request_id": request_id,
        }
    }


async def respond(request: Request, error: Exception) -> Response:
    """The response for an error, whatever raised it: a page where a person looks, else the one shape."""
    problem = _unread_body(request, error) or problem_of(error)
    if problem.status_code == 405 and (methods := _methods(request)):
        problem.headers = {"Allow": methods}  # the framework names only those of the first route of that path
    state = request.scope.get("state", {})
    looked_at = "text/html" in request.headers.get("accept", "") or "hx-request" in request.headers
    if looked_at and "caller" in state and not request.url.path.startswith(("/api/", "/v1/", "/metrics")):
        shown: Response = request.app.state.error_page(request, problem)
        return shown
    request_id = str(request.scope.get("state", {}).get("request_id", ""))
    status = problem.status_code
    # OpenAI's clients ask again after 409 and every 5xx, also where that can mend nothing.
    if status in {409, 501} and request.url.path.startswith("/v1/"):
        status, problem.type = 422, _CALLER
    headers = {**(problem.headers or {}), "X-Should-Retry": "true" if problem.again else "false"}
    if request.url.path in OLLAMA:  # its clients show `error` as it is
        return JSONResponse({"error": problem.detail}, status, headers)
    return JSONResponse(body_of(problem, request_id), status, headers)


def _methods(request: Request) -> str:
    """The methods of all routes of the request's path, as the description lists them; "" for a path that is not in it."""
    for path, item in request.app.openapi()["paths"].items():
        if compile_path(path)[0].fullmatch(request.url.path):
            return ", ".join(sorted(method.upper() for method in item))
    return ""


def _unread_body(request: Request, error: Exception) -> ProblemError | None:
    """That the body was not read as JSON since it is not said to be, where that is what is wrong with it."""
    if not isinstance(error, RequestValidationError) or not any(one["loc"] == ("body",) for one in error.errors()):
        return None
    said = request.headers.get("content-type", "")
    kind = said.split(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return None
    return ProblemError(
        415, f"send the body as JSON with `Content-Type: application/json`, not {said or 'without one'}"
    )


def _invalid(error: RequestValidationError) -> ProblemError:
    found = error.errors()
    first: Mapping[str, Any] = found[0] if found else {"loc": (), "msg": "the request is not valid"}
    if first.get("type") == "json_invalid":
        why = first.get("ctx", {}).get("error", "")
        at = (
            f", from character {first['loc'][-1]} on" if first["loc"] else ""
        )  # an upload's error tells line and column
        return ProblemError(422, f"the body is not valid JSON{at}: {why}")
    return invalid_field(first, len(found) - 1)


def invalid_field(error: Mapping[str, Any], further: int = 0) -> ProblemError:
    """What pydantic says of one field, with how many `further` fields are wrong."""
    at = error["loc"]
    place = [str(part) for part in (at[1:] if at[:1] in {("body",), ("query",), ("path",), ("header",)} else at)]
    param = ".".join(place) or None
    words = str(error["msg"]).removeprefix("Value error, ") + (f" (and {further} more)" if further else "")
    return ProblemError(422, f"{param}: {words}" if param else words, param=param)
