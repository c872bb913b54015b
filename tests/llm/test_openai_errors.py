"""What an endpoint raises, by hand: each error becomes the one that says what to do next, and no key is in it."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any

import pytest

from decoct.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct.llm.openai_wire import border, retry_after, says_too_long

openai: Any = pytest.importorskip("openai")
URL = "http://host/v1"


def raised(error: BaseException) -> ModelError:
    with pytest.raises(ModelError) as found, border("m", URL, "KEY_NAME"):
        raise error
    return found.value


def of_status(status: int, message: str = "no", headers: dict[str, str] | None = None, **body: object) -> ModelError:
    http = __import__(openai.DefaultHttpxClient.__mro__[1].__module__.split(".")[0])
    response = http.Response(status, headers=headers or {}, request=http.Request("POST", URL))
    return raised(openai.APIStatusError(message, response=response, body={"message": message, **body}))


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, ModelError, "put a valid key into KEY_NAME"),
        (403, ModelError, "a key with access into KEY_NAME"),
        (404, ModelError, "ends in /v1"),
        (408, ModelTimeoutError, "took too long"),
        (409, ModelUnavailableError, "status 409"),
        (418, ModelError, "status 418.*no"),
        (429, RateLimitError, "lower `concurrency`"),
        (500, ModelUnavailableError, "status 500"),
        (503, ModelUnavailableError, "status 503"),
    ],
)
def test_each_status_says_what_to_do(status: int, kind: type[ModelError], says: str) -> None:
    found = of_status(status)
    assert type(found) is kind
    with pytest.raises(kind, match=says):
        raise found


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_prompt_over_the_window_is_its_own_error(status: int) -> None:
    assert type(of_status(status, "This model's maximum context length is 4096 tokens")) is PromptTooLongError
    assert type(of_status(status, "bad field")) is ModelError


def test_a_code_says_it_as_well_as_words() -> None:
    assert type(of_status(400, "bad", code="context_length_exceeded")) is PromptTooLongError


def test_an_empty_account_is_not_asked_again() -> None:
    found = of_status(429, "insufficient_quota: you ran out")
    assert type(found) is ModelError
    assert "no quota left" in str(found)


def test_how_long_to_wait_is_handed_on() -> None:
    found = of_status(429, headers={"retry-after": "7"})
    assert isinstance(found, RateLimitError)
    assert found.retry_after == 7.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "2.5"}, 2.5),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
    ],
)
def test_seconds_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_wait_for_is_counted_from_now() -> None:
    found = retry_after({"retry-after": email.utils.formatdate(time.time() + 90)})
    assert found is not None
    assert 80 < found <= 90


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConnectionResetError("gone"), ModelUnavailableError),
        (EOFError(), ModelUnavailableError),
        (json.JSONDecodeError("x", "doc", 0), ReplyError),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), ReplyError),
        (KeyError("choices"), ReplyError),
        (RecursionError(), ReplyError),
    ],
)
def test_a_body_that_cannot_be_read(error: Exception, kind: type[ModelError]) -> None:
    assert type(raised(error)) is kind


def test_what_is_no_fault_of_an_endpoint_passes() -> None:
    with pytest.raises(ZeroDivisionError), border("m", URL, "KEY_NAME"):
        raise ZeroDivisionError


def test_errors_of_ours_pass_as_they_are() -> None:
    own = RateLimitError("slow", 1.0)
    assert raised(own) is own


def test_a_limit_of_the_attempt_comes_through_the_client() -> None:
    inner = ReplyError("too long")
    outer = RuntimeError("stream failed")
    outer.__cause__ = inner
    assert raised(outer) is inner


def test_long_messages_are_cut() -> None:
    assert len(str(of_status(500, "x" * 5000))) < 400


@pytest.mark.parametrize(
    ("text", "says"), [("the prompt is too long", True), ("context size exceeded", True), ("too many requests", False)]
)
def test_words_for_a_prompt_that_is_too_long(text: str, says: bool) -> None:
    assert says_too_long(text) is says
