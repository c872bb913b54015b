"""The reader that a language model is: it answers from the context alone, and every citation it writes is checked.

One call at temperature 0. Style `short` asks for the answer at once; `reasoned` for a thought first, and takes what follows the first
"Answer:" (the form of HippoRAG 2's reader, in our own words), or the whole reply where that is missing (counted as
`cited.no-answer-mark`). A reply that says the context holds no answer becomes `found=False` without citations; one that was cut, or that
cites nothing, is kept and counted (`cited.cut`, `cited.uncited`); an empty one is a `ReplyError`. An empty context asks no model.
How a reply is read, at once or as it is written, stands in `reply`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from decoct import trace
from decoct.answer.base import NO_ANSWER, NO_CONTEXT, handed_to
from decoct.answer.reply import ReplyText, Style
from decoct.data import Answer, Context
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply, Request, SupportsStreaming, complete_one
from decoct.llm.prompts import Prompt, load_prompt

_PROMPTS = {"short": "cited", "reasoned": "cited_reasoned"}
_MAX_TOKENS = {"short": 256, "reasoned": 1024}  # a few sentences; with the thought before them
_SLOTS = ("context", "question", "no_answer")


@dataclass(frozen=True, slots=True)
class Cited:
    """Asks `llm` for a cited answer in a `style`; `max_tokens` 0 leaves the length of the reply to the style."""

    llm: LLM
    style: Style = "short"
    max_tokens: int = 0

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The model's answer with its citations; raises the model's typed error, or `ReplyError` for an empty reply."""
        if not context.passages:
            return handed_to(sink, Answer(NO_CONTEXT, (), context, found=False))
        request = self.request(context)
        if sink is not None and hasattr(self.llm, "stream"):
            text = ReplyText(self.style, context, sink)
            reply = cast("SupportsStreaming", self.llm).stream(request, text.feed)
            return _ended(text, reply)
        return handed_to(sink, self.read(complete_one(self.llm, request), context))

    @property
    def prompt(self) -> Prompt:
        """The prompt of its style."""
        return load_prompt("decoct.answer", _PROMPTS[self.style], _SLOTS)

    def request(self, context: Context) -> Request:
        """What is asked of the model on a context with passages: for callers that ask many at once."""
        values = {"context": context.text, "question": context.question, "no_answer": NO_ANSWER}
        return self.prompt.request(values, max_tokens=self.max_tokens or _MAX_TOKENS[self.style])

    def read(self, reply: Reply, context: Context) -> Answer:
        """The answer in a reply to `request`; `ReplyError` where there is none."""
        text = ReplyText(self.style, context)
        text.feed(reply.text)
        return _ended(text, reply)


def _ended(text: ReplyText, reply: Reply) -> Answer:
    if reply.finish == "length":
        trace.fallback("cited.cut")
    answer = text.answer()
    if answer is None:
        raise ReplyError("the model gave no answer; try again, another model, or a larger max_tokens", reply.text)
    return answer
