"""The OpenAI-compatible provider against a server in memory: the whole client runs, without a socket."""

import gzip
import json
import math
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct import trace
from decoct.errors import (
    ConfigError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct.llm import attempt
from decoct.llm.attempt import Retry
from decoct.llm.base import LLM, Reply, complete_one
from decoct.llm.openai_compatible import OpenAICompatible
from decoct_lab.llm.faults import HTTP_FAULTS, SLOW_FAULTS, FaultyEndpoint
from decoct_testing.llm_contract import COLOUR, LLMContract, ask

Turns = list[dict[str, str]]


def _talk(messages: Turns) -> str:
    return '{"colour": "red"}' if "JSON" in messages[-1]["content"] else f"You said: {messages[-1]['content']}"


def _model(endpoint: FaultyEndpoint | None = None, transport: Any = None, **settings: Any) -> OpenAICompatible:
    settings = {"retry": Retry(2, sleep=lambda _: None), **settings}
    transport = transport if endpoint is None else endpoint.transport()
    return OpenAICompatible("m", "http://localhost:1/v1", transport=transport, **settings)


def _always(status: int, **answer: Any) -> Any:
    """A transport that answers every call alike."""
    http = __import__(FaultyEndpoint(_talk).transport().__class__.__module__.split(".")[0])
    return http.MockTransport(lambda request: http.Response(status, **answer))


class TestContract(LLMContract):
    @pytest.fixture
    def llm(self) -> LLM:
        return _model(FaultyEndpoint(_talk, prompt_logprobs=True))


def test_secrets_are_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    endpoint = FaultyEndpoint(_talk)
    llm = _model(endpoint, api_key_env="MY_KEY")
    assert llm.fingerprint == "openai:m@http://localhost:1/v1"
    complete_one(llm, ask("hi"))
    assert endpoint.headers[0]["authorization"] == "Bearer sk-very-secret"
    refused = _model(
        transport=_always(401, json={"error": {"message": "Incorrect API key provided: sk-very-secret"}}),
        api_key_env="MY_KEY",
    )
    (error,) = refused.complete([ask("hi")])
    assert isinstance(error, ModelError)
    assert "MY_KEY" in str(error)
    for shown in (repr(llm), llm.fingerprint, str(error)):
        assert "sk-very" not in shown


@pytest.mark.parametrize(
    "url", ["http://user:pass@localhost/v1", "http://localhost/v1?key=x", "localhost:8000", "file:///x"]
)
def test_an_address_is_plain(url: str) -> None:
    with pytest.raises(ConfigError, match="plain address") as caught:
        OpenAICompatible("m", url)
    assert "pass" not in str(caught.value)


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAICompatible("gpt-4o-mini")


@pytest.mark.parametrize(
    ("status", "answer", "expected", "says"),
    [
        (429, {"headers": {"retry-after": "7"}, "json": {"error": {"message": "slow"}}}, RateLimitError, "slow down"),
        (429, {"json": {"error": {"message": "pay", "code": "insufficient_quota"}}}, ModelError, "no quota left"),
        (408, {"json": {}}, ModelTimeoutError, "took too long"),
        (409, {"json": {}}, ModelUnavailableError, "409"),
        (503, {"text": "<html>busy</html>"}, ModelUnavailableError, "503"),
        (403, {"json": {}}, ModelError, "OPENAI_API_KEY"),
        (404, {"json": {"error": {"message": "no such model"}}}, ModelError, "'m'"),
        (
            400,
            {"json": {"error": {"message": "too much", "code": "context_length_exceeded"}}},
            PromptTooLongError,
            "window of m",
        ),
        (
            400,
            {"json": {"message": "This model's maximum context length is 9 tokens; lower max_tokens"}},
            PromptTooLongError,
            "budget",
        ),
        (400, {"json": {"error": {"message": "no"}}}, ModelError, "status 400"),
        (
            200,
            {"text": "<html>hello</html>", "headers": {"content-type": "text/html"}},
            ReplyError,
            "without a message",
        ),
        (200, {"content": b"{", "headers": {"content-type": "application/json"}}, ReplyError, "not JSON"),
        (200, {"json": {"choices": []}}, ReplyError, "without a message"),
    ],
)
def test_every_failure_is_a_typed_error(
    status: int, answer: dict[str, Any], expected: type[ModelError], says: str
) -> None:
    (outcome,) = _model(transport=_always(status, **answer)).complete([ask("hi")])
    assert type(outcome) is expected
    assert says in str(outcome)
    if isinstance(outcome, RateLimitError):
        assert outcome.retry_after == 7.0


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("timeout", ModelTimeoutError), ("refused", ModelUnavailableError), ("cut", ModelUnavailableError)],
)
def test_the_network_fails(kind: str, expected: type[ModelError]) -> None:
    endpoint = FaultyEndpoint(_talk, rate=1.0, kinds=(kind,))
    (outcome,) = _model(endpoint).complete([ask("hi")])
    assert type(outcome) is expected
    assert endpoint.thrown == {kind: 3}


MALFORMED = ("content_list", "content_number", "usage_words", "null_choices")


@pytest.mark.parametrize("kind", [*MALFORMED, "too_large", "bad_body"])
def test_a_malformed_reply_is_a_reply_error(kind: str) -> None:
    endpoint = FaultyEndpoint(_talk, rate=1.0, kinds=(kind,))
    (outcome,) = _model(endpoint, retry=Retry(0)).complete([ask("hi")])
    assert type(outcome) is ReplyError
    if kind in MALFORMED:
        with pytest.raises(ReplyError):
            _model(endpoint, retry=Retry(0)).stream(ask("hi"), lambda _: None)


KEYS = st.sampled_from(
    ["choices", "message", "delta", "content", "usage", "prompt_tokens", "finish_reason", "refusal", "error", "code", "param", "type"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([200, 400, 422, 429, 500]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_json_is_a_reply_or_a_typed_error(body: Any, status: int, stream: bool) -> None:
    if not stream:
        (outcome,) = _model(transport=_always(status, json=body), retry=Retry(0)).complete([ask("hi")])
        assert isinstance(outcome, Reply | ModelError)
        return
    events = f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n".encode()
    llm = _model(
        transport=_always(status, content=events, headers={"content-type": "text/event-stream"}), retry=Retry(0)
    )
    with suppress(ModelError):
        llm.stream(ask("hi"), lambda _: None)


def test_a_compressed_reply_is_refused() -> None:
    packed = gzip.compress(b" " * (1 << 20))
    transport = _always(200, content=packed, headers={"content-encoding": "gzip"})
    (outcome,) = _model(transport=transport).complete([ask("hi")])
    assert isinstance(outcome, ReplyError)
    assert "compressed" in str(outcome)


@pytest.mark.parametrize("stream", [False, True])
def test_a_drip_ends_at_the_deadline_of_the_attempt(stream: bool) -> None:
    llm = _model(FaultyEndpoint(_talk, rate=1.0, kinds=SLOW_FAULTS), timeout=0.2, retry=Retry(0))

    def call() -> Reply:
        return llm.stream(ask("hi"), lambda _: None) if stream else complete_one(llm, ask("hi"))

    with pytest.raises(ModelTimeoutError):  # the drip itself never ends
        call()


DRIPS = {
    "nothing": [],
    "headers": [b"HTTP/1.1 200 OK\r\nX-Slow: ", *[b"a"] * 10_000],
    "body": [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n", *[b" "] * 10_000],
    "a body that stops": [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n", *[b" "] * 16],
}  # fmt: skip


@pytest.mark.parametrize("drip", DRIPS)
def test_a_real_connection_ends_at_the_deadline_too(drip: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                for piece in DRIPS[drip]:  # for longer than any test may take, so that only a deadline ends it
                    connection.sendall(piece)
                    if done.wait(0.05):
                        return
                done.wait()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            llm = OpenAICompatible("m", f"http://127.0.0.1:{server.getsockname()[1]}/v1", timeout=1.0, retry=Retry(0))
            start = time.monotonic()
            (outcome,) = llm.complete([ask("hi")])
            assert type(outcome) is ModelTimeoutError
            assert time.monotonic() - start > 0.9
        finally:
            done.set()
            thread.join()


def test_the_time_of_the_sink_is_not_the_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[str] = []
    clock = [0.0]  # stands still but for the sink
    monkeypatch.setattr(attempt, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slow(piece: str) -> None:
        pieces.append(piece)
        clock[0] += 1.0

    reply = _model(FaultyEndpoint(_talk), timeout=0.9).stream(ask("a question of some length"), slow)
    assert len(pieces) > 3
    assert "".join(pieces) == reply.text


def test_retries_honour_the_server() -> None:
    waits: list[float] = []
    endpoint = FaultyEndpoint(_talk, rate=1.0, kinds=("rate_limit_after",))
    with trace.recording(), trace.stage("ask") as stage:
        _model(endpoint, retry=Retry(2, waits.append)).complete([ask("hi")])
    assert waits == [0.02, 0.02]
    assert stage.counts == {"model_calls": 3, "retries": 2}


def test_parameters_are_sent() -> None:
    endpoint = FaultyEndpoint(_talk)
    complete_one(_model(endpoint), ask("JSON", schema=COLOUR, stop=("x",), max_tokens=9, temperature=0.5, seed=3))
    (body,) = endpoint.bodies
    assert body["messages"] == [{"role": "user", "content": "JSON"}]
    assert (body["max_tokens"], body["temperature"], body["seed"], body["stop"]) == (9, 0.5, 3, ["x"])
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": COLOUR, "strict": True},
    }


def test_a_misfit_is_repaired_once() -> None:
    replies = ['{"color": "red"}', '{"colour": "red"}']
    endpoint = FaultyEndpoint(lambda _: replies.pop(0))
    with trace.recording() as recorded:
        reply = complete_one(_model(endpoint), ask("JSON", schema=COLOUR))
    assert reply.text == '{"colour": "red"}'
    assert recorded.fallbacks == {"llm.repair": 1}
    repair = endpoint.bodies[1]["messages"]
    assert [turn["role"] for turn in repair] == ["user", "assistant", "user"]
    assert "reply: 'colour' is a required property" in repair[2]["content"]


def test_a_misfit_that_stays_is_an_error_with_the_raw_reply() -> None:
    endpoint = FaultyEndpoint(lambda _: "red, I think")
    (outcome,) = _model(endpoint).complete([ask("JSON", schema=COLOUR)])
    assert isinstance(outcome, ReplyError)
    assert outcome.reply == "red, I think"
    assert len(endpoint.bodies) == 2


def test_json_that_was_cut_is_not_repaired() -> None:
    endpoint = FaultyEndpoint(lambda _: '{"colour": "red and green and blue"}')
    (outcome,) = _model(endpoint).complete([ask("JSON", schema=COLOUR, max_tokens=3)])
    assert isinstance(outcome, ReplyError)
    assert "max_tokens = 3" in str(outcome)
    assert len(endpoint.bodies) == 1


def _picky(refused: str, message: str) -> tuple[Any, list[dict[str, Any]]]:
    endpoint = FaultyEndpoint(_talk)
    inner = endpoint.transport()
    http = __import__(type(inner).__module__.split(".")[0])

    def handle(request: Any) -> Any:
        if refused in json.loads(request.content):
            return http.Response(
                400, json={"error": {"message": message, "param": refused, "code": "unsupported_parameter"}}
            )
        return inner.handle_request(request)

    return http.MockTransport(handle), endpoint.bodies


def test_a_newer_limit_is_used_where_the_older_is_refused() -> None:
    transport, bodies = _picky(
        "max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    )
    llm = _model(transport=transport)
    with trace.recording() as recorded, trace.stage("ask") as stage:
        complete_one(llm, ask("hi", max_tokens=9))
        complete_one(llm, ask("ho", max_tokens=9))
    assert [body["max_completion_tokens"] for body in bodies] == [9, 9]
    assert stage.counts["model_calls"] == 3  # the refusal is remembered
    assert recorded.fallbacks == {}


@pytest.mark.parametrize("name", ["temperature", "response_format"])
def test_a_refused_parameter_is_left_out_and_traced(name: str) -> None:
    transport, bodies = _picky(name, f"'{name}' is not supported")
    with trace.recording() as recorded:
        reply = complete_one(_model(transport=transport), ask("JSON", schema=COLOUR))
    assert reply.text == '{"colour": "red"}'
    assert recorded.fallbacks == {f"llm.no_{name}": 1}
    if name == "response_format":
        assert json.dumps(COLOUR) in bodies[0]["messages"][-1]["content"]


def test_a_stream_that_breaks_off_is_an_error_with_what_came() -> None:
    endpoint = FaultyEndpoint(_talk, rate=1.0, kinds=("cut",))
    pieces: list[str] = []
    with pytest.raises(ReplyError, match="broke off") as caught:
        _model(endpoint).stream(ask("hi there you"), pieces.append)
    assert caught.value.reply == "".join(pieces) != ""
    assert endpoint.thrown == {"cut": 1}


def test_a_stream_is_tried_again_before_its_first_piece() -> None:
    endpoint = FaultyEndpoint(_talk, rate=1.0, kinds=("server_error",))
    with pytest.raises(ModelUnavailableError):
        _model(endpoint).stream(ask("hi"), lambda _: None)
    assert endpoint.thrown == {"server_error": 3}


def test_a_failing_sink_is_the_callers_error() -> None:
    def sink(piece: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _model(FaultyEndpoint(_talk)).stream(ask("hi"), sink)


def test_losses_by_hand() -> None:
    llm = _model(FaultyEndpoint(_talk, prompt_logprobs=True))
    given, bare = llm.losses([("pre", "añb"), ("", "ab")])
    assert given.values == pytest.approx([math.log(2)] * 3)
    assert given.offsets == ((0, 1), (1, 2), (2, 3))
    assert (len(bare.values), bare.offsets) == (1, ((1, 2),))


def test_an_endpoint_without_log_probabilities_says_so() -> None:
    with pytest.raises(ModelError, match="gives no prompt log-probabilities"):
        _model(FaultyEndpoint(_talk)).losses([("a", "b")])


@pytest.mark.parametrize("schema", [None, COLOUR])
def test_a_fifth_of_the_calls_fail_in_every_way_and_no_question_is_lost(schema: dict[str, Any] | None) -> None:
    endpoint = FaultyEndpoint(_talk, rate=0.2, seed=1)
    llm = _model(endpoint, concurrency=8, retry=Retry(3, sleep=lambda _: None))
    requests = [ask(f"JSON {n}" if schema else f"q{n}", schema=schema, max_tokens=64) for n in range(300)]
    with trace.recording() as recorded, trace.stage("ask") as stage:
        outcomes = llm.complete(requests)
    assert set(endpoint.thrown) == {*HTTP_FAULTS, "ok"}
    assert len(outcomes) == 300
    good = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    assert len(good) >= 297
    assert all(isinstance(outcome, Reply | ModelError) for outcome in outcomes)
    assert stage.counts["model_calls"] == endpoint.thrown.total()
    assert recorded.fallbacks["llm.over_length"] == endpoint.thrown["over_length"]
    # The same again, though threads arrive in another order: what fails follows from seed and request.
    again = _model(FaultyEndpoint(_talk, rate=0.2, seed=1), concurrency=3, retry=Retry(3, sleep=lambda _: None))
    assert [str(outcome) for outcome in again.complete(requests)] == [str(outcome) for outcome in outcomes]


def test_order_never_depends_on_timing() -> None:
    import random
    import time

    def slow(messages: Turns) -> str:
        time.sleep(random.random() / 200)
        return messages[-1]["content"]

    answers: Callable[[Turns], str] = slow
    outcomes = _model(FaultyEndpoint(answers), concurrency=16).complete([ask(f"q{n}") for n in range(64)])
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == [f"q{n}" for n in range(64)]
