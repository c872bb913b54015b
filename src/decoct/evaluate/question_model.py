"""Questions from passages by a language model: question, short answer, and the numbers of the sentences that hold it, under a schema.

The round trip: the model answers its own question from those sentences alone, and must give the same answer (token F1 of at least .5).
A reply that cannot be read, names a sentence that is not there, or whose answer does not stand in its sentences, gives no question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct import trace
from decoct.errors import ReplyError
from decoct.evaluate.metrics.accuracy import word_accuracy
from decoct.evaluate.metrics.token_f1 import token_f1
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.text.sentences import sentences

SCHEMA = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "answer": {"type": "string"},
        "sentences": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["question", "answer", "sentences"],
    "additionalProperties": False,
}
SAME = 0.5  # "12 May 1912" and "May 1912" are one answer, "1912" and "1921" are not
_POINTING = ("passage", "the text", "this article", "the document", "sentence")


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question made of characters `start` to `end` of a text, with its answer and the name of the way it was made."""

    question: str
    answer: str
    start: int
    end: int
    kind: str


def from_texts(llm: LLM, passages: Sequence[tuple[str, str]]) -> list[MadeQuestion | None]:
    """One question for each (title, text), None where none came of it; every question has made the round trip."""
    prompt = _prompt("question_model", "sentences", "title")
    numbered = [_numbered(text) for _, text in passages]
    asked = [
        prompt.request({"title": title or "(none)", "sentences": lines}, max_tokens=160, schema=SCHEMA)
        for (title, _), lines in zip(passages, numbered, strict=True)
    ]
    written = [_read(text, reply) for (_, text), reply in zip(passages, llm.complete(asked), strict=True)]
    return _round_trip(llm, [text for _, text in passages], written)


def _numbered(text: str) -> str:
    return "\n".join(f"{number}. {text[a:b].strip()}" for number, (a, b) in enumerate(sentences(text), 1))


def _read(text: str, reply: object) -> MadeQuestion | None:
    if not isinstance(reply, Reply):
        trace.fallback("questions.failed")
        return None
    try:
        data: dict[str, Any] = json.loads(conform(reply.text, SCHEMA))
    except ReplyError:
        trace.fallback("questions.unreadable")
        return None
    bounds = sentences(text)
    chosen = sorted({n for n in data["sentences"] if 1 <= n <= len(bounds)})
    question, answer = data["question"].strip(), data["answer"].strip()
    if not chosen or not question or not answer or any(word in question.casefold() for word in _POINTING):
        trace.fallback("questions.unusable")
        return None
    start, end = bounds[chosen[0] - 1][0], bounds[chosen[-1] - 1][1]
    if not word_accuracy(text[start:end], [answer]):
        trace.fallback("questions.answer_not_there")
        return None
    return MadeQuestion(question, answer, start, end, "model")


def _round_trip(llm: LLM, texts: Sequence[str], written: Sequence[MadeQuestion | None]) -> list[MadeQuestion | None]:
    prompt = _prompt("question_answer", "question", "text")
    kept = list(written)
    places = [i for i, made in enumerate(written) if made is not None]
    asked = [
        prompt.request({"text": texts[i][made.start : made.end], "question": made.question}, max_tokens=60)
        for i in places
        if (made := written[i]) is not None
    ]
    for i, reply in zip(places, llm.complete(asked) if asked else [], strict=True):
        made = written[i]
        if made is None or not isinstance(reply, Reply) or token_f1(reply.text, [made.answer]) < SAME:
            trace.fallback("questions.lost_on_the_way_back")
            kept[i] = None
    return kept


@cache
def _prompt(name: str, *slots: str) -> Prompt:
    return load_prompt("decoct.evaluate", name, slots)
