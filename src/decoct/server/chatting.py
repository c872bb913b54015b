"""The answer to a chat, whole or as it comes, for every dialect of chat programs: OpenAI's chat, completions, responses; Ollama's.

A dialect makes a `ChatIn` of its request, and its own shape of the text and the account (`ReplyHeader.account`).
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias

from fastapi import Request

from decoct.answer.as_json import answer_as_json
from decoct.context.layouts import unfetched
from decoct.data import Answer
from decoct.errors import ConfigError, CorpusError, DecoctError
from decoct.library import Library
from decoct.llm.base import complete_one
from decoct.llm.prompts import load_prompt
from decoct.recipe import Recipe
from decoct.server.chat_asked import ChatIn
from decoct.server.problems import ProblemError, body_of, problem_of, unsupported
from decoct.server.routes.questions import with_tokens
from decoct.server.state import caller_of, in_library, server_of
from decoct.server.web.render import source_address
from decoct.server.work import Cancel, ClientGoneError

_TOLD = ("question", "found", "outcome", "score", "answers", "tokens", "limit", "passages", "trace")


@dataclass(frozen=True, slots=True)
class ReplyHeader:
    """What every part of one reply repeats. `address` is this server's, as the client wrote it."""

    id: str
    created: int
    model: str
    library: str
    address: str
    ignored: tuple[str, ...]

    def reply(self, kind: str, choice: dict[str, Any] | None, finish: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """A reply of OpenAI's chat or older completions, or a piece of one: its one choice, where it has one, and `more` beside it."""
        made = [] if choice is None else [{"index": 0, **choice, "finish_reason": finish, "logprobs": None}]
        head = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        return {**head, "choices": made, **more}

    def account(self, answer: Answer, library: Library) -> dict[str, Any]:
        """The annotations, the usage, and what Decoct tells of the context."""
        shown = with_tokens(answer_as_json(answer), answer.context)
        asked, written = answer.context.tokens, answer.context.budget.count(answer.text)
        told = {name: shown[name] for name in (*_TOLD, "conflicts") if name in shown}
        return {
            "annotations": [self._annotation(one, library) for one in shown["citations"]],
            "usage": {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written},
            "decoct": {**told, "asked": answer.trace.facts.get("asked"), "ignored": list(self.ignored)},
        }

    def _annotation(self, cited: dict[str, Any], library: Library) -> dict[str, Any]:
        """A citation of the answer's JSON in OpenAI's form."""
        source = cited["source"]
        doc_id, start, end = source["doc_id"], source["start"], source["end"]
        place = {
            "start_index": cited["start"],
            "end_index": cited["end"],
            "title": library.document(doc_id).title or doc_id,
            "url": self.address.rstrip("/") + source_address(self.library, doc_id, start, end),
            "number": cited["number"],
        }
        return {"type": "url_citation", "url_citation": {**place, **source, "spans": cited["support"]}}


def event(data: dict[str, Any]) -> str:
    """A server-sent event of JSON."""
    return f"data: {json.dumps(data)}\n\n"


Account: TypeAlias = dict[str, Any]
Piece: TypeAlias = str | Account
"""A piece of the text; the account; or, behind what was sent, an error's body."""


class ChatAnswer:
    """What a request asks for, checked: a library, a recipe, a question. `prefix` begins the reply's id."""

    def __init__(self, request: Request, asked: ChatIn, prefix: str) -> None:
        self._request, self._asked = request, asked
        self._server = server_of(request)
        self._library, self._recipe = resolved(request, asked.model)
        self._question = asked.question()
        self._wanted = asked.response_format.schema_wanted if asked.response_format else None
        if self._server.llm is None:
            if asked.options.history == "condense":
                told = "condensing a chat needs a language model: start the server with --llm"
                raise ProblemError(422, told, code="config", param="decoct.history")
            if self._wanted is not None:
                told = "an answer in JSON needs a language model, and this server has none: ask for text"
                raise unsupported(told, "response_format")
        address = str(request.base_url)
        self.header = ReplyHeader(
            f"{prefix}{secrets.token_hex(12)}", int(time.time()), asked.model, self._library, address, tuple(asked.ignored())
        )  # fmt: skip

    async def whole(self) -> tuple[str, Account]:
        """The text and the account."""

        def work(library: Library, cancel: Cancel) -> tuple[str, Account]:
            return self._finished(library, self._answered(library, cancel.check))

        return await in_library(self._request, self._library, work, reads=True)

    async def begun(self) -> AsyncIterator[Piece]:
        """The pieces as they come: texts, then the account. What fails before the first one is raised here, with its own status."""

        def work(cancel: Cancel, put: Callable[[Any], None]) -> None:
            with self._server.libraries.use(self._library) as library:
                answer = self._answered(
                    library, cancel.check if self._wanted is not None else lambda text: put(unfetched(text))
                )
                text, account = self._finished(library, answer)
                if self._wanted is not None:
                    put(text)
                put(account)

        pieces = self._server.readers.stream(self._request, work)
        return self._following(await anext(pieces, None), pieces)

    async def _following(self, first: Any, pieces: AsyncIterator[Any]) -> AsyncIterator[Piece]:  # noqa: ANN401 - a piece
        async with aclosing(pieces) as rest:  # type: ignore[type-var]
            try:
                while first is not None:
                    yield first
                    first = await anext(rest, None)
            except ClientGoneError:
                return
            except Exception as error:  # noqa: BLE001 - the status is sent: the stream itself must tell
                yield body_of(problem_of(error), self._request.state.request_id)

    def _answered(self, library: Library, sink: Callable[[str], None]) -> Answer:
        options = self._asked.options
        answer = library.ask(
            self._question,
            options.budget,
            self._recipe,
            where=options.where,
            sink=sink,
            caution=options.caution,
            history=self._asked.before(),
        )
        self._server.metrics.context(self._recipe.name, answer.context)
        return answer

    def _finished(self, library: Library, answer: Answer) -> tuple[str, Account]:
        account = self.header.account(answer, library)
        if self._wanted is None:
            return unfetched(answer.text), account
        return _formatted(library, answer, self._wanted), {**account, "annotations": []}


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


def _formatted(library: Library, answer: Answer, schema: dict[str, Any]) -> str:
    """The answer as JSON of `schema`; the places of its citations do not apply to it."""
    if library.llm is None:
        raise ConfigError("an answer in JSON needs a language model")
    prompt = load_prompt("decoct.server", "formatted", ("question", "answer", "context"))
    slots = {"question": answer.context.question, "answer": answer.text, "context": answer.context.text}
    return complete_one(library.llm, prompt.request(slots, max_tokens=2_000, schema=schema)).text


_KNOWN = 60.0  # seconds for which it is known what can run


async def model_ids(request: Request) -> list[str]:
    """`LIBRARY/RECIPE`, and the bare recipe where the caller sees one library: those that can run here, as it is now."""
    visible = server_of(request).visible(caller_of(request))
    found = {library: await runnable_recipes(request, library) for library in visible}
    ids = [f"{library}/{recipe}" for library, recipes in found.items() for recipe in recipes]
    return [*ids, *found[visible[0]]] if len(visible) == 1 else ids


async def runnable_recipes(request: Request, name: str) -> list[str]:
    """The recipes that a library can be asked with: it has their structures and cards, and there is a model where they need one."""
    server, known = server_of(request), request.app.state.runnable
    if name in known and time.monotonic() - known[name][0] < _KNOWN:
        return list(known[name][1])

    def work(library: Library, cancel: Cancel) -> list[str]:
        found = []
        for one, recipe in server.settings.recipes.items():
            cancel.check()
            if _runs(library, recipe):
                found.append(one)
        return found

    found = await in_library(request, name, work)
    known[name] = (time.monotonic(), found)
    return found


def _runs(library: Library, recipe: Recipe) -> bool:
    """Whether a recipe's parts are there; one that asks no language model is tried."""
    try:
        pipeline = library.pipeline(recipe)
        _ = pipeline.retrieval, pipeline.construction, pipeline.reader
        if not recipe.needs_llm:
            library.search("library", 1, recipe)
    except CorpusError:  # an empty library can be asked
        return True
    except DecoctError:
        return False
    return True
