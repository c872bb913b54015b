"""The reader that cites, as `decoct ask` does (`decoct.answer.cited`), asked in batches: what citation precision and recall are taken on.

It words its answers as that reader does, so its token F1 is not comparable with the short reader's (`answers`); a run uses one of them.
Answers are scored without their marks. The reader asks one question at a time, a model answers a batch; so the reader is gone through
twice: the first time its requests are only collected, the second time each meets its reply.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from decoct.answer.cited import Cited
from decoct.data import Context
from decoct.errors import ModelError
from decoct.evaluate.answers import Told, unmarked
from decoct.llm.base import LLM, Reply, Request
from decoct.llm.prompts import load_prompt
from decoct.trace import recording


@dataclass(frozen=True, slots=True)
class CitedAnswers:
    """Reads contexts with `llm` and tells which passages each answer cites."""

    llm: LLM
    cites: bool = True

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the reader's prompt."""
        return load_prompt("decoct.answer", "cited", ("context", "question", "no_answer")).fingerprint

    @property
    def model(self) -> str:
        """The model's fingerprint."""
        return self.llm.fingerprint

    def answer(self, contexts: Sequence[Context]) -> list[Told | ModelError]:
        """One outcome a context, in order; an empty context asks no model."""
        wanted = _Wanted(self.llm.fingerprint)
        for context in contexts:
            if context.passages:
                try:
                    Cited(wanted).answer(context)
                except _CollectedError:
                    continue
        distinct = list(dict.fromkeys(wanted.requests))
        start = time.perf_counter()
        outcomes = dict(zip(distinct, self.llm.complete(distinct), strict=True)) if distinct else {}
        fresh = sum(isinstance(outcome, Reply) and not outcome.cached for outcome in outcomes.values())
        given = _Given(self.llm.fingerprint, outcomes)
        share = (time.perf_counter() - start) / max(fresh, 1)
        return [_told(context, given, share) for context in contexts]


class _CollectedError(ModelError):
    """The request was noted; there is no reply yet."""


@dataclass(slots=True)
class _Wanted:
    """A model that only notes what it is asked."""

    fingerprint: str
    requests: list[Request] = field(default_factory=list)

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        self.requests += requests
        return [_CollectedError("collected") for _ in requests]


@dataclass(slots=True)
class _Given:
    """A model whose replies are there; `last` is the newest it gave."""

    fingerprint: str
    outcomes: Mapping[Request, Reply | ModelError]
    last: Reply | None = None

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        found = [self.outcomes[request] for request in requests]
        self.last = next((one for one in found if isinstance(one, Reply)), None)
        return found


def _told(context: Context, given: _Given, share: float) -> Told | ModelError:
    given.last = None
    try:
        with recording() as trace:
            answer = Cited(given).answer(context)
    except ModelError as error:
        return error
    reply = given.last or Reply("")
    return Told(
        unmarked(answer.text),
        reply.prompt_tokens,
        reply.completion_tokens,
        int(given.last is not None),
        reply.cached,
        0.0 if given.last is None or reply.cached else share,
        unreadable=False,
        citations=answer.citations,
        fallbacks=dict(trace.fallbacks),
    )
