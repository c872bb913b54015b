"""Prompt log-probabilities of a vLLM server, through its `prompt_logprobs` extension.

The token ids of prefix and continuation come from the server's /tokenize, apart, so that the border is exact; the joined ids go to the
completions endpoint with `prompt_logprobs = 0` (the log-probability of the token that stands there and no others) and one generated
token, which is thrown away. vLLM does not use its prefix cache for such requests: each pair costs one prefill.

Token ids are kept with the open client: whoever compares one text with many (merging does, layer on layer) asks for each text once. Both
calls go through the client's plain `post`: its typed ones walk every token id and every log-probability, a third of the time of a call.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import openai

from decoct.errors import ModelError, ReplyError
from decoct.llm.attempt import Usage
from decoct.llm.base import Losses, ranges

_Known: TypeAlias = "OrderedDict[tuple[str, int, str], list[int]]"
# Texts whose token ids are kept a client, the last used: those of many questions, at most some 20 MB.
_KEPT = 2048
_known: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class PromptLogprobs:
    """The two calls, on an open client."""

    client: Any
    model: str
    address: str

    def tokens(self, item: tuple[int, str], usage: Usage) -> list[int]:
        """The token ids of a text: of a prefix (0, text) with the model's BOS token if it has one, of a continuation (1, text) without."""
        part, text = item
        key = (self.model, part, text)
        with _lock:
            known = _known.setdefault(self.client, OrderedDict())
            if key in known:
                known.move_to_end(key)
                return known[key]
        url = self.address.removesuffix("/v1") + "/tokenize"
        fields = {"model": self.model, "prompt": text, "add_special_tokens": part == 0}
        try:
            answer: Any = self.client.post(url, body=fields, cast_to=object)
        except openai.NotFoundError as error:
            raise self._unable("no /tokenize") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("tokens"), list):
            raise self._unable("no token ids")
        if not all(isinstance(token, int) for token in answer["tokens"]):
            raise ReplyError(f"{self.address} sent token ids that are no numbers", str(answer["tokens"])[:2000])
        found: list[int] = answer["tokens"]
        with _lock:
            known[key] = found
            if len(known) > _KEPT:
                known.popitem(last=False)
        return found

    def losses(self, item: tuple[list[int], list[int], str], usage: Usage) -> Losses:
        """The losses of one continuation; the first token of all has none."""
        prefix, continuation, text = item
        joined = prefix + continuation
        if not continuation or len(joined) < 2:
            return Losses((), ())
        usage.counts["model_calls"] += 1
        fields = {"model": self.model, "prompt": joined, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        answer: Any = self.client.post("/completions", body=fields, cast_to=object)
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise ReplyError(f"{self.address} sent a reply without choices", str(answer)[:2000])
        entries = choices[0].get("prompt_logprobs")
        if entries is None:
            raise self._unable("no prompt_logprobs in the reply")
        usage.counts["prompt_tokens"] += len(joined)
        first = len(prefix)
        try:
            # What stands first of all was not predicted: its entry is null and its spelling unknown.
            found = [entries[i][str(joined[i])] if i else None for i in range(first, len(joined))]
            pieces = [str(one["decoded_token"]).encode() if one else b"\xff" for one in found]
            values = tuple(-float(one["logprob"]) for one in found if one)
            if any(map(math.isnan, values)):
                raise ValueError("a log-probability that is no number")  # noqa: TRY301
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ReplyError(
                f"{self.address} sent prompt log-probabilities of other tokens", str(entries)[:2000]
            ) from error
        return Losses(values, tuple(ranges(text, pieces)[0 if first else 1 :]))

    def _unable(self, sign: str) -> ModelError:
        return ModelError(
            f"{self.model} at {self.address} gives no prompt log-probabilities ({sign}); use a vLLM server or a local model"
        )
