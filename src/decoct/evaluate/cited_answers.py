"""The reader that cites, as `decoct ask` does (`decoct.answer.cited`), asked in batches: what citation precision and recall are taken on.

It words its answers as that reader does, so its token F1 is not comparable with the short reader's (`answers`); a run uses one of them.
Answers are scored without their marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct.answer.cited import Cited
from decoct.data import Context
from decoct.errors import ModelError
from decoct.evaluate.answers import UNASKED, ReadAnswer, asked_once, read_from, unmarked
from decoct.llm.base import LLM, Reply
from decoct.trace import recording


@dataclass(frozen=True, slots=True)
class CitedAnswers:
    """Reads contexts with `llm` and tells which passages each answer cites."""

    llm: LLM
    cites: bool = True

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the reader's prompt."""
        return Cited(self.llm).prompt.fingerprint

    @property
    def model(self) -> str:
        """The model's fingerprint."""
        return self.llm.fingerprint

    def answer(self, contexts: Sequence[Context]) -> list[ReadAnswer | ModelError]:
        """One outcome a context, in order; an empty context asks no model."""
        reader = Cited(self.llm)
        requests = [reader.request(context) if context.passages else None for context in contexts]
        outcomes, share = asked_once(self.llm, [request for request in requests if request is not None])
        return [
            _read_answer(reader, context, outcomes[request], share)
            if request is not None
            else _unasked(reader, context)
            for context, request in zip(contexts, requests, strict=True)
        ]


def _read_answer(reader: Cited, context: Context, outcome: Reply | ModelError, share: float) -> ReadAnswer | ModelError:
    if isinstance(outcome, ModelError):
        return outcome
    try:
        with recording() as trace:
            answer = reader.read(outcome, context)
    except ModelError as error:
        return error
    read = read_from(outcome, share, unmarked(answer.text))
    return replace(read, citations=answer.citations, fallbacks=dict(trace.fallbacks))


def _unasked(reader: Cited, context: Context) -> ReadAnswer:
    return replace(UNASKED, text=unmarked(reader.answer(context).text))
