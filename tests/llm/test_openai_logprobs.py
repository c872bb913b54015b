"""Prompt log-probabilities: what is asked of the server, and what is not asked twice."""

from __future__ import annotations

import importlib
import json
import threading
from typing import Any

import pytest

from decoct.errors import ModelError, ReplyError
from decoct.llm.attempt import Retry
from decoct.llm.openai_compatible import OpenAICompatible
from decoct_lab.llm import openai_logprobs
from decoct_lab.llm.faults import FaultyEndpoint


def _model(transport: Any) -> OpenAICompatible:
    return OpenAICompatible("m", "http://localhost:1/v1", transport=transport, retry=Retry(1, sleep=lambda _: None))


def _endpoint() -> FaultyEndpoint:
    return FaultyEndpoint(lambda _: "", prompt_logprobs=True)


# The HTTP library of the installed `openai` client.
http = importlib.import_module(type(_endpoint().transport()).__module__.split(".")[0])


def _asked(endpoint: FaultyEndpoint) -> list[str]:
    return [body["prompt"] for body in endpoint.bodies if "add_special_tokens" in body]


def test_a_texts_tokens_are_asked_for_once() -> None:
    endpoint = _endpoint()
    llm = _model(endpoint.transport())
    first = llm.losses([("a", "x"), ("b", "x")])
    assert sorted(_asked(endpoint)) == ["a", "b", "x"]
    assert llm.losses([("a", "x"), ("b", "x"), ("c", "x")])[:2] == first
    assert sorted(_asked(endpoint)) == ["a", "b", "c", "x"]
    # As a prefix a text begins with the model's BOS, as a continuation it does not: not the same ids.
    llm.losses([("x", "a")])
    assert sorted(_asked(endpoint)) == ["a", "a", "b", "c", "x", "x"]


def test_another_client_asks_for_itself_and_no_more_than_the_last_used_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openai_logprobs, "_KEPT", 2)
    one, other = _endpoint(), _endpoint()
    llm = _model(one.transport())
    llm.losses([("a", "x")])
    llm.losses([("a", "x"), ("b", "x")])  # drops whichever of "a" and "x" was used before the other
    llm.losses([("b", "x")])
    assert len(_asked(one)) <= 4
    _model(other.transport()).losses([("a", "x")])
    assert sorted(_asked(other)) == ["a", "x"]


def test_what_failed_is_asked_again() -> None:
    calls = []
    down = threading.Event()
    down.set()

    def answer(request: Any) -> Any:
        body = json.loads(request.content)
        calls.append(body)
        if down.is_set():
            return http.Response(500)
        if request.url.path.endswith("/tokenize"):
            return http.Response(200, json={"tokens": list(map(ord, body["prompt"]))})
        entries = [None, *({str(t): {"logprob": -1.0, "decoded_token": chr(t)}} for t in body["prompt"][1:])]
        return http.Response(200, json={"choices": [{"prompt_logprobs": entries}]})

    llm = _model(http.MockTransport(answer))
    with pytest.raises(ModelError):
        llm.losses([("", "ab")])
    down.clear()
    (found,) = llm.losses([("a", "b")])
    assert found.values == (1.0,)
    (last,) = [body for body in calls if "prompt_logprobs" in body]
    assert last == {
        "model": "m", "prompt": [97, 98], "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0,
    }  # fmt: skip


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": None}, {"choices": ["x"]}, ["x"]])
def test_a_reply_without_choices_is_named_and_tried_again(answer: Any) -> None:
    scored = []

    def serve(request: Any) -> Any:
        if request.url.path.endswith("/tokenize"):
            return http.Response(200, json={"tokens": [1, 2]})
        scored.append(request)
        return http.Response(200, json=answer)

    with pytest.raises(ReplyError, match="without choices"):
        _model(http.MockTransport(serve)).losses([("a", "b")])
    assert len(scored) == 2
