"""OpenAI's chat and its older completions: any chat program works by changing its base URL.

A model is `LIBRARY/RECIPE`. The last message of the user is the question, which is understood with the turns before it
(`decoct.conversation`; `decoct: {"history": "none"}` turns that off). Citations come as `url_citation` annotations whose addresses open the
source on this server's page.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from decoct.server.chat_asked import ChatIn, DecoctOptions, StreamOptions, chat_of
from decoct.server.chatting import Account, ChatAnswer, event, model_ids, resolved
from decoct.server.parameters import ModelName, either
from decoct.server.replies import CompletionOut, ModelOut, ModelsOut, streamed

router = APIRouter(prefix="/v1", tags=["openai"])
_DONE = "data: [DONE]\n\n"
_CHUNK, _TEXT = "chat.completion.chunk", "text_completion"


class CompletionIn(BaseModel):
    """A prompt, which is the question."""

    model_config = ConfigDict(extra="allow")
    model: ModelName
    prompt: Annotated[
        Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1, max_length=1)],
        either("give a text, or a list of one"),
    ]
    stream: StrictBool | None = False
    stream_options: StreamOptions | None = None
    decoct: DecoctOptions | None = None

    def as_chat(self) -> ChatIn:
        """The same as a chat of one message."""
        prompt = self.prompt if isinstance(self.prompt, str) else self.prompt[0]
        asked = {"model": self.model, "messages": [{"role": "user", "content": prompt}], "decoct": self.decoct}
        dropped = self.stream_options.ignored() if self.stream_options else []
        return chat_of({**(self.model_extra or {}), **asked}, dropped, [("prompt", None)])


@router.get("/models", summary="The models: a library and a recipe each", response_model=ModelsOut)
async def models(request: Request) -> dict[str, Any]:
    """`LIBRARY/RECIPE`, and the bare recipe where the key sees one library: those that can run here, as it is now."""
    return {"object": "list", "data": [_model(id_) for id_ in await model_ids(request)]}


@router.get("/models/{model:path}", summary="One model", response_model=ModelOut)
async def model(request: Request, model: str) -> dict[str, Any]:
    """404 for one that is none."""
    resolved(request, model)
    return _model(model)


@router.post("/chat/completions", summary="A cited answer, in OpenAI's shape", responses=streamed(CompletionOut))
async def completions(request: Request, asked: ChatIn) -> Response:
    """The answer with its citations as annotations; with `stream` as server-sent events that end in `[DONE]`."""
    answer = ChatAnswer(request, asked, "chatcmpl-")
    if asked.stream:
        begun = answer.header.reply(_CHUNK, {"delta": {"role": "assistant", "content": ""}})
        return await _streamed(answer, asked, _CHUNK, lambda text: {"delta": {"content": text} if text else {}}, begun)
    text, told = await answer.whole()
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": told["annotations"]}
    return _whole(answer, "chat.completion", {"message": message}, told)


@router.post(
    "/completions", summary="A cited answer to a prompt, in OpenAI's older shape", responses=streamed(CompletionOut)
)
async def prompted(request: Request, asked: CompletionIn) -> Response:
    """The answer as a text, for programs that know nothing else; with `stream` as server-sent events that end in `[DONE]`."""
    answer = ChatAnswer(request, asked.as_chat(), "cmpl-")
    if asked.stream:
        return await _streamed(answer, asked, _TEXT, lambda text: {"text": text})
    text, told = await answer.whole()
    return _whole(answer, _TEXT, {"text": text}, told)


def _whole(answer: ChatAnswer, kind: str, choice: dict[str, Any], told: Account) -> JSONResponse:
    return JSONResponse(answer.header.reply(kind, choice, "stop", usage=told["usage"], decoct=told["decoct"]))


async def _streamed(
    answer: ChatAnswer, asked: ChatIn | CompletionIn, kind: str, said: Callable[[str], Any], *begun: dict[str, Any]
) -> StreamingResponse:
    """The pieces as events: what has `begun`, each text as its dialect has it `said`, the account, and the end."""
    reply, pieces = answer.header.reply, await answer.begun()

    async def events() -> AsyncIterator[str]:
        for one in begun:
            yield event(one)
        async for piece in pieces:
            if isinstance(piece, str):
                yield event(reply(kind, said(piece)))
            elif "error" in piece:
                yield event(piece)
                return
            else:
                if kind == _CHUNK:
                    yield event(reply(kind, {"delta": {"annotations": piece["annotations"]}}))
                yield event(reply(kind, said(""), "stop", decoct=piece["decoct"]))
                if asked.stream_options is not None and asked.stream_options.include_usage:
                    yield event(reply(kind, None, usage=piece["usage"]))
        yield _DONE

    return StreamingResponse(events(), media_type="text/event-stream")


def _model(id_: str) -> dict[str, Any]:
    return {"id": id_, "object": "model", "created": 0, "owned_by": "decoct"}
