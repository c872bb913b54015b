"""The page for a question: by GET whole, for links and without script; by POST as a stream that fills the page as it comes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from markupsafe import escape
from pydantic import TypeAdapter, ValidationError

from decoct.answer.as_json import answer_as_json
from decoct.context.as_json import context_as_json
from decoct.context.merge.trees import trees
from decoct.data import Answer, Context, Hit, Span
from decoct.errors import DecoctError
from decoct.index.base import Where
from decoct.library import Library
from decoct.recipe import Recipe
from decoct.server.demo import QUESTIONS
from decoct.server.parameters import CompareIn, QuestionIn
from decoct.server.problems import ProblemError, invalid_field, problem_of
from decoct.server.routes.questions import with_tokens
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
    source_address,
    where_of_text,
)
from decoct.server.work import Cancel, ClientGoneError

_GAP, _ROOM = 0.2, 3.5  # of the budget's bar, in percent: between two segments, and for a label
_LEFT_OUT = 40  # hits shown as left out
_DEEPEST = 30  # merges within merges


Prices: TypeAlias = tuple[float, float] | None
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


def context_view(
    library: Library, name: str, context: Context, hits: Sequence[Hit] = (), prices: Prices = None
) -> dict[str, Any]:
    """A context for the page: its passages with where they stand, its budget's bar, what was left out, and its notes."""
    shown = with_tokens(context_as_json(context), context)
    tokens = [passage["tokens"] for passage in shown["passages"]]
    other, free = max(0, context.tokens - sum(tokens)), context.limit - context.tokens
    stages = shown["trace"]["stages"]
    seconds = sum(stage["seconds"] for stage in stages if stage["depth"] == 0)

    def place(span: Mapping[str, Any]) -> dict[str, str]:
        doc_id, start, end = span["doc_id"], span["start"], span["end"]
        words = " ".join(library.document(doc_id).text[start:end].split())
        return {"text": words, "href": source_address(name, doc_id, start, end), "doc_id": doc_id}

    return {
        "tokens": context.tokens,
        "limit": context.limit,
        "passages": shown["passages"],
        "other": other,
        "free": free,
        "bar": _bar(tokens, other, context.limit),
        "left_out": _left_out(context, hits, free),
        "conflicts": [
            {**one, "sides": [{**side, "places": [*map(place, side["support"])]} for side in one["sides"]]}
            for one in shown.get("conflicts", [])
        ],
        "merges": trees(shown.get("merges", []), place, _DEEPEST),
        "stages": [
            {**stage, "share": round(100 * stage["seconds"] / max(seconds, 1e-9), 2), "counts": _counts(stage)}
            for stage in stages
        ],
        "fallbacks": shown["trace"]["fallbacks"],
        "seconds": seconds,
        **_paid(stages, prices),
    }


def answer_view(
    library: Library, name: str, answer: Answer, hits: Sequence[Hit] = (), prices: Prices = None
) -> dict[str, Any]:
    """An answer for the page: its words and marks in order, each mark with where it leads; and its context."""
    pieces: list[dict[str, Any]] = []
    at = 0
    for citation in answer.citations:
        before = answer.text[at : citation.start]
        pieces += [{"text": before}] if answer.found else _likeliest_marked(before, citation.source.quote)
        source = citation.source
        title = library.document(source.doc_id).title or source.doc_id
        pieces.append(
            {
                "number": citation.number,
                "title": title,
                "quote": source.quote,
                "href": source_address(name, source.doc_id, source.start, source.end),
            }
        )
        at = citation.end
    pieces.append({"text": answer.text[at:]})
    told: Any = answer.trace.facts.get("asked") or {}
    return {
        "pieces": pieces,
        "text": answer.text,
        "markdown": _markdown(answer, pieces),
        "meant": answer.context.question,
        "declined": told.get("how") in ("incomplete", "no-question"),
        "outcome": answer.outcome,
        "short": [
            {
                "text": " ".join(one.text.split()),
                "sure": round(100 * one.score),
                "href": source_address(name, one.doc_id, one.start, one.end),
            }
            for one in answer.answers
        ],
        "raw": answer_as_json(answer),
        "context": context_view(library, name, answer.context, hits, prices),
    }


def _markdown(answer: Answer, pieces: Sequence[dict[str, Any]]) -> str:
    """The answer with its sources, a line each, to be pasted elsewhere."""
    sources = {
        one["number"]: f"[{one['number']}] {one['title']}: “{' '.join(one['quote'].split())}”"
        for one in pieces
        if "number" in one
    }
    return "\n\n".join([answer.text, *sources.values()])


def _likeliest_marked(text: str, quote: str) -> list[dict[str, Any]]:
    """The words before a mark of an answer that claims nothing, with the sentence that reads likeliest apart."""
    found = [*re.finditer(r"\s+".join(map(re.escape, quote.split())), text)]
    if not found:
        return [{"text": text}]
    start, end = found[-1].span()
    return [{"text": text[:start]}, {"text": text[start:end], "likeliest": True}, {"text": text[end:]}]


def mark_shared(contexts: dict[str, dict[str, Any]]) -> None:
    """Marks in each of several contexts which passages only it has, and which overlap one of another."""
    for name, mine in contexts.items():
        others = [(other, one) for other, view in contexts.items() if other != name for one in view["passages"]]
        for passage in mine["passages"]:
            passage["also"] = sorted({other for other, one in others if _overlap(passage["support"], one["support"])})


def _paid(stages: Sequence[dict[str, Any]], prices: Prices) -> dict[str, Any]:
    """Calls of language models, their tokens, and what they cost (None where no price is known)."""
    calls, asked, told = (
        sum(stage.get(name, 0) for stage in stages) for name in ("model_calls", "prompt_tokens", "completion_tokens")
    )
    cost = None if prices is None else (asked * prices[0] + told * prices[1]) / 1e6
    return {"calls": calls, "model_tokens": asked + told, "cost": cost}


def _counts(stage: dict[str, Any]) -> str:
    told = {name.replace("_", " "): value for name, value in stage.items() if name not in {"name", "depth", "seconds"}}
    return ", ".join(f"{name} {value:,}" for name, value in told.items() if value)


def _bar(passages: Sequence[int], other: int, limit: int) -> list[dict[str, Any]]:
    """The segments of the budget's bar, in percent of its width: a passage's with its `number`, at `middle` where there is room for it."""
    at, segments = 0.0, []
    for number, tokens in [*enumerate(passages, 1), (None, other)]:
        width = 100 * tokens / limit
        if tokens:
            middle = round(at + width / 2, 3) if number and width >= _ROOM else None
            drawn = {"x": round(at, 3), "width": round(max(width - _GAP, _GAP), 3), "middle": middle}
            segments.append({**drawn, "number": number, "tokens": tokens})
        at += width
    return segments


def _left_out(context: Context, hits: Sequence[Hit], free: int) -> list[dict[str, Any]]:
    """The chunks that were found and are not in the context, with why: there was no room, or a step of the recipe left them out."""
    count = context.budget.tokenizer.counts([hit.chunk.text for hit in hits])
    kept = [span for passage in context.passages for span in passage.support]
    found = []
    for rank, (hit, tokens) in enumerate(zip(hits, count, strict=True), 1):
        span = hit.chunk.span
        if any(map(span.overlaps, kept)):
            continue
        room = tokens <= free
        found.append(
            {
                "rank": rank,
                "title": hit.chunk.title or span.doc_id,
                "text": " ".join(hit.chunk.text.split())[:160],
                "tokens": tokens,
                "why": "a step of the recipe left it out" if room else f"no room: {free:,} tokens were left",
            }
        )
    return found[:_LEFT_OUT]


def _overlap(some: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> bool:
    return any(Span(**one).overlaps(Span(**other)) for one in some for other in others)
