"""OpenAI's responses, which its agents ask by default: one message with its citations as annotations. Nothing is kept between requests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool, WithJsonSchema

from decoct.server.chat_asked import ChatIn, DecoctOptions, chat_of, filled
from decoct.server.chatting import Account, ChatAnswer, event
from decoct.server.parameters import ModelName
from decoct.server.problems import ProblemError, unsupported
from decoct.server.replies import ResponseOut, streamed

router = APIRouter(prefix="/v1", tags=["openai"])
_ROLES = ("system", "developer", "user", "assistant")
_ITEM = {
    "type": "object",
    "properties": {"role": {"enum": list(_ROLES)}, "content": {"type": "string"}},
    "required": ["role", "content"],
}
_INPUT = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": _ITEM, "minItems": 1}]}
_KEPT = ("previous_response_id", "conversation", "background")


class TextIn(BaseModel):
    """How the text is to be formed: `format` as chat completions' `response_format`, without its inner table."""

    model_config = ConfigDict(extra="allow")
    format: dict[str, Any] | None = None


class ResponseIn(BaseModel):
    """A question, or a conversation whose last message of the user is the question."""

    model_config = ConfigDict(extra="allow")
    model: ModelName
    input: Annotated[Any, WithJsonSchema(_INPUT)] = Field(examples=["When was the bridge opened?"])
    instructions: str | None = None
    stream: StrictBool | None = False
    text: TextIn | None = None
    decoct: DecoctOptions | None = None

    def as_chat(self) -> ChatIn:
        """The same as a chat; 400 for what needs earlier requests to be kept."""
        extra = self.model_extra or {}
        for field in _KEPT:
            if extra.get(field):
                raise unsupported(f"nothing is kept between requests: leave out {field}", field)
        asked: dict[str, Any] = {name: extra[name] for name in ("tools", "tool_choice") if extra.get(name)}
        if form := self.form:
            asked["response_format"] = {**form, "json_schema": form}
        told = [("instructions", None, {"role": "system", "content": self.instructions})] if self.instructions else []
        read = [*told, *_messages(self.input)]
        dropped = [name for name in filled(extra) if name not in asked]
        if isinstance(self.input, list):
            known = {at for _, at, _ in read}
            dropped += [f"input[{at}]" for at in range(len(self.input)) if at not in known]
        messages = [message for _, _, message in read] or [{"role": "user", "content": ""}]
        return chat_of(
            {"model": self.model, "messages": messages, "decoct": self.decoct, **asked},
            [*dropped, *filled(self.text.model_extra if self.text else None, "text.")],
            [(name, at) for name, at, _ in read],
        )

    @property
    def form(self) -> dict[str, Any] | None:
        """How the text is to be formed; None where nothing is said."""
        return (self.text.format if self.text else None) or None


def _messages(given: object) -> list[tuple[str, int | None, dict[str, Any]]]:
    """The messages of the input, each with where it stands."""
    if isinstance(given, str):
        return [("input", None, {"role": "user", "content": given})]
    if not isinstance(given, list) or not given:
        raise ProblemError(422, "input: give a text, or a list of messages", param="input")
    found: list[tuple[str, int | None, dict[str, Any]]] = []
    for at, item in enumerate(given):
        role = item.get("role") if isinstance(item, Mapping) else None
        if role in _ROLES and item.get("type", "message") == "message":
            found.append(("input", at, {"role": role, "content": _content(item.get("content"))}))
    return found


def _content(given: object) -> object:
    if isinstance(given, str) or given is None:
        return given
    if not isinstance(given, list):
        raise ProblemError(422, "a message's content is a text, or a list of parts", param="input")
    texts = ("input_text", "output_text", "text")
    return [
        {**part, "type": "text"} if isinstance(part, Mapping) and part.get("type") in texts else part for part in given
    ]


@router.post(
    "/responses", summary="A cited answer, in the shape of OpenAI's responses", responses=streamed(ResponseOut)
)
async def responses(request: Request, asked: ResponseIn) -> Response:
    """One message, its citations as `url_citation` annotations; with `stream` as OpenAI's events, the last `response.completed`."""
    answer = ChatAnswer(request, asked.as_chat(), "resp_")
    if not asked.stream:
        return JSONResponse(_response(answer, asked, *await answer.whole()))
    return StreamingResponse(_events(answer, asked, await answer.begun()), media_type="text/event-stream")


async def _events(answer: ChatAnswer, asked: ResponseIn, pieces: AsyncIterator[Any]) -> AsyncIterator[str]:
    number = -1

    def told(kind: str, **fields: Any) -> str:  # noqa: ANN401 - JSON
        nonlocal number
        number += 1
        return f"event: {kind}\n{event({'type': kind, 'sequence_number': number, **fields})}"

    at = {"item_id": _message_id(answer), "output_index": 0}
    part = {**at, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    begun = _response(answer, asked)
    yield told("response.created", response=begun)
    yield told("response.in_progress", response=begun)
    yield told("response.output_item.added", output_index=0, item=_message(answer, [], "in_progress"))
    yield told("response.content_part.added", **part, part=empty)
    text = ""
    async for piece in pieces:
        if isinstance(piece, str):
            text += piece
            yield told("response.output_text.delta", **part, delta=piece, logprobs=[])
        elif "error" in piece:
            yield told("error", **{name: piece["error"][name] for name in ("code", "message", "param")})
            return
        else:
            whole = _response(answer, asked, text, piece)
            content = whole["output"][0]["content"][0]
            for index, one in enumerate(content["annotations"]):
                yield told("response.output_text.annotation.added", **part, annotation_index=index, annotation=one)
            yield told("response.output_text.done", **part, text=text, logprobs=[])
            yield told("response.content_part.done", **part, part=content)
            yield told("response.output_item.done", output_index=0, item=whole["output"][0])
            yield told("response.completed", response=whole)


def _response(answer: ChatAnswer, asked: ResponseIn, text: str = "", account: Account | None = None) -> dict[str, Any]:
    """The response: in progress without an account."""
    usage = account["usage"] if account else None
    return {
        "id": answer.header.id, "object": "response", "created_at": answer.header.created, "model": asked.model,
        "status": "completed" if account else "in_progress",
        "output": [_message(answer, [_text(text, account)], "completed")] if account else [],
        "usage": {
            "input_tokens": usage["prompt_tokens"], "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage["completion_tokens"], "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        } if usage else None,
        "instructions": asked.instructions, "error": None, "incomplete_details": None, "metadata": {}, "tools": [],
        "tool_choice": "none", "parallel_tool_calls": False, "temperature": None, "top_p": None, "store": False,
        "previous_response_id": None, "text": {"format": asked.form or {"type": "text"}},
        **({"decoct": account["decoct"]} if account else {}),
    }  # fmt: skip


def _text(text: str, account: Account) -> dict[str, Any]:
    """The text with its citations: here OpenAI has their fields beside the type, not below it."""
    cited = [{"type": "url_citation", **one["url_citation"]} for one in account["annotations"]]
    return {"type": "output_text", "text": text, "annotations": cited, "logprobs": []}


def _message(answer: ChatAnswer, content: list[dict[str, Any]], status: str) -> dict[str, Any]:
    return {"id": _message_id(answer), "type": "message", "role": "assistant", "status": status, "content": content}


def _message_id(answer: ChatAnswer) -> str:
    return answer.header.id.replace("resp_", "msg_", 1)
