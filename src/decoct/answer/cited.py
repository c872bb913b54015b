"""The reader that a language model is: it answers from the context alone, and every citation it writes is checked.

One call at temperature 0. Style `short` asks for the answer at once; `reasoned` for a thought first, and takes what follows the first
"Answer:" (the form of HippoRAG 2's reader, METHODS 2.5, in our own words), or the whole reply where that is missing (counted as
`cited.no-answer-mark`). A reply that says the context holds no answer becomes `found=False` without citations; one that was cut, or that
cites nothing, is kept and counted (`cited.cut`, `cited.uncited`); an empty one is a `ReplyError`. An empty context asks no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from decoct import trace
from decoct.answer.citations import cited
from decoct.answer.not_found import NO_ANSWER, NO_CONTEXT, says_not_found
from decoct.data import Answer, Context
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply, Request, SupportsStreaming, complete_one
from decoct.llm.prompts import Prompt, load_prompt

_PROMPTS = {"short": "cited", "reasoned": "cited_reasoned"}
_MAX_TOKENS = {"short": 256, "reasoned": 1024}  # a few sentences; with the thought before them
_SLOTS = ("context", "question", "no_answer")
_ANSWER = re.compile(r"\banswer\s*:[*_]*\s*", re.IGNORECASE)
_THINKING = re.compile(r"\s*<think>.*?(?:</think>|\Z)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cited:
    """Asks `llm` for a cited answer; `max_tokens` 0 leaves the length of the reply to the style."""

    llm: LLM
    style: Literal["short", "reasoned"] = "short"
    max_tokens: int = 0

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The model's answer with its citations; raises the model's typed error, or `ReplyError` for an empty reply."""
        if not context.passages:
            return _told(Answer(NO_CONTEXT, (), context, found=False), sink)
        request = self.request(context)
        if sink is not None and hasattr(self.llm, "stream"):
            gate = _Gate(sink, self.style)
            reply = cast("SupportsStreaming", self.llm).stream(request, gate)
            answer = self.read(reply, context)
            return answer if gate.is_open else _told(answer, sink)
        return _told(self.read(complete_one(self.llm, request), context), sink)

    @property
    def prompt(self) -> Prompt:
        """The prompt of its style."""
        return load_prompt("decoct.answer", _PROMPTS[self.style], _SLOTS)

    def request(self, context: Context) -> Request:
        """What is asked of the model on a context with passages: for callers that ask many at once."""
        # A document that closes the tag would step out of the data.
        passages = re.sub(r"<(/?)(passages>)", r"< \1\2", context.text, flags=re.IGNORECASE)
        values = {"context": passages, "question": context.question, "no_answer": NO_ANSWER}
        return self.prompt.request(values, max_tokens=self.max_tokens or _MAX_TOKENS[self.style])

    def read(self, reply: Reply, context: Context) -> Answer:
        """The answer in a reply to `request`; `ReplyError` where there is none."""
        text = _THINKING.sub("", reply.text, count=1)
        mark = _ANSWER.search(text) if self.style == "reasoned" else _ANSWER.match(text.lstrip())
        if mark is not None:
            text = text[mark.end() :] if self.style == "reasoned" else text.lstrip()[mark.end() :]
        elif self.style == "reasoned":
            trace.fallback("cited.no-answer-mark")
        if reply.finish == "length":
            trace.fallback("cited.cut")
        text, citations = cited(text.strip(), context)
        if not text:
            raise ReplyError("the model gave no answer; try again, another model, or a larger max_tokens", reply.text)
        if says_not_found(text) and (not citations or NO_ANSWER.lower() in text.lower()):
            return Answer(NO_ANSWER, (), context, found=False)
        if not citations:
            trace.fallback("cited.uncited")
        return Answer(text, citations, context)


def _told(answer: Answer, sink: Callable[[str], None] | None) -> Answer:
    if sink is not None:
        sink(answer.text)
    return answer


class _Gate:
    """Passes on the pieces of a streamed reply that belong to the answer: not its thinking, nor what stands before "Answer:"."""

    def __init__(self, sink: Callable[[str], None], style: str) -> None:
        self.is_open = False
        self._sink, self._style, self._held = sink, style, ""

    def __call__(self, piece: str) -> None:
        if self.is_open:
            self._sink(piece)
            return
        self._held += piece
        rest = self._answer()
        if rest:
            self.is_open = True
            self._sink(rest)

    def _answer(self) -> str:
        """The answer's part of what is held back so far; empty while that cannot be told."""
        text = self._held.lstrip()
        if text[:7] == "<think>"[: len(text)] and "</think>" not in text:
            return ""
        text = _THINKING.sub("", text, count=1)
        mark = _ANSWER.search(text)
        if mark is not None:
            return text[mark.end() :]
        is_prefix = "answer:".startswith(text[:7].lower())
        return "" if self._style == "reasoned" or is_prefix else text
