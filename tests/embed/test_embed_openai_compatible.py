"""The OpenAI-compatible embedder against a server on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np
import pytest

from decoct.embed.openai_compatible import OpenAICompatibleEmbedder
from decoct.errors import (
    ConfigError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct_testing.embedder_contract import EmbedderContract
from decoct_testing.hash_embedder import HashEmbedder

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, str], str]]


def vectors(request: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    """As the API answers, in reversed order (it promises an index, not an order) and not of unit length."""
    rows = 3 * HashEmbedder(16).embed(request["input"], "passage")
    data = [{"object": "embedding", "index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]
    body = {
        "object": "list",
        "model": request["model"],
        "data": data[::-1],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    return 200, {}, json.dumps(body)


def failure(status: int, message: str, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "x"}})
    return lambda _: (status, {key.replace("_", "-"): value for key, value in headers.items()}, body)


class Endpoint:
    """A server that gives the next of `answers` (the last again and again) and keeps the requests."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [vectors]
        self.requests: list[dict[str, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.requests.append(request)
                answer = endpoint.answers.pop(0) if len(endpoint.answers) > 1 else endpoint.answers[0]
                status, headers, body = answer(request)
                self.send_response(status)
                for key, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


class TestOpenAICompatible(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    def embedder(self, endpoint: Endpoint) -> OpenAICompatibleEmbedder:
        return OpenAICompatibleEmbedder("hash", endpoint.url)


def test_texts_go_in_batches_and_come_back_in_order(endpoint: Endpoint) -> None:
    texts = ["one", "two", "three", "four", ""]
    got = OpenAICompatibleEmbedder("hash", endpoint.url, batch=2).embed(texts, "passage")
    assert [request["input"] for request in endpoint.requests] == [["one", "two"], ["three", "four"], [" "]]
    assert got == pytest.approx(HashEmbedder(16).embed(texts, "passage"), abs=1e-6)


def test_the_dimension_is_asked_once(endpoint: Endpoint) -> None:
    embedder = OpenAICompatibleEmbedder("hash", endpoint.url)
    assert [embedder.dimension, embedder.dimension] == [16, 16]
    assert len(endpoint.requests) == 1
    assert embedder.fingerprint == "openai:hash"


def test_a_failure_that_passes_is_retried(endpoint: Endpoint) -> None:
    endpoint.answers = [failure(500, "busy", retry_after_ms="1"), failure(429, "slow", retry_after_ms="1"), vectors]
    got = OpenAICompatibleEmbedder("hash", endpoint.url).embed(["a"], "query")
    assert np.linalg.norm(got) == pytest.approx(1)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (failure(429, "slow", retry_after="7"), RateLimitError, "slow down"),
        (failure(503, "down"), ModelUnavailableError, "503"),
        (failure(401, "bad key"), ConfigError, "401"),
        (failure(404, "no such model"), ConfigError, "check the model's name 'hash'"),
        (failure(400, "maximum context length is 8192"), PromptTooLongError, "8192"),
        (lambda _: (200, {}, "<html>"), ReplyError, "is not JSON"),
        (lambda _: (200, {}, '{"data": []}'), ReplyError, "0 vectors for 1"),
        (lambda _: (200, {}, '{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}'), ReplyError, "zero or not finite"),
    ],
)
def test_what_fails_for_good_is_typed(endpoint: Endpoint, answer: Answer, error: type[Exception], message: str) -> None:
    endpoint.answers = [answer]
    with pytest.raises(error, match=message):
        OpenAICompatibleEmbedder("hash", endpoint.url, retries=0).embed(["a"], "query")


def test_retry_after_is_handed_on(endpoint: Endpoint) -> None:
    endpoint.answers = [failure(429, "slow", retry_after="7")]
    with pytest.raises(RateLimitError) as caught:
        OpenAICompatibleEmbedder("hash", endpoint.url, retries=0).embed(["a"], "query")
    assert caught.value.retry_after == 7


def test_no_answer_and_no_server(endpoint: Endpoint) -> None:
    released = threading.Event()

    def late(request: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        released.wait(400)
        return vectors(request)

    endpoint.answers = [late]
    with pytest.raises(ModelTimeoutError, match="did not answer in time"):
        OpenAICompatibleEmbedder("hash", endpoint.url, retries=0, timeout=0.1).embed(["a"], "query")
    released.set()
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        OpenAICompatibleEmbedder("hash", "http://127.0.0.1:9/v1", retries=0).embed(["a"], "query")


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="set OPENAI_API_KEY"):
        OpenAICompatibleEmbedder("text-embedding-3-small").embed(["a"], "query")
