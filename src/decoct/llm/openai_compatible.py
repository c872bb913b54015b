"""Any endpoint that speaks the OpenAI protocol: OpenAI itself, vLLM, llama.cpp's server, Ollama and many hosted ones.

A batch runs in `concurrency` threads; the client's own retries are off, so that one loop (`decoct.llm.attempt`, with the client's
policy) covers HTTP failures, dropped streams and empty replies alike and can count them. With a schema the endpoint is asked to
constrain its output; the reply is checked all the same and, where it does not fit, asked for once more with the misfit named.

Endpoints differ in what they take: newer OpenAI models refuse `max_tokens` or a temperature, others know no JSON schema
(`openai_wire`). A parameter that is refused by name is replaced or left out and this is remembered; where less was sent than asked
for, the trace records the fallback.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from decoct.errors import ConfigError, MissingExtraError, ModelError, ReplyError
from decoct.llm.attempt import Retry, Usage, attempting, bounded_client, run_all
from decoct.llm.base import Losses, Message, Reply, Request
from decoct.llm.openai_wire import Spent, body, border, message_of, piece_of, refused_parameter
from decoct.llm.prompts import load_prompt
from decoct.llm.schema import conformed

_Outcome = TypeVar("_Outcome")

OPENAI_URL: Final = "https://api.openai.com/v1"
_SHOWN: Final = 300  # characters of an endpoint's own words in a message


@dataclass(frozen=True, slots=True)
class OpenAICompatible:
    """A model at an endpoint. The key is read from the environment variable `api_key_env` and shown nowhere.

    `timeout` is in seconds for one attempt, from connecting to the last byte (`attempt`). `transport` replaces the network in tests.
    Close it when done, or leave it to the end of the process.
    """

    model: str
    base_url: str = OPENAI_URL
    api_key_env: str = "OPENAI_API_KEY"
    concurrency: int = 8
    timeout: float = 120.0
    retry: Retry = field(default_factory=Retry)
    transport: Any = field(default=None, repr=False, compare=False)
    _client: Any = field(init=False, repr=False, compare=False)
    _refused: set[str] = field(init=False, repr=False, compare=False, default_factory=set)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc or parts.query:
            raise ConfigError(
                "base_url must be a plain address such as http://localhost:8000/v1; keys go into the environment variable "
                f"{self.api_key_env}"
            )
        if self.concurrency < 1:
            raise ConfigError(f"concurrency must be at least 1, not {self.concurrency}")
        try:
            import openai
        except ModuleNotFoundError as error:
            if error.name != "openai":
                raise
            raise MissingExtraError("a model behind an OpenAI-compatible endpoint", "openai") from error
        key = os.environ.get(self.api_key_env, "")
        if not key and parts.hostname == urlsplit(OPENAI_URL).hostname:
            raise ConfigError(f"{self.base_url} needs a key: set the environment variable {self.api_key_env}")
        client = openai.OpenAI(
            api_key=key or "none",  # local servers take any key, but the client insists on one
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=0,
            http_client=bounded_client(openai, self.transport),
        )
        object.__setattr__(self, "_client", client)

    def __reduce__(self) -> tuple[Any, ...]:
        # In another process it is opened anew: the key is in that one's environment, and never travels.
        return OpenAICompatible, tuple(getattr(self, one.name) for one in fields(self) if one.init)

    @property
    def fingerprint(self) -> str:
        """Model and address."""
        return f"openai:{self.model}@{self.base_url}"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        return run_all(self._complete, requests, self.concurrency)

    def stream(self, request: Request, sink: Callable[[str], None]) -> Reply:
        """See `SupportsStreaming.stream`. Tried again only while nothing was handed out; a reply that breaks off is a `ReplyError`."""
        (outcome,) = run_all(lambda one, usage: self._stream(one, sink, usage), [request], 1)
        return _good(outcome)

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        """See `SupportsLogprobs.losses`; `ModelError` where the endpoint gives no prompt log-probabilities (vLLM does)."""
        from decoct import plugins

        endpoint = plugins.load("losses", "openai", "the log-probabilities of prompts")(
            self._client, self.model, self.base_url
        )
        texts = list(dict.fromkeys(text for pair in pairs for text in enumerate(pair)))
        tokens = dict(
            zip(texts, map(_good, run_all(self._retried(endpoint.tokens), texts, self.concurrency)), strict=True)
        )
        joined = [(tokens[0, prefix], tokens[1, text], text) for prefix, text in pairs]
        return [_good(one) for one in run_all(self._retried(endpoint.losses), joined, self.concurrency)]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _border(self) -> AbstractContextManager[None]:
        return border(self.model, self.base_url, self.api_key_env)

    def _retried(self, work: Callable[[Any, Usage], Any]) -> Callable[[Any, Usage], Any]:
        def attempt(item: Any, usage: Usage) -> Any:  # noqa: ANN401
            with attempting(self.timeout), self._border():
                return work(item, usage)

        return lambda item, usage: self.retry.call(lambda: attempt(item, usage), usage)

    def _complete(self, request: Request, usage: Usage) -> Reply:
        reply = self._ask(request, usage)
        if request.schema is None:
            return reply
        try:
            return conformed(reply, request)
        except ReplyError as error:
            if reply.finish == "length":
                raise  # the same limit would cut the next one too
            usage.fallbacks["llm.repair"] += 1
            return conformed(self._ask(_repair(request, reply, error), usage), request)

    def _ask(self, request: Request, usage: Usage) -> Reply:
        def attempt() -> Reply | ModelError:
            with attempting(self.timeout):
                said = message_of(self._create(request, usage, stream=False), self._where)
            if said.refusal:
                return ReplyError(f"{self.model} refused to answer: {said.refusal[:_SHOWN]}", said.refusal)
            reply = self._reply(request, said.text, said.finish, said.spent, usage)
            return replace(reply, likeliest=said.likeliest) if isinstance(reply, Reply) else reply

        return _good(self.retry.call(attempt, usage))

    def _stream(self, request: Request, sink: Callable[[str], None], usage: Usage) -> Reply:
        pieces: list[str] = []

        def attempt() -> Reply | ModelError:
            try:
                finish, spent = self._read(request, usage, pieces, sink)
            except ModelError as error:
                if not pieces:
                    raise
                return ReplyError(f"the reply broke off ({error}); ask again", "".join(pieces))
            if finish is None:
                broken = ReplyError(f"the reply of {self._where} broke off; ask again", "".join(pieces))
                if not pieces:
                    raise broken
                return broken
            return self._reply(request, "".join(pieces), finish, spent, usage)

        reply = _good(self.retry.call(attempt, usage))
        return reply if request.schema is None else conformed(reply, request)

    def _read(
        self, request: Request, usage: Usage, pieces: list[str], sink: Callable[[str], None]
    ) -> tuple[str | None, Spent | None]:
        """Hand out the pieces of a stream; return why it ended (None if it just stopped) and the usage it reported."""
        finish, spent = None, None
        with attempting(self.timeout) as limits, closing(self._create(request, usage, stream=True)) as stream:
            events = iter(stream)
            while True:
                with self._border():
                    event = next(events, None)
                if event is None:
                    return finish, spent
                piece = piece_of(event, self._where)
                finish, spent = piece.finish or finish, piece.spent or spent
                if piece.text:
                    pieces.append(piece.text)
                    with limits.paused():
                        sink(piece.text)

    @property
    def _where(self) -> str:
        return f"{self.model} at {self.base_url}"

    def _create(self, request: Request, usage: Usage, *, stream: bool) -> Any:  # noqa: ANN401
        import openai

        refused = set(self._refused)
        while True:
            fields, lost = body(self.model, request, stream=stream, refused=refused)
            usage.counts["model_calls"] += 1
            with self._border():
                try:
                    answer = self._client.chat.completions.create(**fields)
                except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                    name, lasting = refused_parameter(error, fields)
                    if name is None:
                        raise
                    refused.add(name)
                    if lasting:
                        self._refused.add(name)
                else:
                    usage.fallbacks.update(f"llm.no_{name}" for name in lost)
                    return answer

    def _reply(
        self, request: Request, text: str, finish: str | None, spent: Spent | None, usage: Usage
    ) -> Reply | ModelError:
        if spent is None:
            usage.fallbacks["llm.no_usage"] += 1
        took = spent or Spent(0, 0)
        usage.counts.update(asdict(took))
        if took.completion_tokens > request.max_tokens:
            usage.fallbacks["llm.over_length"] += 1
        if finish == "content_filter":
            return ReplyError(f"{self._where} withheld the reply by its content filter", text)
        if not text.strip() and finish == "length":
            return ReplyError(
                f"{self.model} used all of max_tokens = {request.max_tokens} before it wrote anything; raise it"
            )
        if not text.strip():
            raise ReplyError(f"{self._where} sent an empty reply")
        return Reply(text, took.prompt_tokens, took.completion_tokens, "length" if finish == "length" else "stop")


def _good(outcome: _Outcome | ModelError) -> _Outcome:
    if isinstance(outcome, ModelError):
        raise outcome
    return outcome


def _repair(request: Request, reply: Reply, error: ReplyError) -> Request:
    prompt = load_prompt("decoct.llm", "repair", ("misfit", "schema"))
    turns = prompt.render({"misfit": str(error), "schema": json.dumps(request.schema)})
    return replace(request, messages=(*request.messages, Message("assistant", reply.text), *turns))
