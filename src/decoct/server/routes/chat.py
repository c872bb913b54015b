"""OpenAI's interface: any chat program works by changing its base URL.

A model is `LIBRARY/RECIPE`. The last message of the user is the question, which is understood with the turns before it
(`decoct.conversation`; `decoct: {"history": "none"}` turns that off). Citations come as `url_citation` annotations whose addresses open the
source on this server's page.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from decoct.data import Answer
from decoct.errors import ConfigError, CorpusError, DecoctError
from decoct.library import Library
from decoct.llm.base import complete_one
from decoct.llm.prompts import load_prompt
from decoct.recipe import Recipe
from decoct.server.chat_asked import ChatIn
from decoct.server.chat_told import ReplyHeader, event
from decoct.server.problems import ProblemError, body_of, problem_of
from decoct.server.state import caller_of, needs_a_model, server_of
from decoct.server.work import Cancel, ClientGoneError

router = APIRouter(prefix="/v1", tags=["openai"])
_KNOWN = 60.0  # seconds for which it is known what can run


@router.get("/models", summary="The models: a library and a recipe each")
async def models(request: Request) -> dict[str, Any]:
    """`LIBRARY/RECIPE`, and the bare recipe where the key sees one library: those that can run here, as it is now."""
    server = server_of(request)
    visible = server.visible(caller_of(request))
    found = {library: await _runnable(request, library) for library in visible}
    ids = [f"{library}/{recipe}" for library, recipes in found.items() for recipe in recipes]
    if len(visible) == 1:
        ids += found[visible[0]]
    return {"object": "list", "data": [_model(id_) for id_ in ids]}


@router.get("/models/{model:path}", summary="One model")
async def model(request: Request, model: str) -> dict[str, Any]:
    """404 for one that is none."""
    resolved(request, model)
    return _model(model)


@router.post("/chat/completions", summary="A cited answer, in OpenAI's shape", response_class=Response)
async def completions(request: Request, asked: ChatIn) -> Response:
    """The answer with its citations as annotations; with `stream` as server-sent events that end in `[DONE]`."""
    server = server_of(request)
    library_name, recipe = resolved(request, asked.model)
    question = asked.question()
    if asked.options.history == "condense" and server.llm is None:
        raise ProblemError(
            422,
            "condensing a chat needs a language model: start the server with --llm",
            code="config",
            param="decoct.history",
        )
    wanted = asked.response_format.schema_wanted if asked.response_format else None
    if wanted is not None and server.llm is None:
        raise ProblemError(
            400,
            "an answer in JSON needs a language model, and this server has none: leave out response_format",
            code="unsupported",
            param="response_format",
        )
    told = ReplyHeader(
        f"chatcmpl-{secrets.token_hex(12)}", int(time.time()), asked.model, library_name, str(request.base_url), tuple(asked.ignored())
    )  # fmt: skip

    def answered(library: Library, sink: Callable[[str], None]) -> Answer:
        options = asked.options
        answer = library.ask(
            question,
            options.budget,
            recipe,
            where=options.where,
            sink=sink,
            caution=options.caution,
            history=asked.before(),
        )
        server.metrics.context(recipe.name, answer.context)
        return answer

    if not asked.stream:

        def work(cancel: Cancel) -> dict[str, Any]:
            cancel.check()
            with server.libraries.use(library_name) as library:
                answer = answered(library, cancel.check)
                account = told.account(answer, library)
                if wanted is None:
                    return told.whole(answer.text, account)
                return told.whole(_formatted(library, answer, wanted), {**account, "annotations": []})

        return JSONResponse(await server.workers_for(reads=True).run(request, work))

    def writes(cancel: Cancel, put: Callable[[Any], None]) -> None:
        with server.libraries.use(library_name) as library:
            if wanted is None:
                put(told.account(answered(library, put), library))
                return
            answer = answered(library, cancel.check)
            put(_formatted(library, answer, wanted))
            put({**told.account(answer, library), "annotations": []})

    pieces = server.workers_for(reads=True).stream(request, writes)
    # What fails before the first word still has its own status.
    first = await anext(pieces, None)
    usage = asked.stream_options is not None and asked.stream_options.include_usage
    return StreamingResponse(_stream(request, told, first, pieces, usage=usage), media_type="text/event-stream")


async def _runnable(request: Request, name: str) -> list[str]:
    """The recipes that a library can be asked with: it has their structures and cards, and there is a model where they need one."""
    server, known = server_of(request), request.app.state.runnable
    if name in known and time.monotonic() - known[name][0] < _KNOWN:
        return list(known[name][1])

    def work(cancel: Cancel) -> list[str]:
        found = []
        with server.libraries.use(name) as library:
            for one, recipe in server.settings.recipes.items():
                cancel.check()
                if _runs(library, recipe):
                    found.append(one)
        return found

    found = await server.workers.run(request, work)
    known[name] = (time.monotonic(), found)
    return found


def _runs(library: Library, recipe: Recipe) -> bool:
    """Whether a recipe's parts are there; one that asks no language model is tried."""
    try:
        pipeline = library.pipeline(recipe)
        _ = pipeline.retrieval, pipeline.construction, pipeline.reader
        if not needs_a_model(recipe):
            library.search("library", 1, recipe)
    except CorpusError:  # an empty library can be asked
        return True
    except DecoctError:
        return False
    return True


def resolved(request: Request, name: str) -> tuple[str, Recipe]:
    """The library and recipe of a model's name; 404 where the caller sees none such."""
    server, caller = server_of(request), caller_of(request)
    library, slash, recipe = name.partition("/")
    visible = server.visible(caller)
    if not slash:
        library, recipe = (visible[0], name) if len(visible) == 1 else ("", "")
    if library not in visible or recipe not in server.settings.recipes:
        raise ProblemError(
            404, f"there is no model {name[:200]!r}; GET /v1/models lists them", code="model_not_found", param="model"
        )
    return library, server.settings.recipes[recipe]


async def _stream(
    request: Request,
    told: ReplyHeader,
    first: Any,  # noqa: ANN401 - a piece of text, or the account
    pieces: AsyncIterator[Any],
    *,
    usage: bool,
) -> AsyncIterator[str]:
    async with aclosing(pieces) as rest:  # type: ignore[type-var]
        yield told.piece({"role": "assistant", "content": ""})
        piece = first
        try:
            while piece is not None:
                if isinstance(piece, str):
                    yield told.piece({"content": piece})
                else:
                    yield told.piece({"annotations": piece["annotations"]})
                    yield told.piece({}, "stop", decoct=piece["decoct"])
                    if usage:
                        yield told.usage(piece["usage"])
                piece = await anext(rest, None)
        except ClientGoneError:
            return
        except Exception as error:  # noqa: BLE001 - the status is sent: the stream itself must tell
            yield event(body_of(problem_of(error), request.state.request_id))
            return
        yield "data: [DONE]\n\n"


def _formatted(library: Library, answer: Answer, schema: dict[str, Any]) -> str:
    """The answer as JSON of `schema`; the places of its citations do not apply to it."""
    if library.llm is None:
        raise ConfigError("an answer in JSON needs a language model")
    prompt = load_prompt("decoct.server", "formatted", ("question", "answer", "context"))
    slots = {"question": answer.context.question, "answer": answer.text, "context": answer.context.text}
    return complete_one(library.llm, prompt.request(slots, max_tokens=2_000, schema=schema)).text


def _model(id_: str) -> dict[str, Any]:
    return {"id": id_, "object": "model", "created": 0, "owned_by": "decoct"}
