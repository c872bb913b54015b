"""What plain reading of the same passages would answer, in the lines of a context that was made of them, and who of them says otherwise.

A context of notes keeps little of what documents say, so a reader of passages cannot read it as it would have read them. It reads the
passages themselves (the note `read`), and the sentences that it answers with get lines of their own: within the same budget, before all
others, since the answer stands on them.

An answer is read in one document or two; the others may say otherwise, and beside the surest words theirs are too weak to be told. So each
document in which the answer does not stand is read by itself, and what it answers with other words is another side (`elsewhere`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from decoct.answer.base import QuotingReader, Reader
from decoct.context.assemble import assemble
from decoct.context.casc.claims import same_answer
from decoct.context.casc.notes import ReadSource, Sections
from decoct.context.casc.synthesise import CONFLICTS
from decoct.context.casc.upheld import far_behind, proposed
from decoct.context.marks import shielded
from decoct.context.quotes import narrowed, pieces
from decoct.data import Answer, Citation, Context, Draft, Passage, Query, ShortAnswer
from decoct.reading.base import log_odds
from decoct.reading.second import SecondReader, SecondReading, StatementToRead
from decoct.text.values import value_of
from decoct.text.words import content_stems

HEADING = "READ"
HEARD = 0.3
"""How likely the words of a document are right, read by itself, for it to be another side."""
_MOST = 3  # sides beside the answer


@dataclass(frozen=True, slots=True)
class OtherSide:
    """What a document answers, read by itself: its best words with their probability, and the sentence, as a line of its own."""

    said: ShortAnswer
    quote: Passage


def read_passages(context: Context) -> tuple[Passage, ...]:
    """The passages behind `context`; none where nobody kept them."""
    return tuple(note.passage for note in context.notes.get("read", ()) if isinstance(note, ReadSource))


def plain_answer(reader: Reader, context: Context) -> Answer | None:
    """What `reader` answers, or shows, from the passages behind `context`, or its own quotes where nobody kept them; None for nothing."""
    read = read_passages(context) or tuple(passage for passage in context.passages if passage.kind == "quote")
    if not read:
        return None
    answer = reader.answer(replace(context, passages=read))
    return None if answer.outcome == "not-found" else answer


def elsewhere(
    reader: Reader,
    context: Context,
    said: Sequence[tuple[str, StatementToRead]],
    heard: Collection[str],
    second: SecondReader | None = None,
) -> list[OtherSide]:
    """What the documents behind `context` but those of `heard` answer with other words than `said`, in their order, each value once.

    What `second` finds to answer far less than the statements of `said`, or to be only proposed, is no other side.
    """
    asked = reader.with_(caution=HEARD) if isinstance(reader, QuotingReader) else reader
    by_document: dict[str, list[Passage]] = {}
    for passage in read_passages(context):
        by_document.setdefault(passage.support[0].doc_id, []).append(passage)
    told, found, asked_words = list(said), list[OtherSide](), content_stems(context.question)
    for doc_id, passages in by_document.items():
        if doc_id in heard:
            continue
        answer = asked.answer(replace(context, passages=tuple(passages)))
        if answer.outcome != "answer" or not answer.answers or not answer.citations:
            continue
        best, quote = answer.answers[0], _quoted(answer.citations[0])
        if not any(_says(best.text, quote.text, one, asked_words) for one, _ in told):
            told.append((best.text, statement(context.question, quote.text, answer.citations[0].passage.title)))
            found.append(OtherSide(best, quote))
    if second is not None and found:
        odds = [log_odds(_strongest(one)) for one in second.read([one for _, one in told])]
        silent = [
            far or wish for far, wish in zip(far_behind(odds), proposed(second, context.question, told), strict=True)
        ]
        found = [side for side, one in zip(found, silent[len(said) :], strict=True) if not one]
    return found[:_MOST]


def statement(question: str, sentence: str, title: str = "") -> StatementToRead:
    """A sentence by itself."""
    return StatementToRead(question, sentence, 0, len(sentence), title)


def _strongest(one: SecondReading) -> float:
    return max(one.answers, one.yes, one.no)


def _says(words: str, sentence: str, other: str, asked: frozenset[str]) -> bool:
    """Whether words, or the sentence that they stand in, say what `other` does; a weight denies no price."""
    mine, theirs = value_of(words), value_of(other)
    same = same_answer(mine, theirs, asked)
    if same is None and mine.kind == theirs.kind == "number":
        return True
    return same is True or other.casefold() in sentence.casefold()


def with_lines(context: Context, quotes: Iterable[Passage]) -> Context:
    """`context` with lines of its own for `quotes`, before all others and within the same budget."""
    draft = Draft((*dict.fromkeys(quotes), *context.passages), context.notes)
    return assemble(Query(context.question), draft, context.budget, Sections(), context.trace)


def beside_passages(context: Context) -> Context:
    """The passages behind `context`, whole, after a line for each of its conflicts; `context` itself where the budget has no room for them.

    What a language model reads: notes alone keep from it what it would have read in short documents.
    """
    read = tuple(replace(passage, title=HEADING) for passage in read_passages(context))
    lines = tuple(passage for passage in context.passages if passage.title == CONFLICTS)
    whole = Draft((*lines, *read), context.notes)
    if not read or not context.budget.fits(Sections().render(whole)):
        return context
    return assemble(Query(context.question), whole, context.budget, Sections(), context.trace)


def quotes_of(answer: Answer) -> list[Passage]:
    """The sentences that an answer cites, as lines."""
    return [_quoted(citation) for citation in answer.citations]


def marked(answer: Answer, context: Context) -> str:
    """The text of a plain answer, its marks the numbers of the lines of `context` that quote what is cited."""
    return with_marks(answer, lambda citation: line_quoting(citation.source.doc_id, citation.source.start, context))


def with_marks(answer: Answer, number: Callable[[Citation], int | None]) -> str:
    """The text of an answer with other numbers in its marks, none where there is None; its words are shielded from who parses it."""
    text, at = "", 0
    for citation in answer.citations:
        line = number(citation)
        text += f"{shielded(answer.text[at : citation.start])}{f'[{line}]' if line else ''}"
        at = citation.end
    return text + shielded(answer.text[at:])


def _quoted(citation: Citation) -> Passage:
    """The cited sentence as a passage of its own."""
    source = citation.source
    for at, span in pieces(citation.passage):
        if span.doc_id == source.doc_id and span.start <= source.start < span.end:
            start = at + source.start - span.start
            return replace(narrowed(citation.passage, start, start + source.end - source.start), title=HEADING)
    return replace(citation.passage, title=HEADING)


def line_quoting(doc_id: str, start: int, context: Context) -> int | None:
    """The number of the line that quotes character `start` of a document; None where the budget left it out."""
    for number, passage in enumerate(context.passages, 1):
        if passage.title == HEADING and any(
            span.doc_id == doc_id and span.start <= start < span.end for span in passage.support
        ):
            return number
    return None
