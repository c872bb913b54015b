"""Document transformation by a language model, as the recall-oriented paper (section 2) tests it: to be compared with, not to be used.

`summarise` replaces each retrieved passage by a summary, `decompose` by its atomic facts, one a line; both in a recipe are the paper's
combination. The transformations do not look at the question, as in systems that apply them before indexing; so a reply cache makes each
passage cost one request however many questions find it. Passages are taken by rank, in waves, until what was written fills the budget:
a first small wave shows how long they come out, so that few are written in vain.

A transformed passage is a `rewrite`: its support stays that of the passage, but nothing says which of its words survived. A passage whose
request fails, or whose reply cannot be read, stays as it is and is counted (`transform.failed`); one without any fact is dropped
(`transform.empty`). Kept from the paper: the two transformations per chunk and the budget counted after them. Ours: the prompts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from decoct import trace
from decoct.budget import Budget
from decoct.data import Draft, Passage, Query
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
LEAST = 4  # passages a wave: the first one, and enough for a served model's parallel slots


@dataclass(frozen=True, slots=True)
class _Way:
    """How passages are transformed: the prompt, its limits, and what reads the reply."""

    prompt: str
    max_tokens: int
    schema: dict[str, Any] | None
    read: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Summarise:
    """Each passage becomes a summary of at most `max_tokens`."""

    llm: LLM
    max_tokens: int = 160

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The summaries, in the order of the passages, until the budget is full."""
        return _transformed(self.llm, _Way("summarise", self.max_tokens, None, _summary), draft, budget)


@dataclass(frozen=True, slots=True)
class Decompose:
    """Each passage becomes its atomic facts, one a line, of at most `max_tokens` tokens."""

    llm: LLM
    max_tokens: int = 400

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The facts, in the order of the passages, until the budget is full."""
        return _transformed(self.llm, _Way("decompose", self.max_tokens, SCHEMA, _facts), draft, budget)


def _transformed(llm: LLM, way: _Way, draft: Draft, budget: Budget) -> Draft:
    prompt = _prompt(way.prompt)
    kept: list[Passage] = []
    room, at = budget.limit, 0
    while at < len(draft.passages) and room > 0:
        # After the first wave about as many as fit if they come out as long as those before.
        mean = max(1, (budget.limit - room) // max(1, len(kept)))
        wave = draft.passages[at : at + (max(LEAST, -(-room // mean)) if kept else LEAST)]
        at += len(wave)
        slots = [{"title": passage.title or "(none)", "passage": passage.text} for passage in wave]
        asked = [prompt.request(values, max_tokens=way.max_tokens, schema=way.schema) for values in slots]
        for passage, reply in zip(wave, llm.complete(asked), strict=True):
            written = _rewritten(passage, reply, way.read)
            if written is not None:
                kept.append(written)
                room -= budget.count(written.text)
    trace.count(transformed=at, kept=len(kept))
    return replace(draft, passages=tuple(kept))


def _rewritten(passage: Passage, reply: object, read: Callable[[str], str]) -> Passage | None:
    try:
        text = read(reply.text) if isinstance(reply, Reply) else None
    except ReplyError:
        text = None
    if text is None:
        trace.fallback("transform.failed")
        return passage
    if not text:
        trace.fallback("transform.empty")
        return None
    return Passage(text, passage.support, "rewrite", passage.score, passage.title)


def _summary(reply: str) -> str:
    text = reply.strip()
    if not text:
        raise ReplyError("the summary is empty", reply)
    return text


def _facts(reply: str) -> str:
    facts: Sequence[str] = json.loads(conform(reply, SCHEMA))["facts"]
    return "\n".join(fact.strip() for fact in facts if fact.strip())


@cache
def _prompt(name: str) -> Prompt:
    return load_prompt("decoct_lab.context", name, ("passage", "title"))
