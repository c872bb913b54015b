"""What an endpoint sent as a chat completion, read strictly: anything of another shape is a `ReplyError`, never a fault of ours.

The client builds its objects without checking them, so any attribute may be anything that JSON can be.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from decoct.errors import ReplyError

_SHOWN = 2000
# Half of a pair, from an escape in the JSON: no tokenizer and no file takes it.
_SURROGATE = re.compile("[\ud800-\udfff]")


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
    return Said(_SURROGATE.sub("\ufffd", content or ""), finish, refusal or "", spent, likeliest_of(choice))


def likeliest_of(choice: Any) -> tuple[tuple[str, float], ...]:  # noqa: ANN401
    """The first token's alternatives with their log-probabilities, as a choice tells them; none for what is told otherwise or not."""
    content = _get(_get(choice, "logprobs"), "content")
    told = _get(content[0], "top_logprobs") if isinstance(content, list) and content else None
    pairs = [(_get(one, "token"), _get(one, "logprob")) for one in (told if isinstance(told, list) else ())]
    return tuple(
        (_SURROGATE.sub("\ufffd", token), float(value))
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
