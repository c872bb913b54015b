"""The border to the `openai` client: its exceptions become Decoct's, each with what to do next. No key ever enters a message."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import openai

from decoct.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)

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
