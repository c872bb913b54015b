"""What plain reading of the same passages would answer, in the lines of a context that was made of them.

A context of notes keeps little of what documents say, so a reader of passages cannot read it as it would have read them. It reads the
passages themselves (the note `read`), and the sentences that it answers with get lines of their own: within the same budget, before all
others, since the answer stands on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct.answer.base import Reader
from decoct.context.assemble import assemble
from decoct.context.casc.layout import Sections
from decoct.context.casc.notes import ReadSource
from decoct.context.quotes import narrowed, pieces
from decoct.data import Citation, Context, Draft, Outcome, Passage, Query, ShortAnswer

HEADING = "READ"


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer, or what is shown in place of one, whose marks are the numbers of lines of `context`.

    `sure` is the probability of its best words.
    """

    text: str
    context: Context
    outcome: Outcome
    answers: tuple[ShortAnswer, ...]

    @property
    def sure(self) -> float:
        """How surely its best words answer."""
        return self.answers[0].score if self.answers else 0.0


def plain_answer(reader: Reader, context: Context) -> PlainAnswer | None:
    """What `reader` answers, or shows, from the passages behind `context`; None where it finds nothing, or where nobody kept them."""
    read = tuple(note.passage for note in context.notes.get("read", ()) if isinstance(note, ReadSource))
    if not read:
        return None
    answer = reader.answer(replace(context, passages=read))
    if answer.outcome == "not-found":
        return None
    quotes = list(dict.fromkeys(_quoted(citation) for citation in answer.citations))
    draft = Draft((*quotes, *context.passages), context.notes)
    made = assemble(Query(context.question), draft, context.budget, Sections(), context.trace)
    text = answer.text
    for citation in sorted(answer.citations, key=lambda one: -one.start):
        line = _line(citation, made.passages[: len(quotes)])
        text = f"{text[: citation.start]}{f'[{line}]' if line else ''}{text[citation.end :]}"
    return PlainAnswer(text, made, answer.outcome, answer.answers)


def _quoted(citation: Citation) -> Passage:
    """The cited sentence as a passage of its own."""
    source = citation.source
    for at, span in pieces(citation.passage):
        if span.doc_id == source.doc_id and span.start <= source.start < span.end:
            start = at + source.start - span.start
            return replace(narrowed(citation.passage, start, start + source.end - source.start), title=HEADING)
    return replace(citation.passage, title=HEADING)


def _line(citation: Citation, passages: Sequence[Passage]) -> int | None:
    """The number of the line that quotes what is cited; None where the budget left it out."""
    wanted = citation.source
    for number, passage in enumerate(passages, 1):
        if passage.title == HEADING and any(
            span.doc_id == wanted.doc_id and span.start <= wanted.start < span.end for span in passage.support
        ):
            return number
    return None
