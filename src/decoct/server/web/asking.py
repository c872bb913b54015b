"""The page for a question: by GET whole, for links and without script; by POST as a stream that fills the page as it comes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from markupsafe import escape
from pydantic import TypeAdapter, ValidationError

from decoct.data import Answer
from decoct.errors import DecoctError
from decoct.index.base import Where
from decoct.library import Library
from decoct.recipe import Recipe
from decoct.server.demo import QUESTIONS
from decoct.server.parameters import CompareIn, QuestionIn
from decoct.server.problems import ProblemError, invalid_field, problem_of
from decoct.server.state import ServerState, caller_of, in_library, server_of
from decoct.server.web.render import (
    Field,
    Sent,
    check_token,
    html,
    library_of_page,
    page,
    partial,
    recipe_groups,
    where_of_text,
)
from decoct.server.web.view import answer_view, mark_shared
from decoct.server.work import Cancel, ClientGoneError

router = APIRouter(include_in_schema=False)
_TURNS = TypeAdapter(list[tuple[str, str]])
DEPTH = 40  # hits that are looked at for what was left out


@router.get("/")
async def ask_page(
    request: Request,
    library: Field = "",
    question: Field = "",
    recipe: Field = "default",
    budget: Field = "2000",
    only: Field = "",
    recipes: Field = "",
) -> HTMLResponse:
    """The page; with a question also its answer. `recipes=all` offers also those of papers, for researchers."""
    server = server_of(request)
    name = library_of_page(request, library)
    values: dict[str, Any] = {
        "library": name, "question": question, "recipe": recipe, "budget": budget, "only": only,
        "groups": _offered(recipe_groups(server), recipe, recipes),
        "result": "", "documents": 0, "examples": QUESTIONS if name == "demo" and server.settings.demo else (),
        "may_write": bool(name) and caller_of(request).may(name, "write"),
    }  # fmt: skip
    if name:

        def work(opened: Library, _: Cancel) -> tuple[int, dict[str, Any] | None]:
            view = None
            if question:
                view = _answered(server, opened, name, _asked(request, question, recipe, budget, only), None)
            return opened.status().documents, view

        values["documents"], view = await in_library(request, name, work, reads=True)
        if view is not None:
            values["result"] = _result(request, view, name)
    return page(request, "ask.html", **values)


@router.post("/ask")
async def ask(
    request: Request,
    csrf: Sent = "",
    library: Sent = "",
    question: Sent = "",
    recipe: Sent = "default",
    budget: Sent = "2000",
    only: Sent = "",
    history: Annotated[str, Form(max_length=100_000)] = "",
) -> Response:
    """The answer as it is written, then everything about it; `history` is JSON of the pairs of question and answer before it."""
    check_token(request, csrf)
    server, name = server_of(request), library_of_page(request, library)
    asked = _asked(request, question, recipe, budget, only)
    before = _before(history)

    def work(_: Cancel, put: Callable[[Any], None]) -> None:
        with server.libraries.use(name) as opened:
            put(_answered(server, opened, name, asked, put, before))

    pieces = server.readers.stream(request, work)
    return StreamingResponse(_stream(request, name, pieces), media_type="text/event-stream")


async def _stream(request: Request, name: str, pieces: AsyncIterator[Any]) -> AsyncIterator[str]:
    yield partial("#result", "innerHTML", html(request, "writing.html"))
    yield partial("#status", "innerHTML", "Looking for evidence…")
    writing = False
    try:
        async with aclosing(pieces) as rest:  # type: ignore[type-var]
            async for piece in rest:
                if isinstance(piece, str):
                    if not writing:
                        writing = True
                        yield partial("#status", "innerHTML", "Writing…")
                    yield partial("#writing", "beforeend", str(escape(piece)))
                else:
                    yield partial("#result", "innerHTML", _result(request, piece, name))
                    yield partial("#status", "innerHTML", _ending_in_words(piece))
    except ClientGoneError:
        return
    except Exception as error:  # noqa: BLE001 - the status is sent: the page itself must tell
        told = html(request, "problem.html", problem=problem_of(error))
        yield partial("#result", "innerHTML", told)
        yield partial("#status", "innerHTML", "That did not work.")


def _ending_in_words(view: dict[str, Any]) -> str:
    """How it ended, for those who hear the page too."""
    context = view["context"]
    how = {"answer": "Answered", "passages": "Not sure, the best passages", "not-found": "Not found"}[view["outcome"]]
    return f"{how} from {context['tokens']:,} of {context['limit']:,} tokens." if context["tokens"] else f"{how}."


_Asked: TypeAlias = tuple[QuestionIn, Recipe, Where | None]


def _asked(request: Request, question: str, recipe: str, budget: str, only: str) -> _Asked:
    try:
        asked = QuestionIn(question=question, budget=budget or None, recipe=recipe)
    except ValidationError as error:
        raise invalid_field(error.errors()[0]) from error
    return asked, server_of(request).recipe(recipe), where_of_text(only)


def _answered(
    server: ServerState,
    library: Library,
    name: str,
    question: _Asked,
    sink: Callable[[str], None] | None,
    before: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    asked, recipe, where = question
    answer: Answer = library.ask(asked.question, asked.budget, recipe, where=where, sink=sink, history=before)
    server.metrics.context(recipe.name, answer.context)
    meant = answer.context.question
    looks = bool(answer.context.passages) and not _asks_again(answer)
    hits = library.search(meant, DEPTH, recipe, where=where) if looks else []
    return {"question": asked.question, **answer_view(library, name, answer, hits, server.settings.prices)}


def _before(history: str) -> list[tuple[str, str]]:
    """The questions and answers before this one, as the page keeps them."""
    try:
        return _TURNS.validate_json(history or "[]")
    except ValidationError as error:
        raise ProblemError(422, "history is a list of pairs of question and answer", param="history") from error


def _offered(
    groups: list[tuple[str, list[dict[str, str]]]], chosen: str, which: str
) -> list[tuple[str, list[dict[str, str]]]]:
    """The recipes to know first; all of them for researchers, and where another one is chosen."""
    known = {one["name"] for one in groups[0][1]} if groups else set()
    return groups if which == "all" or chosen not in known else groups[:1]


def _asks_again(answer: Answer) -> bool:
    """Whether retrieving once more would ask the model once more."""
    return any(stage.counts.get("model_calls") and stage.name == "retrieve" for stage in answer.trace.stages)


def _result(request: Request, view: dict[str, Any], name: str) -> str:
    raw = json.dumps(view["raw"], indent=2, ensure_ascii=False)
    return html(request, "result.html", answer=view, context=view["context"], library=name, raw=raw)


COMPARED = ("default", "naive")


@router.get("/compare")
async def compare(
    request: Request,
    library: Field = "",
    question: Field = "",
    budget: Field = "500",
    only: Field = "",
    recipe: Annotated[list[str], Query(max_length=20)] = [],  # noqa: B006 - FastAPI copies it
) -> HTMLResponse:
    """The form; with a question the answers in columns."""
    server, name = server_of(request), library_of_page(request, library)
    names = list(dict.fromkeys(recipe))
    values: dict[str, Any] = {
        "library": name, "question": question, "budget": budget, "only": only, "groups": recipe_groups(server), "columns": {},
        "picked": names or [one for one in COMPARED if one in server.settings.recipes], "problem": None,
    }  # fmt: skip
    if question and name:
        where = where_of_text(only)
        try:
            asked = CompareIn(question=question, budget=budget or None, recipes=names)
        except ValidationError as error:
            at_fault = {one["loc"][0] for one in error.errors()}
            words = (
                "choose two to four recipes"
                if "recipes" in at_fault
                else "give a question and a budget such as 500 or 5x"
            )
            values["problem"] = ProblemError(422, words)
            return page(request, "compare.html", 422, **values)
        recipes = {one: server.recipe(one) for one in asked.recipes}

        def work(opened: Library, cancel: Cancel) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for one, loaded in recipes.items():
                cancel.check()
                try:
                    answer = opened.ask(asked.question, asked.budget, loaded, where=where, sink=cancel.check)
                    server.metrics.context(one, answer.context)
                    found[one] = answer_view(opened, name, answer, (), server.settings.prices)
                except DecoctError as error:
                    found[one] = {"problem": problem_of(error)}
            return found

        values["columns"] = await in_library(request, name, work, reads=True)
        mark_shared({one: view["context"] for one, view in values["columns"].items() if "context" in view})
    return page(request, "compare.html", **values)
