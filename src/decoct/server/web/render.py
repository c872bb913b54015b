"""Pages from templates: what every page knows, and the shape of an error that a person sees."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Coroutine
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote, urlencode

from fastapi import Depends, Form, Query
from jinja2 import Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse

from decoct.evaluate.amounts import amount_text
from decoct.index.base import Where
from decoct.index.filters import where_of_written, written_condition
from decoct.recipe import FIRST, by_paper
from decoct.server.gate import SESSION
from decoct.server.keys import Scope
from decoct.server.problems import ProblemError
from decoct.server.state import ServerState, caller_of, server_of

Field: TypeAlias = Annotated[str, Query(max_length=8_000)]
Sent: TypeAlias = Annotated[str, Form(max_length=8_000)]
"""A value of a page's address, and one of a form."""


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ANN401
    """A whole page, or with htmx's requests the part that the template is."""
    return HTMLResponse(html(request, template, **values), status)


def html(request: Request, template: str, **values: Any) -> str:  # noqa: ANN401
    """A template filled in. What documents and models say is escaped."""
    server = server_of(request)
    known = {
        "request_id": request.state.request_id,
        "libraries": server.visible(caller_of(request)) if caller_of(request) else [],
        "library": "",
        "here": request.url.path,
        "csrf": token(request),
        "keys": server.settings.keys,
        "may_write": False,
        "version": version("decoct"),
    }
    return _environment().get_template(template).render({**known, **values})


def partial(target: str, swap: str, inner: str) -> str:
    """A message of an event stream that puts `inner` (HTML) to the element `target`."""
    body = f'<hx-partial hx-target="{target}" hx-swap="{swap}">{inner}</hx-partial>'
    return "".join(f"data: {line}\n" for line in body.splitlines()) + "\n"


def library_of_page(request: Request, library: str) -> str:
    """The library of a page: the one named, else the first that the caller may know of, "" where there is none."""
    server, caller = server_of(request), caller_of(request)
    if library:
        server.check(caller, library, "read")
        return library
    visible = server.visible(caller)
    return "demo" if "demo" in visible else next(iter(visible), "")


def token(request: Request) -> str:
    """What the page's forms send along, to show that they are its own."""
    return server_of(request).sessions.token(request.cookies.get(SESSION, ""))


def check_token(request: Request, sent: str) -> None:
    """403 for a form that is not of this page."""
    if not hmac.compare_digest(sent.encode("utf-8", "replace"), token(request).encode()):
        raise ProblemError(403, "this form has grown old: load the page anew", code="csrf")


def sent_by(scope: Scope) -> Callable[..., Coroutine[Any, Any, str]]:
    """A dependency: the library of a form of this page, on which the caller has at least `scope`."""

    async def checked(request: Request, csrf: Sent = "", library: Sent = "") -> str:
        check_token(request, csrf)
        name = library_of_page(request, library)
        server_of(request).check(caller_of(request), name, scope)
        return name

    return checked


def address(path: str, **query: Any) -> str:  # noqa: ANN401
    """A path with its query; ids may hold anything."""
    given = {name: value for name, value in query.items() if value not in {None, ""}}
    return f"{path}?{urlencode(given, quote_via=quote)}" if given else path


def source_address(library: str, doc_id: str, start: int, end: int) -> str:
    """Where the page shows these characters of a document."""
    return address("/source", library=library, doc_id=doc_id, start=str(start), end=str(end))


def error_page(request: Request, problem: ProblemError) -> HTMLResponse:
    """An error as a page, or within one."""
    template = "problem.html" if request.headers.get("hx-request") == "true" else "error.html"
    return page(request, template, problem.status_code, problem=problem)


def recipe_groups(server: ServerState) -> list[tuple[str, list[dict[str, str]]]]:
    """The recipes to choose from, first those to know first with when to take them, then the others by paper.

    Those that need a language model only where there is one.
    """
    offered = {
        name: {"name": name, "description": one.description}
        for name, one in sorted(server.settings.recipes.items())
        if server.llm is not None or not one.needs_llm
    }
    first = [{**offered[known.name], "when": known.when} for known in FIRST if known.name in offered]
    rest = [
        (re.sub(r" \(paper [0-9]+\)", "", paper), [offered[name] for name in names])
        for paper, names in by_paper(offered)
    ]
    return [("To know first", first), *rest] if first else rest


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("decoct.server.web", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"address": address, "source_address": source_address}
    made.filters["amount"] = amount_text
    made.filters["number"] = lambda value: f"{value:,}"
    made.filters["ms"] = lambda seconds: f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"
    return made


Changed: TypeAlias = Annotated[str, Depends(sent_by("write"))]
Administered: TypeAlias = Annotated[str, Depends(sent_by("admin"))]
"""The library that a form of the page changes, or what only its admin may."""


def where_of_text(text: str) -> Where | None:
    """The filter, None for an empty text; 422 names the part that cannot be read. Commas part the values of a key."""
    found = []
    for part in filter(str.strip, text.split(";")):
        key, operator, value = written_condition(part) or ("", "", "")
        several = [one.strip() for one in value.split(",") if one.strip()]
        if not several:
            told = f"the filter {part.strip()[:100]!r} cannot be read: write it as year >= 2020; kind = paper, report"
            raise ProblemError(422, told, param="only")
        found.append((key, operator, several if operator == "=" else value))
    return where_of_written(found) or None
