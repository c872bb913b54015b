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

import email.utils
import json
import math
import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from decoct.embed.base import well_formed
from decoct.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct.llm.base import Message, Request
from decoct.llm.prompts import load_prompt
from decoct.llm.schema import is_closed

if TYPE_CHECKING:  # what is read here is read of models in this process too, which need no client
    import openai

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


# What an endpoint sent as a chat completion, read strictly: anything of another shape is a `ReplyError`, never a fault of ours.
#
# The client builds its objects without checking them, so any attribute may be anything that JSON can be.
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens that the endpoint says it took."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """A message or a piece of one: its text, why it ended (None: it goes on), its refusal, and the usage where it was told.

    `likeliest` are the tokens that it might have begun with, with their log-probabilities; none where they were not told.
    """

    text: str
    finish: str | None
    refusal: str
    spent: Spent | None
    likeliest: tuple[tuple[str, float], ...] = ()


def message_of(completion: Any, where: str) -> Said:  # noqa: ANN401
    """The first choice of a whole reply from `where`."""
    choices = _get(completion, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = _get(first, "message")
    if message is None or isinstance(message, str | int | float | list):
        raise ReplyError(f"{where} sent a reply without a message", str(completion)[:_SHOWN])
    return _said_in_message(message, first, completion, where)


def piece_of(event: Any, where: str) -> Said:  # noqa: ANN401
    """What an event of a stream from `where` adds; an event without a choice (usage at the end) adds no text."""
    choices = _get(event, "choices")
    if not isinstance(choices, list):
        raise ReplyError(f"{where} sent a piece of a stream without choices", str(event)[:_SHOWN])
    first = choices[0] if choices else None
    return _said_in_message(_get(first, "delta"), first, event, where)


def _said_in_message(message: Any, choice: Any, whole: Any, where: str) -> Said:  # noqa: ANN401
    content, finish, refusal = _get(message, "content"), _get(choice, "finish_reason"), _get(message, "refusal")
    for name, value in (("content", content), ("finish_reason", finish), ("refusal", refusal)):
        if not isinstance(value, str | None):
            raise ReplyError(f"{where} sent a reply whose {name} is no text", str(value)[:_SHOWN])
    usage = _get(whole, "usage")
    spent = (
        None
        if usage is None
        else Spent(_tokens(usage, "prompt_tokens", where), _tokens(usage, "completion_tokens", where))
    )
    return Said(well_formed(content or ""), finish, refusal or "", spent, likeliest_of(choice))


def likeliest_of(choice: Any) -> tuple[tuple[str, float], ...]:  # noqa: ANN401
    """The first token's alternatives with their log-probabilities, as a choice tells them; none for what is told otherwise or not."""
    content = _get(_get(choice, "logprobs"), "content")
    told = _get(content[0], "top_logprobs") if isinstance(content, list) and content else None
    pairs = [(_get(one, "token"), _get(one, "logprob")) for one in (told if isinstance(told, list) else ())]
    return tuple(
        (well_formed(token), float(value))
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, int | float) and math.isfinite(value)
    )


def _tokens(usage: Any, name: str, where: str) -> int:  # noqa: ANN401
    value = _get(usage, name)
    if isinstance(usage, str | int | float | list) or not isinstance(value, int | None) or (value or 0) < 0:
        raise ReplyError(f"{where} sent a reply whose usage is no number of tokens", str(usage)[:_SHOWN])
    return int(value or 0)


def _get(holder: Any, name: str) -> Any:  # noqa: ANN401
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)


# The border to the `openai` client: its exceptions become Decoct's, each with what to do next. No key ever enters a message.
#
# How servers say that a prompt is too long: OpenAI's code; vLLM, llama.cpp, Ollama and others in words.
_TOO_LONG = ("context_length_exceeded", "exceed_context_size", "context length", "context size", "context window", "maximum context",
             "too many tokens", "prompt is too long", "input is too long", "longer than the maximum model length")  # fmt: skip


@contextmanager
def border(model: str, url: str, key_env: str) -> Iterator[None]:
    """Raise Decoct's error in place of whatever the client raises inside."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        if isinstance(error.__cause__, ModelError):  # a limit of the attempt that stopped it (`attempt`)
            raise error.__cause__ from None
        mapped = _of_client(error, model, url, key_env) or _of_body(error, model, url)
        if mapped is None:
            raise
        raise mapped from error


def _of_client(error: Exception, model: str, url: str, key_env: str) -> ModelError | None:
    """The client's own errors."""
    import openai

    match error:
        case openai.APITimeoutError():
            return ModelTimeoutError(f"{model} at {url} did not answer in time; raise `timeout` or lower `concurrency`")
        case openai.APIStatusError():
            return _of_status(error, model, url, key_env)
        case openai.APIResponseValidationError():
            return ReplyError(f"{model} at {url} sent a body that is not JSON; is this an OpenAI-compatible address?")
        case openai.APIConnectionError():
            return ModelUnavailableError(f"{url} cannot be reached ({_cause(error)}); is the server running?")
        case openai.APIError():  # an error event inside a stream
            return ModelUnavailableError(f"{model} at {url} failed: {_short(error.message)}")
    known = isinstance(error, openai.OpenAIError)
    return ModelError(f"{model} at {url} could not be asked: {_short(str(error))}") if known else None


def _of_body(error: Exception, model: str, url: str) -> ModelError | None:
    """What reading a body raises: the client lets its transport's own errors through, and stumbles over JSON of another shape."""
    names = {kind.__name__ for kind in type(error).__mro__}  # httpx and httpx2 name them alike
    if "TimeoutException" in names:
        return ModelTimeoutError(f"{model} at {url} stopped answering; raise `timeout`")
    if isinstance(error, (OSError, EOFError)) or names & {"TransportError", "StreamError", "DecodingError"}:
        return ModelUnavailableError(f"the connection to {url} broke ({type(error).__name__})")
    if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
        return ReplyError(f"{model} at {url} sent a body that is not JSON; is this an OpenAI-compatible address?")
    if isinstance(error, (TypeError, ValueError, AttributeError, LookupError, RecursionError)):
        return ReplyError(
            f"{model} at {url} sent what cannot be read ({type(error).__name__}); is this an OpenAI-compatible address?"
        )
    return None


def _of_status(error: openai.APIStatusError, model: str, url: str, key_env: str) -> ModelError:
    status, text = error.status_code, _short(error.message)
    said = f"{error.code or ''} {error.type or ''} {error.message}".lower()
    if status in {400, 413, 422} and says_too_long(said):
        return PromptTooLongError(
            f"what was sent does not fit the window of {model}: {text}; send less, as by a lower budget"
        )
    if status == 429 and "insufficient_quota" in said:
        return ModelError(f"the account behind {key_env} at {url} has no quota left: {text}")
    if status == 429:
        return RateLimitError(
            f"{url} asks to slow down: {text}; lower `concurrency`", retry_after(error.response.headers)
        )
    if status == 408:
        return ModelTimeoutError(f"{model} at {url} took too long: {text}")
    if status == 409 or status >= 500:
        return ModelUnavailableError(f"{url} failed with status {status}: {text}")
    advice = {
        401: f"put a valid key into {key_env}",
        403: f"put a key with access into {key_env}",
        404: f"check the model's name {model!r} and that the address ends in /v1",
    }
    return ModelError(f"{url} refused the request (status {status}): {advice.get(status, text)}")


def says_too_long(text: str) -> bool:
    """Whether a server's message, in lower case, is about the length of the prompt."""
    return any(mark in text for mark in _TOO_LONG)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, `retry-after` as a number or as a date; None if it does not say."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return float(headers.get(name, "")) / scale
        except ValueError:
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    try:
        return email.utils.mktime_tz(date) - time.time() if date is not None else None
    except (ValueError, OverflowError):  # a day that no calendar has
        return None


def _cause(error: BaseException) -> str:
    cause = error.__cause__ or error
    return _short(str(cause)) or type(cause).__name__


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:300] + "…"
