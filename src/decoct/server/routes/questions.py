"""Questions to a library: search, context, ask, compare."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from decoct.answer.as_json import answer_as_json
from decoct.context.as_json import context_as_json, hit_as_json
from decoct.data import Context
from decoct.errors import DecoctError
from decoct.library import Library
from decoct.server.parameters import AskIn, CompareIn, QuestionIn, SearchIn
from decoct.server.problems import body_of, problem_of
from decoct.server.replies import AnswerOut, ContextOut, ContextsOut, HitsOut
from decoct.server.state import Reads, in_library, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/api/v1/libraries/{lib}", tags=["questions"])


@router.post("/context", response_model=ContextOut, summary="The best context for a question, under a budget")
async def context(request: Request, lib: str, asked: QuestionIn, _: Reads) -> JSONResponse:
    """What a reader should see of the library to answer: passages with their spans, in at most `budget` tokens."""
    server = server_of(request)
    recipe = server.recipe(asked.recipe)

    def work(library: Library, _: Cancel) -> dict[str, Any]:
        made = library.context(asked.question, asked.budget, recipe, where=asked.where)
        server.metrics.context(recipe.name, made)
        return with_tokens(context_as_json(made), made)

    return JSONResponse(await in_library(request, lib, work, reads=True))


@router.post("/ask", response_model=AnswerOut, summary="A cited answer")
async def ask(request: Request, lib: str, asked: AskIn, _: Reads) -> JSONResponse:
    """A context and the answer read from it; every citation ends in characters of a document."""
    server = server_of(request)
    recipe = server.recipe(asked.recipe)

    def work(library: Library, cancel: Cancel) -> dict[str, Any]:
        # The sink ends a model's stream as soon as nobody waits for it.
        made = library.ask(
            asked.question,
            asked.budget,
            recipe,
            where=asked.where,
            sink=cancel.check,
            caution=asked.caution,
            history=asked.history,
        )
        server.metrics.context(recipe.name, made.context)
        return {**with_tokens(answer_as_json(made), made.context), "asked": made.trace.facts.get("asked")}

    return JSONResponse(await in_library(request, lib, work, reads=True))


@router.post("/search", response_model=HitsOut, summary="The best chunks")
async def search(request: Request, lib: str, asked: SearchIn, _: Reads) -> JSONResponse:
    """The `k` best chunks, best first, with who found them."""
    recipe = server_of(request).recipe(asked.recipe)

    def work(library: Library, _: Cancel) -> list[dict[str, Any]]:
        found = library.search(asked.question, asked.k, recipe, where=asked.where)
        return [{"rank": rank, **hit_as_json(hit)} for rank, hit in enumerate(found, 1)]

    return JSONResponse({"hits": await in_library(request, lib, work, reads=True)})


@router.post("/compare", response_model=ContextsOut, summary="One question under several recipes")
async def compare(request: Request, lib: str, asked: CompareIn, _: Reads) -> JSONResponse:
    """A context a recipe, all at one budget. A recipe that fails has its error in its place, and the others are told."""
    server = server_of(request)
    recipes = {name: server.recipe(name) for name in asked.recipes}

    def work(library: Library, cancel: Cancel) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, recipe in recipes.items():
            cancel.check()
            try:
                one = library.context(asked.question, asked.budget, recipe, where=asked.where)
            except DecoctError as error:
                if len(recipes) == 1:
                    raise
                made[name] = body_of(problem_of(error), request.state.request_id)
            else:
                server.metrics.context(name, one)
                made[name] = with_tokens(context_as_json(one), one)
        return made

    return JSONResponse({"contexts": await in_library(request, lib, work, reads=True)})


def with_tokens(shown: dict[str, Any], context: Context) -> dict[str, Any]:
    """A context's JSON with the tokens of each passage's own text; what is left to `tokens` are numbers, titles and line breaks."""
    counts = context.budget.tokenizer.counts([passage.text for passage in context.passages])
    for passage, tokens in zip(shown["passages"], counts, strict=True):
        passage["tokens"] = tokens
    return shown
