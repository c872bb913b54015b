"""Logging in with a key, logging out, and the page's sign."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from decoct.server.gate import SESSION
from decoct.server.sessions import LASTS
from decoct.server.state import server_of
from decoct.server.web.render import Sent, check_token, page

router = APIRouter(include_in_schema=False)


@router.get("/login")
async def login_page(request: Request) -> Response:
    """The form for a key."""
    if not server_of(request).settings.keys:
        return RedirectResponse("/", 303)
    return page(request, "login.html", wrong=False)


@router.post("/login")
async def login(request: Request, key: Sent = "") -> Response:
    """A session for a key that is one of ours."""
    server = server_of(request)
    caller = server.keys.caller(key.strip())
    if caller is None:
        return page(request, "login.html", 401, wrong=True)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        SESSION, server.sessions.begin(caller), max_age=LASTS, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


@router.post("/logout")
async def logout(request: Request, csrf: Sent = "") -> Response:
    """The session's end."""
    check_token(request, csrf)
    server_of(request).sessions.end(request.cookies.get(SESSION, ""))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(SESSION)
    return answer


@router.get("/favicon.ico")
async def favicon() -> Response:
    """The page's sign."""
    return RedirectResponse("/static/favicon.svg", 301)
