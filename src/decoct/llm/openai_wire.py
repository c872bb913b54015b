"""A request as the fields of a chat completion call, and what endpoints are known to refuse.

| refused | sent instead | lost |
|---|---|---|
| max_tokens | max_completion_tokens (OpenAI's newer models) | nothing |
| temperature, seed, stop | left out | what they asked for |
| response_format | the schema in words, in the last turn | the guarantee; the reply is checked all the same |
| stream_options | left out | the token counts of a stream |
| logprobs, top_logprobs | both left out | how likely the tokens were |
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from decoct.llm.base import Message, Request
from decoct.llm.openai_errors import says_too_long
from decoct.llm.prompts import load_prompt
from decoct.llm.schema import is_closed

_LIKELY = ("top_logprobs", "logprobs")
_DISPENSABLE = (
    "response_format",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "seed",
    "stop",
    "stream_options",
    *_LIKELY,
)
_REFUSAL = re.compile(
    r"unsupported|not supported|does not support|doesn't support|unrecognized|unknown|unexpected|not permitted|invalid"
    r"|not allowed|unavailable"
)


def body(model: str, request: Request, *, stream: bool, refused: Collection[str]) -> tuple[dict[str, Any], list[str]]:
    """The fields to send, without those in `refused`, and the names of those left out although the request asked for them."""
    wanted: dict[str, Any] = {"temperature": request.temperature}
    if request.temperature > 0:
        wanted["seed"] = request.seed  # without sampling it changes nothing, and some endpoints refuse it
    if request.stop:
        wanted["stop"] = list(request.stop)
    if request.schema is not None:
        # OpenAI takes "strict" only for closed schemas; other servers constrain either way.
        named = {"name": "reply", "schema": dict(request.schema), "strict": is_closed(request.schema)}
        wanted["response_format"] = {"type": "json_schema", "json_schema": named}
    if stream:
        wanted["stream_options"] = {"include_usage": True}
    if request.likeliest:
        wanted |= {"logprobs": True, "top_logprobs": request.likeliest}
        refused = {*refused, *_LIKELY} if any(name in refused for name in _LIKELY) else refused
    lost = [name for name in wanted if name in refused and name != "top_logprobs"]
    messages = request.messages
    if "response_format" in lost:
        messages = _with_schema_in_words(request)
    fields = {"model": model, "messages": [{"role": m.role, "content": m.content} for m in messages], "stream": stream}
    fields |= {name: value for name, value in wanted.items() if name not in refused}
    for name in ("max_tokens", "max_completion_tokens"):
        if name not in refused:
            fields[name] = request.max_tokens
            break
    else:
        lost.append("max_tokens")
    return fields, lost


def refused_parameter(error: Any, fields: Mapping[str, Any]) -> tuple[str | None, bool]:  # noqa: ANN401
    """Which of `fields` the endpoint's `error` refuses (None: it is about something else), and whether it always will."""
    text = f"{error.code or ''} {error.message}".lower()
    if says_too_long(text) or not _REFUSAL.search(text):
        return None, False
    named = [
        name for name in _DISPENSABLE if name in fields and (error.param == name or re.search(rf"\b{name}\b", text))
    ]
    # One schema may be refused where others are taken.
    return (
        (named[0], "schema for" not in text and "json_schema" not in str(error.code or "")) if named else (None, False)
    )


def _with_schema_in_words(request: Request) -> tuple[Message, ...]:
    prompt = load_prompt("decoct.llm", "schema_request", ("task", "schema"))
    *before, last = request.messages
    (turn,) = prompt.render({"task": last.content, "schema": json.dumps(request.schema)})
    return (*before, Message(last.role, turn.content))
