"""Ollama's interface, as programs speak it that know no other: what it lists and shows, chats, completions and vectors.

A model is `LIBRARY/RECIPE`, with or without the `:latest` that clients add. A chat is streamed as lines of JSON unless `stream` is false.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool, WithJsonSchema

from decoct.server.chat_asked import ONLY_TEXT, ChatIn, DecoctOptions, chat_of, filled
from decoct.server.chatting import Account, ChatAnswer, model_ids, resolved
from decoct.server.parameters import NO_TRUTH, ModelName, either
from decoct.server.problems import STATUSES, unsupported
from decoct.server.replies import (
    OllamaErrorOut,
    OllamaModelsOut,
    OllamaShownOut,
    OllamaVectorsOut,
    OllamaWrittenOut,
    streamed,
)
from decoct.server.routes.embeddings import LONGEST_TEXT, MOST_TEXTS, EmbeddedText, vectors_of

router = APIRouter(
    prefix="/api",
    tags=["ollama"],
    responses={status: {"model": OllamaErrorOut} for status in STATUSES},
    strict_content_type=False,  # Ollama takes JSON that is not said to be some, and clients send it so
)
_LATEST = ":latest"
_LINES = "application/x-ndjson"
_DETAILS = {
    "parent_model": "", "format": "decoct", "family": "decoct", "families": ["decoct"], "parameter_size": "", "quantization_level": "",
}  # fmt: skip

_NO_IMAGES = {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 0}


class OllamaMessage(BaseModel):
    """One turn."""

    model_config = ConfigDict(extra="allow")
    role: str = Field(pattern="^(system|user|assistant|tool)$")
    content: str | None = ""
    images: Annotated[list[str] | None, WithJsonSchema(_NO_IMAGES)] = None


class OllamaAskedIn(BaseModel):
    """What a chat and a completion have in common. `format` asks for JSON, and needs a language model."""

    model_config = ConfigDict(extra="allow")
    model: ModelName
    stream: StrictBool | None = True
    format: Literal["", "json"] | dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    decoct: DecoctOptions | None = None

    def in_openai_form(self, messages: list[dict[str, Any]]) -> ChatIn:
        """A chat of these messages in OpenAI's form."""
        extra = self.model_extra or {}
        asked: dict[str, Any] = {"tools": extra["tools"]} if extra.get("tools") else {}
        if isinstance(self.format, dict):
            asked["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": self.format}}
        elif self.format:
            asked["response_format"] = {"type": "json_object"}
        return chat_of(
            {"model": self.model.removesuffix(_LATEST), "messages": messages, "decoct": self.decoct, **asked},
            [*(name for name in filled(extra) if name not in asked), *filled(self.options, "options.")],
        )


class OllamaChatIn(OllamaAskedIn):
    """A chat: the last message of the user is the question."""

    messages: list[OllamaMessage] = Field(default_factory=list, max_length=5_000)

    def as_chat(self) -> ChatIn:
        """The same in OpenAI's form."""
        if any(one.images for one in self.messages[-1:] if one.role == "user"):
            raise unsupported(ONLY_TEXT, "messages")
        return self.in_openai_form(
            [
                {"role": one.role, "content": one.content, **(one.model_extra or {}), "images": one.images or None}
                for one in self.messages
            ]
        )


class OllamaGenerateIn(OllamaAskedIn):
    """A prompt, which is the question."""

    prompt: str = Field("", max_length=100_000)
    system: str | None = None
    images: Annotated[list[str] | None, WithJsonSchema(_NO_IMAGES)] = None

    def as_chat(self) -> ChatIn:
        """The same in OpenAI's form."""
        told = [{"role": "system", "content": self.system}] if self.system else []
        return self.in_openai_form([*told, {"role": "user", "content": self.prompt}])


class OllamaEmbedIn(BaseModel):
    """Texts to embed: the model is an embedder's name, or a library."""

    model: ModelName
    input: Annotated[
        EmbeddedText | Annotated[list[EmbeddedText], Field(min_length=1, max_length=MOST_TEXTS)],
        either(f"give a text, or a list of 1 to {MOST_TEXTS:,}, each of 1 to {LONGEST_TEXT:,} characters"),
    ]
    dimensions: Annotated[int, Field(ge=1), NO_TRUTH] | None = None


class OllamaEmbeddingIn(BaseModel):
    """One text to embed, in Ollama's older form."""

    model: ModelName
    prompt: EmbeddedText


class OllamaShowIn(BaseModel):
    """A model's name."""

    model: str = Field("", max_length=200)
    name: str = Field("", max_length=200)


@router.get("/version", summary="Decoct's version, where Ollama tells its own")
async def told_version() -> dict[str, str]:
    """What clients look at before they ask."""
    return {"version": version("decoct")}


@router.get("/tags", summary="The models, as Ollama lists them", response_model=OllamaModelsOut)
async def tags(request: Request) -> dict[str, Any]:
    """Those of `GET /v1/models`."""
    return {"models": [_listed(name) for name in await model_ids(request)]}


@router.post("/show", summary="One model, as Ollama tells of it", response_model=OllamaShownOut)
async def show(request: Request, asked: OllamaShowIn) -> dict[str, Any]:
    """404 for one that is none."""
    name = (asked.model or asked.name).removesuffix(_LATEST)
    resolved(request, name)
    info = {"general.architecture": "decoct", "general.basename": name}
    told = {"details": _DETAILS, "model_info": info, "capabilities": ["completion"], "modified_at": _now()}
    return {"modelfile": "", "parameters": "", "template": "", **told}


@router.get("/ps", summary="No model stays loaded", response_model=OllamaModelsOut)
async def loaded() -> dict[str, Any]:
    """An empty list: what answers is the library."""
    return {"models": []}


@router.post("/chat", summary="A cited answer, in Ollama's shape", responses=streamed(OllamaWrittenOut, _LINES))
async def chat(request: Request, asked: OllamaChatIn) -> Response:
    """The answer as lines of JSON, the last one `done` with Decoct's account; in one piece where `stream` is false."""
    return await _answered(
        request, asked, lambda text: {"message": {"role": "assistant", "content": text}}, empty=not asked.messages
    )


@router.post(
    "/generate", summary="A cited answer to a prompt, in Ollama's shape", responses=streamed(OllamaWrittenOut, _LINES)
)
async def generate(request: Request, asked: OllamaGenerateIn) -> Response:
    """As a chat of one message."""
    if asked.images:
        raise unsupported(ONLY_TEXT, "images")
    return await _answered(request, asked, lambda text: {"response": text}, empty=not asked.prompt)


@router.post("/embed", summary="Vectors of texts, in Ollama's shape", response_model=OllamaVectorsOut)
async def embed(request: Request, asked: OllamaEmbedIn) -> dict[str, Any]:
    """Unit vectors, in the order of the texts."""
    name = asked.model.removesuffix(_LATEST)
    vectors, tokens = await vectors_of(request, name, asked.input, "passage", asked.dimensions)
    return {"model": asked.model, "embeddings": vectors.tolist(), "prompt_eval_count": tokens}


@router.post("/embeddings", summary="The vector of one text, in Ollama's older shape")
async def embedding(request: Request, asked: OllamaEmbeddingIn) -> dict[str, list[float]]:
    """A unit vector."""
    vectors, _ = await vectors_of(request, asked.model.removesuffix(_LATEST), asked.prompt, "passage", None)
    return {"embedding": vectors[0].tolist()}


async def _answered(
    request: Request, asked: OllamaChatIn | OllamaGenerateIn, said: Callable[[str], dict[str, Any]], *, empty: bool
) -> Response:
    began = time.perf_counter_ns()
    if empty:  # how a client has a model loaded
        resolved(request, asked.model.removesuffix(_LATEST))
        return JSONResponse({**_line(asked.model, said(""), done=True), "done_reason": "load"})
    answer = ChatAnswer(request, asked.as_chat(), "chat-")
    if asked.stream is False:
        text, account = await answer.whole()
        return JSONResponse({**_line(asked.model, said(text), done=True), **_end(account, began)})
    return StreamingResponse(_lines(asked.model, began, await answer.begun(), said), media_type=_LINES)


async def _lines(
    model: str, began: int, pieces: AsyncIterator[Any], said: Callable[[str], dict[str, Any]]
) -> AsyncIterator[str]:
    async for piece in pieces:
        if isinstance(piece, str):
            line = _line(model, said(piece), done=False)
        elif "error" in piece:
            line = {"error": piece["error"]["message"]}
        else:
            line = {**_line(model, said(""), done=True), **_end(piece, began)}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _line(model: str, said: dict[str, Any], *, done: bool) -> dict[str, Any]:
    return {"model": model, "created_at": _now(), **said, "done": done}


def _end(account: Account, began: int) -> dict[str, Any]:
    """What the last line has besides; times in nanoseconds."""
    passed, usage = time.perf_counter_ns() - began, account["usage"]
    return {
        "done_reason": "stop", "total_duration": passed, "load_duration": 0, "prompt_eval_count": usage["prompt_tokens"],
        "prompt_eval_duration": 0, "eval_count": usage["completion_tokens"], "eval_duration": passed,
        "annotations": account["annotations"], "decoct": account["decoct"],
    }  # fmt: skip


def _listed(name: str) -> dict[str, Any]:
    full = name + _LATEST
    digest = hashlib.sha256(full.encode()).hexdigest()
    return {"name": full, "model": full, "modified_at": _now(), "size": 0, "digest": digest, "details": _DETAILS}


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
