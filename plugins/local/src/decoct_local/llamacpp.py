"""GGUF models in this process, on llama.cpp through `xllamacpp`: generation, token counts and exact log-likelihoods.

A batch runs in `concurrency` slots of the model; each request may take `context` tokens, prompt and reply together. The model's own chat
template is used. With a schema, decoding is constrained by it, so only a reply that was cut can fail to fit. Control marks of the
template that stand in a message's text (a document that spells `<|im_end|>`) would end the turn: they are broken by a space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from decoct import trace
from decoct.errors import (
    ConfigError,
    MissingDistributionError,
    ModelError,
    ModelUnavailableError,
    PromptTooLongError,
    ReplyError,
)
from decoct.llm.attempt import Usage, run_all
from decoct.llm.base import Losses, Reply, Request, ranges
from decoct.llm.openai_wire import likeliest_of
from decoct.llm.schema import conformed
from decoct_local.llama_engine import Engine, EngineKey, available_threads, digest, engine, unload


@dataclass(frozen=True, slots=True)
class LlamaCpp:
    """The model in the file `path`. It is loaded on first use, once a process; it is also the tokenizer of budgets for it.

    `context` tokens of state are kept for each of `concurrency` slots (12 KB a token for Qwen2.5-0.5B, 28 KB for 1.5B); on a
    CPU more slots cost memory and gain little, as one reply keeps it busy. `threads` = 0 takes every processor this process may use.
    """

    path: Path
    context: int = 8192
    concurrency: int = 2
    threads: int = 0

    def __post_init__(self) -> None:
        if min(self.context, self.concurrency) < 1 or self.threads < 0:
            raise ConfigError(f"context and concurrency must be positive, not {self.context} and {self.concurrency}")
        if not self.path.is_file():
            raise ConfigError(f"there is no model file {self.path}")
        if find_spec("xllamacpp") is None:  # said now, not at the first question
            raise MissingDistributionError("a model in this process", "decoct-local", "plugins/local")

    @property
    def fingerprint(self) -> str:
        """The file's name and a hash of its contents."""
        status = self.path.stat()
        return f"local:{self.path.stem}:{digest(self.path, status.st_size, status.st_mtime_ns)}"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        return run_all(self._complete, requests, self.concurrency)

    def stream(self, request: Request, sink: Callable[[str], None]) -> Reply:
        """See `SupportsStreaming.stream`."""
        (outcome,) = run_all(lambda one, usage: self._stream(one, sink, usage), [request], 1)
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        """See `SupportsLogprobs.losses`. A prefix too long for the window beside its continuation loses its beginning (traced)."""
        vocabulary, model = self._engine.vocabulary, self._engine.losses
        begin = [] if vocabulary.bos is None else [vocabulary.bos]
        known: dict[str, list[int]] = {}
        joined = []
        for prefix, text in pairs:
            for part in (prefix, text):
                if part not in known:
                    known[part] = vocabulary.tokens(part)
            room = model.window - len(begin) - len(known[text])
            before = known[prefix]
            if len(before) > room > 0:
                before = before[-room:]
                trace.fallback("llm.prefix_cut")
            joined.append((begin + before, known[text]))
        values = model.losses(joined)
        trace.count(model_calls=len(pairs), prompt_tokens=sum(len(text) for _, text in joined))
        found = []
        for (_, text), (_, tokens), row in zip(pairs, joined, values, strict=True):
            places = ranges(text, vocabulary.pieces(tokens))[len(tokens) - len(row) :]
            found.append(Losses(tuple(map(float, row)), tuple(places)))
        return found

    def count(self, text: str) -> int:
        """See `Tokenizer.count`."""
        return len(self._engine.vocabulary.tokens(text))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """See `Tokenizer.counts`."""
        return [self.count(text) for text in texts]

    def close(self) -> None:
        """Let go of what is loaded; it is loaded again if the model is asked once more."""
        unload(self._key)

    @property
    def _key(self) -> EngineKey:
        return EngineKey(self.path.resolve(), self.context, self.concurrency, self.threads or available_threads())

    @property
    def _engine(self) -> Engine:
        return engine(self._key)

    def _fields(self, request: Request, usage: Usage) -> dict[str, Any]:
        marks = self._engine.control_marks
        messages = []
        for message in request.messages:
            content, broken = marks.subn(lambda mark: f"{mark[0][0]} {mark[0][1:]}", message.content)
            if broken:
                usage.fallbacks["llm.control_mark"] += broken
            messages.append({"role": message.role, "content": content})
        fields = {
            "messages": messages,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stop": list(request.stop),
        }
        if request.likeliest:
            fields |= {"logprobs": True, "top_logprobs": request.likeliest}
        if request.schema is not None:
            named = {"name": "reply", "schema": dict(request.schema)}
            fields["response_format"] = {"type": "json_schema", "json_schema": named}
        return fields

    def _complete(self, request: Request, usage: Usage) -> Reply:
        fields = self._fields(request, usage)
        usage.counts["model_calls"] += 1
        answer = self._call(fields, None)
        choice = _checked(answer, self.path.stem)["choices"][0]
        text = choice["message"].get("content") or ""
        reply = self._reply(request, text, choice["finish_reason"], answer["usage"], usage)
        return replace(reply, likeliest=likeliest_of(choice))

    def _stream(self, request: Request, sink: Callable[[str], None], usage: Usage) -> Reply:
        fields = self._fields(request, usage) | {"stream": True, "stream_options": {"include_usage": True}}
        usage.counts["model_calls"] += 1
        pieces: list[str] = []
        state: dict[str, Any] = {"finish": None, "usage": {}}
        problems: list[BaseException] = []

        def take(event: Any) -> bool:  # noqa: ANN401 - JSON
            """Whether to stop. An exception must not cross into C++: it is kept, and raised when the call is back."""
            try:
                for choice in _checked(event, self.path.stem)["choices"][:1]:
                    state["finish"] = choice["finish_reason"] or state["finish"]
                    if piece := choice["delta"].get("content"):
                        pieces.append(piece)
                        sink(piece)
                state["usage"] = event.get("usage") or state["usage"]
            except BaseException as error:  # noqa: BLE001
                problems.append(error)
                return True
            return False

        self._call(fields, take)
        if problems:
            raise problems[0]
        return self._reply(request, "".join(pieces), state["finish"], state["usage"], usage)

    def _call(self, fields: dict[str, Any], take: Callable[[Any], bool] | None) -> Any:  # noqa: ANN401
        try:
            return self._engine.server.handle_chat_completions(fields, take)
        except (
            ValueError
        ) as error:  # a schema that llama.cpp cannot turn into a grammar, a template that refuses the turns
            raise ModelError(f"{self.path.stem} cannot take this request: {error}") from error
        except RuntimeError as error:
            raise ModelUnavailableError(f"{self.path.stem} failed: {error}") from error

    def _reply(self, request: Request, text: str, finish: str | None, spent: dict[str, int], usage: Usage) -> Reply:
        prompt_tokens, completion_tokens = spent.get("prompt_tokens", 0), spent.get("completion_tokens", 0)
        usage.counts.update(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        if not text.strip():
            raise ReplyError(f"{self.path.stem} wrote nothing; word the prompt otherwise or raise max_tokens", text)
        reply = Reply(text, prompt_tokens, completion_tokens, "length" if finish == "length" else "stop")
        return reply if request.schema is None else conformed(reply, request)


def _checked(answer: Any, name: str) -> Any:  # noqa: ANN401 - JSON
    """`answer`, if it is not one of the server's errors."""
    if "choices" in answer:
        return answer
    error = answer.get("error", answer)
    message, kind, code = str(error.get("message", error)), str(error.get("type", "")), error.get("code", 500)
    if "exceed_context_size" in kind:
        raise PromptTooLongError(
            f"the prompt does not fit the window of {name}: {message}; raise `context` or lower the budget"
        )
    if isinstance(code, int) and 400 <= code < 500:
        raise ModelError(f"{name} refused the request: {message}")
    raise ModelUnavailableError(f"{name} failed: {message}")
