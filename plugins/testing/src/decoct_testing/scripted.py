"""A scripted model: the test double for everything that takes an `LLM`. It calls nothing and is part of the product.

Replies come from a list, in the order of the requests, or from a function of the request. Losses come from a unigram model that has
read the prefix and what precedes the token, with a uniform share for unseen words,

    P(w | before) = (count of w in before + MU / VOCABULARY) / (words in before + MU),

so they are worked out by hand, a text is best predicted by its own copy, and the chain rule holds exactly.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from decoct import trace
from decoct.errors import ConfigError, ModelError
from decoct.llm.base import Losses, Reply, Request, complete_one

MU: Final = 10.0
VOCABULARY: Final = 10_000
_WORD = re.compile(r"\S+")

Scripted: TypeAlias = str | Reply | ModelError


@dataclass(slots=True, eq=False)
class ScriptedLLM:
    """Answers from `replies` and keeps every request in `requests`.

    `failures` maps the number of a request (from 0, over the double's life) to the error it ends in, whatever the script says.
    `latency` is the seconds that one request takes; `concurrency` of them run at once. A token is a run of non-white space.
    """

    replies: Sequence[Scripted] | Callable[[Request], Scripted]
    failures: Mapping[int, ModelError] = field(default_factory=dict)
    latency: float = 0.0
    concurrency: int = 8
    name: str = "scripted"
    requests: list[Request] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def fingerprint(self) -> str:
        """The double's name."""
        return f"scripted:{self.name}"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        with self._lock:
            first = len(self.requests)
            self.requests.extend(requests)
        if self.latency and requests:
            time.sleep(self.latency * math.ceil(len(requests) / self.concurrency))
        outcomes = [self._outcome(first + index, request) for index, request in enumerate(requests)]
        replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
        trace.count(
            model_calls=len(requests),
            prompt_tokens=sum(reply.prompt_tokens for reply in replies),
            completion_tokens=sum(reply.completion_tokens for reply in replies),
        )
        return outcomes

    def stream(self, request: Request, sink: Callable[[str], None]) -> Reply:
        """See `SupportsStreaming.stream`: the reply word by word, with the white space before each."""
        reply = complete_one(self, request)
        for piece in re.findall(r"\s*\S+|\s+\Z", reply.text):
            sink(piece)
        return reply

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        """See `SupportsLogprobs.losses`. There is no BOS token: after an empty prefix the first word has no loss."""
        with self._lock:
            self.pairs.extend(pairs)
        trace.count(model_calls=len(pairs))
        return [_unigram(prefix, text) for prefix, text in pairs]

    def _outcome(self, number: int, request: Request) -> Reply | ModelError:
        if number in self.failures:
            return self.failures[number]
        if callable(self.replies):
            scripted = self.replies(request)
        elif number < len(self.replies):
            scripted = self.replies[number]
        else:
            raise ConfigError(
                f"the script has {len(self.replies)} replies, but this is request {number + 1}; write more"
            )
        if not isinstance(scripted, str):
            return scripted
        prompt_tokens = sum(len(message.content.split()) for message in request.messages)
        words = list(_WORD.finditer(scripted))
        if len(words) > request.max_tokens:
            return Reply(scripted[: words[request.max_tokens - 1].end()], prompt_tokens, request.max_tokens, "length")
        return Reply(scripted, prompt_tokens, len(words))


def _unigram(prefix: str, text: str) -> Losses:
    before = Counter(word.lower() for word in _WORD.findall(prefix))
    seen = before.total()
    values, offsets = [], []
    for found in _WORD.finditer(text):
        word = found[0].lower()
        if seen:
            values.append(-math.log((before[word] + MU / VOCABULARY) / (seen + MU)))
            offsets.append(found.span())
        before[word] += 1
        seen += 1
    return Losses(tuple(values), tuple(offsets))
