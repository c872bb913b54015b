"""The page that shows one question under several recipes, side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import ValidationError

from decoct.errors import DecoctError
from decoct.library import Library
from decoct.server.parameters import CompareIn
from decoct.server.problems import ProblemError, problem_of
from decoct.server.state import in_library, server_of
from decoct.server.web.filtering import where_of_text
from decoct.server.web.render import Field, library_of_page, page, recipe_groups
from decoct.server.web.view import answer_view, mark_shared
from decoct.server.work import Cancel

router = APIRouter(include_in_schema=False)
DEFAULT = ("default", "naive")


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
        "picked": names or [one for one in DEFAULT if one in server.settings.recipes], "problem": None,
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
