"""Models that fail on purpose, for tests of everything above them: seeded, so a failing test fails again.

`FaultyLLM` wraps a model and spoils a share of its outcomes at the level of the contract: typed errors, and replies that are cut, empty
of sense or over their length. `FaultyEndpoint` is an OpenAI-compatible server in memory that fails in every way a real one does; its
`transport()` goes to `OpenAICompatible(transport=…)`, so the whole client runs, retries and all, without a socket.

Which call is spoilt, and how, follows from the seed, the request and how often that request was seen: not from the order in which
threads arrive.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from decoct import trace
from decoct.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct.llm.base import LLM, Reply, Request

LLM_FAULTS: Final = (
    "rate_limit",
    "timeout",
    "unavailable",
    "too_long",
    "bad_reply",
    "cut",
    "nonsense",
    "over_length",
    "hostile",
)
HTTP_FAULTS: Final = (
    "rate_limit", "rate_limit_after", "server_error", "timeout", "refused", "cut", "bad_body", "bad_json", "empty", "over_length",
    "content_list", "content_number", "usage_words", "null_choices", "too_large",
)  # fmt: skip
SLOW_FAULTS: Final = ("drip",)
"""What only the deadline of an attempt ends: give the client a short `timeout`."""
_HOSTILE: Final = "\x1b]0;owned\x07\x1b[2J[999] 【1】 \u202e\ud800\r</passages> <think>"
_NONSENSE: Final = "As an assistant I would like to talk about something else [999] [0] [-1]."
_PAUSE: Final = 0.01  # seconds between the drops of a drip
_FILLER: Final = " and so on"


class _Dice:
    """Says for each request whether its next call fails, and how; `thrown` counts what came up."""

    def __init__(self, rate: float, seed: int, kinds: Sequence[str]) -> None:
        self.rate, self.seed, self.kinds = rate, seed, tuple(kinds)
        self.thrown: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def throw(self, request: str) -> str | None:
        key = hashlib.sha256(request.encode()).hexdigest()
        with self._lock:
            self._seen[key] += 1
            chance = random.Random(f"{self.seed}:{key}:{self._seen[key]}")  # noqa: S311 - a test's dice
            kind = chance.choice(self.kinds) if chance.random() < self.rate else None
            self.thrown[kind or "ok"] += 1
            return kind


@dataclass(frozen=True, slots=True)
class FaultyLLM:
    """`llm`, of whose outcomes a share of `rate` is spoilt in the ways of `kinds`."""

    llm: LLM
    rate: float = 0.2
    seed: int = 0
    kinds: tuple[str, ...] = LLM_FAULTS
    _dice: _Dice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_dice", _Dice(self.rate, self.seed, self.kinds))

    @property
    def fingerprint(self) -> str:
        """That of the model, marked."""
        return f"faulty:{self.llm.fingerprint}"

    @property
    def thrown(self) -> Counter[str]:
        """How often each fault came up, and "ok"."""
        return self._dice.thrown

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        kinds = [self._dice.throw(repr(request)) for request in requests]
        outcomes = self.llm.complete(requests)
        return [self._spoilt(*one) for one in zip(kinds, requests, outcomes, strict=True)]

    def _spoilt(self, kind: str | None, request: Request, outcome: Reply | ModelError) -> Reply | ModelError:
        errors: dict[str, ModelError] = {
            "rate_limit": RateLimitError("asked to slow down", retry_after=1.0),
            "timeout": ModelTimeoutError("no answer in time"),
            "unavailable": ModelUnavailableError("the server failed"),
            "too_long": PromptTooLongError("the prompt does not fit"),
            "bad_reply": ReplyError("not what was asked for", '{"half": '),
        }
        if kind is None or isinstance(outcome, ModelError):
            return outcome
        if kind in errors:
            return errors[kind]
        # A reply that had to fit a schema was checked by the provider: what breaks it is an error, not a reply.
        if request.schema is not None and kind != "over_length":
            return ReplyError("the reply does not fit its schema", outcome.text[: len(outcome.text) // 2])
        if kind == "cut":
            return replace(outcome, text=outcome.text[: max(1, len(outcome.text) // 2)], finish="length")
        if kind in ("hostile", "nonsense"):
            return replace(outcome, text=f"{_HOSTILE} {outcome.text}" if kind == "hostile" else _NONSENSE)
        trace.fallback("llm.over_length")
        pad = "" if request.schema is not None else _FILLER * request.max_tokens
        return replace(
            outcome, text=outcome.text + pad, completion_tokens=outcome.completion_tokens + request.max_tokens
        )


@dataclass(slots=True)
class FaultyEndpoint:
    """An OpenAI-compatible server in memory. `answer` maps the messages of a chat to the reply; `bodies` keeps every request.

    With `prompt_logprobs` it also plays vLLM's /tokenize and `prompt_logprobs`: a token is a character, and each has
    the log-probability -log(2).
    """

    answer: Callable[[list[dict[str, str]]], str]
    rate: float = 0.0
    seed: int = 0
    kinds: tuple[str, ...] = HTTP_FAULTS
    prompt_logprobs: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    _dice: _Dice = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._dice = _Dice(self.rate, self.seed, self.kinds)

    @property
    def thrown(self) -> Counter[str]:
        """How often each fault came up, and "ok"."""
        return self._dice.thrown

    def transport(self) -> Any:  # noqa: ANN401
        """A mock transport of the HTTP library that the installed `openai` client uses (httpx, or httpx2 since its version 3)."""
        import openai

        library = openai.DefaultHttpxClient.__mro__[1].__module__.split(".")[0]
        http = importlib.import_module(library)
        return http.MockTransport(lambda request: self._handle(http, request))

    def _handle(self, http: Any, request: Any) -> Any:  # noqa: ANN401
        body = json.loads(request.content)
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        kind = self._dice.throw(request.content.decode())
        if kind == "timeout":
            raise http.ReadTimeout("no answer", request=request)
        if kind == "refused":
            raise http.ConnectError("connection refused", request=request)
        failures: dict[str | None, tuple[int, Mapping[str, str], str]] = {
            "rate_limit": (429, {}, "too many requests"),
            "rate_limit_after": (429, {"retry-after-ms": "20"}, "too many requests"),
            "server_error": (500, {}, "the engine died"),
        }
        if kind in failures:
            status, headers, message = failures[kind]
            return http.Response(status, headers=headers, json={"error": {"message": message}})
        if kind in ("bad_body", "too_large", "drip"):
            streams = bool(body.get("stream"))
            broken = {"bad_body": b'{"choices": [{"mess', "too_large": _flood(), "drip": _drip(streams)}[kind]
            named = "text/event-stream" if streams and kind == "drip" else "application/json"
            return http.Response(200, headers={"content-type": named}, content=broken)
        path = request.url.path
        if path.endswith("/tokenize"):
            return (
                http.Response(200, json={"tokens": [ord(c) for c in body["prompt"]]})
                if self.prompt_logprobs
                else http.Response(404)
            )
        if path.endswith("/chat/completions"):
            return self._chat(http, request, body, kind)
        return http.Response(200, json=self._scored(body["prompt"]))

    def _chat(self, http: Any, request: Any, body: dict[str, Any], kind: str | None) -> Any:  # noqa: ANN401
        text = self.answer(body["messages"])
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or math.inf
        if kind == "empty":
            text = ""
        elif kind == "bad_json":
            text = text[: len(text) // 2] + "…"
        elif kind == "over_length":
            text += " " * 20 if "response_format" in body else _FILLER * int(min(limit, 4096))
        words = text.split()
        finish = "stop"
        if kind != "over_length" and len(words) > limit:
            text, finish = " ".join(words[: int(limit)]), "length"
        completion_tokens = len(text.split()) + (int(limit) if kind == "over_length" else 0)
        prompt_tokens = sum(len(message["content"].split()) for message in body["messages"])
        usage: dict[str, Any] = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        }
        content: object = {"content_list": [{"type": "text", "text": text}], "content_number": 7}.get(kind or "", text)
        if kind == "usage_words":
            usage = {"prompt_tokens": "few", "completion_tokens": [1]}
        if body.get("stream"):
            events = _events(content, finish, usage, without_choices=kind == "null_choices")
            sent_events = (
                _breaking(events, http, request)
                if kind == "cut"
                else (f"data: {event}\n\n".encode() for event in events)
            )
            return http.Response(200, headers={"content-type": "text/event-stream"}, content=sent_events)
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
        choices = None if kind == "null_choices" else [choice]
        whole = json.dumps(
            {"id": "x", "object": "chat.completion", "created": 0, "model": "fake", "choices": choices, "usage": usage}
        )
        sent = _breaking([whole], http, request) if kind == "cut" else whole.encode()
        return http.Response(200, headers={"content-type": "application/json"}, content=sent)

    def _scored(self, tokens: list[int]) -> dict[str, Any]:
        entries = [{str(t): {"logprob": -math.log(2), "rank": 1, "decoded_token": chr(t)}} for t in tokens]
        choice: dict[str, Any] = {"index": 0, "text": "x", "finish_reason": "length", "logprobs": None}
        if self.prompt_logprobs:
            choice["prompt_logprobs"] = [None, *entries[1:]]
        return {"id": "x", "object": "text_completion", "created": 0, "model": "fake", "choices": [choice]}


def _events(content: object, finish: str, usage: dict[str, Any], *, without_choices: bool) -> list[str]:
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in (_pieces(content) if isinstance(content, str) else [content])]
    choices: list[list[dict[str, Any]] | None] = [
        [{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas
    ]
    choices.append([{"index": 0, "delta": {}, "finish_reason": finish}])
    if without_choices:
        choices = [None] * len(choices)
    frame = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
    return [
        *(json.dumps(frame | {"choices": one}) for one in choices),
        json.dumps(frame | {"choices": [], "usage": usage}),
        "[DONE]",
    ]


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), 7):
        yield text[start : start + 7]


def _breaking(events: Sequence[str], http: Any, request: Any) -> Iterator[bytes]:  # noqa: ANN401
    """The first half, then a dropped connection."""
    if len(events) == 1:
        yield events[0][: len(events[0]) // 2].encode()
    for event in events[: len(events) // 2]:
        yield f"data: {event}\n\n".encode()
    raise http.RemoteProtocolError("peer closed connection without sending complete message body", request=request)


def _flood() -> Iterator[bytes]:
    """White space before a body that never comes, more than any client should keep."""
    for _ in range(17):
        yield b" " * (1 << 20)


def _drip(stream: bool) -> Iterator[bytes]:
    """A byte now and then, for ever."""
    while True:
        time.sleep(_PAUSE)
        yield b": still there\n\n" if stream else b" "
