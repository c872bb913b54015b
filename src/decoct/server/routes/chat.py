"""OpenAI's chat and its older completions: any chat program works by changing its base URL.

A model is `LIBRARY/RECIPE`. The last message of the user is the question, which is understood with the turns before it
(`decoct.conversation`; `decoct: {"history": "none"}` turns that off). Citations come as `url_citation` annotations whose addresses open the
source on this server's page.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from decoct.server.chat_asked import ChatIn, DecoctOptions, StreamOptions, chat_of
from decoct.server.chatting import ChatAnswer, event, model_ids, resolved
from decoct.server.openai_replies import ChatOut, CompletionOut, ModelOut, ModelsOut, streamed
from decoct.server.parameters import ModelName

router = APIRouter(prefix="/v1", tags=["openai"])
_DONE = "data: [DONE]\n\n"


class CompletionIn(BaseModel):
    """A prompt, which is the question."""

    model_config = ConfigDict(extra="allow")
    model: ModelName
    prompt: Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1, max_length=1)]
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


@router.post("/chat/completions", summary="A cited answer, in OpenAI's shape", responses=streamed(ChatOut))
async def completions(request: Request, asked: ChatIn) -> Response:
    """The answer with its citations as annotations; with `stream` as server-sent events that end in `[DONE]`."""
    answer = ChatAnswer(request, asked, "chatcmpl-")
    if not asked.stream:
        return JSONResponse(answer.header.whole(*await answer.whole()))
    usage = asked.stream_options is not None and asked.stream_options.include_usage
    return StreamingResponse(_chunks(answer, await answer.begun(), usage=usage), media_type="text/event-stream")


@router.post(
    "/completions", summary="A cited answer to a prompt, in OpenAI's older shape", responses=streamed(CompletionOut)
)
async def prompted(request: Request, asked: CompletionIn) -> Response:
    """The answer as a text, for programs that know nothing else; with `stream` as server-sent events that end in `[DONE]`."""
    answer = ChatAnswer(request, asked.as_chat(), "cmpl-")
    if not asked.stream:
        text, account = await answer.whole()
        return JSONResponse(
            {**answer.header.completion(text, "stop"), "usage": account["usage"], "decoct": account["decoct"]}
        )
    usage = asked.stream_options is not None and asked.stream_options.include_usage
    return StreamingResponse(_texts(answer, await answer.begun(), usage=usage), media_type="text/event-stream")


async def _chunks(answer: ChatAnswer, pieces: AsyncIterator[Any], *, usage: bool) -> AsyncIterator[str]:
    told = answer.header
    yield told.piece({"role": "assistant", "content": ""})
    async for piece in pieces:
        if isinstance(piece, str):
            yield told.piece({"content": piece})
        elif "error" in piece:
            yield event(piece)
            return
        else:
            yield told.piece({"annotations": piece["annotations"]})
            yield told.piece({}, "stop", decoct=piece["decoct"])
            if usage:
                yield told.usage(piece["usage"])
    yield _DONE


async def _texts(answer: ChatAnswer, pieces: AsyncIterator[Any], *, usage: bool) -> AsyncIterator[str]:
    told = answer.header
    async for piece in pieces:
        if isinstance(piece, str):
            yield event(told.completion(piece))
        elif "error" in piece:
            yield event(piece)
            return
        else:
            yield event({**told.completion("", "stop"), "decoct": piece["decoct"]})
            if usage:
                yield event({**told.completion(""), "choices": [], "usage": piece["usage"]})
    yield _DONE


def _model(id_: str) -> dict[str, Any]:
    return {"id": id_, "object": "model", "created": 0, "owned_by": "decoct"}
