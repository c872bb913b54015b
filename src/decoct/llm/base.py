"""The language-model contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from decoct.errors import ModelError

# Bytes that one token without a spelling of its own may stand for; beyond it a match is taken for chance.
_REACH = 16
Role: TypeAlias = Literal["system", "user", "assistant"]
Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One completion wanted. `schema` is a JSON schema that the reply must satisfy; `prompt` the fingerprint of the prompt used.

    `likeliest` asks how likely that many of the first tokens were that the reply might have begun with.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 512
    temperature: float = 0.0
    schema: Schema | None = field(default=None, hash=False)
    stop: tuple[str, ...] = ()
    seed: int = 0
    prompt: str = ""
    likeliest: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `finish` is "length" when `max_tokens` cut it; `cached` when no model was called for it.

    `likeliest` holds tokens that it might have begun with and their log-probabilities, where they were asked for and the model tells them.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: Literal["stop", "length"] = "stop"
    cached: bool = False
    likeliest: tuple[tuple[str, float], ...] = ()


class LLM(Protocol):
    """A language model. Thread-safe. The only place in Decoct with concurrency.

    `fingerprint` names provider, model and weights: it is part of every cache key and every run's record.
    """

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """One outcome a request, in order; a request that fails for good is its typed error, the others are not lost.

        Transient failures are retried before. Usage is added to the trace (model_calls, prompt_tokens, completion_tokens;
        of replies from the cache cache_hits, cached_prompt_tokens, cached_completion_tokens).
        """


class SupportsStreaming(Protocol):
    """A model that can hand out its reply as it is written."""

    def stream(self, request: Request, sink: Callable[[str], None]) -> Reply:
        """Call `sink` with each piece of text as it comes; return the whole reply; raise the typed error."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Negative log-likelihoods (nats) of a text's tokens, with the token's character ranges in the text."""

    values: tuple[float, ...]
    offsets: tuple[tuple[int, int], ...]

    @property
    def mean(self) -> float:
        """The mean over the tokens; inf where there is none."""
        return sum(self.values) / len(self.values) if self.values else float("inf")


class SupportsLogprobs(Protocol):
    """A model that can say how well it predicts a text."""

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        """For each (prefix, continuation): -log P of every token of the continuation given the prefix and what precedes it.

        Prefix and continuation are tokenised apart, so the border is exact. Pairs that share a prefix cost its evaluation once. With
        an empty prefix the first token has no prediction and is left out (unless the model begins with a BOS token).
        """


def complete_one(llm: LLM, request: Request) -> Reply:
    """The reply to one request; raises its typed error."""
    (outcome,) = llm.complete([request])
    if isinstance(outcome, ModelError):
        raise outcome
    return outcome


def ranges(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Half-open character ranges of the tokens that spell `text`, in order, one a piece."""
    data = text.encode()
    if pieces and b"".join(pieces) == b" " + data:
        pieces = [pieces[0][1:], *pieces[1:]]
    character = [index for index, char in enumerate(text) for _ in char.encode()] + [len(text)]
    found: list[tuple[int, int]] = []
    position, unspelt = 0, 0
    for piece in pieces:
        start = data.find(piece, position, position + len(piece) + _REACH * unspelt)
        if start < 0:
            unspelt += 1
            found.append((position, -1))
            continue
        _close(found, unspelt, start)
        position, unspelt = start + len(piece), 0
        found.append((start, position))
    _close(found, unspelt, len(data))
    return [(character[start], character[end - 1] + 1 if end > start else character[start]) for start, end in found]


def _close(found: list[tuple[int, int]], unspelt: int, end: int) -> None:
    for index in range(len(found) - unspelt, len(found)):
        found[index] = (found[index][0], end)
