"""Words found in passages, and answers written of the sentences that hold them, each quoted and cited.

What may be quoted at all is told in `quotable.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from textwrap import dedent

from decoct.answer.claim_evidence import ClaimForm
from decoct.answer.sources import quoted_at
from decoct.data import Answer, Citation, Context, Passage, ShortAnswer
from decoct.documents.matter import without_matter
from decoct.reading.base import AnswerSpan, Reading
from decoct.text.quotable import is_item, is_prose, is_row, leads, with_what_it_leads_into, without_item_mark
from decoct.text.sentences import sentences
from decoct.text.struck import STRUCK

_UNSURE = "No passage clearly answers this. The best ones:"
_ALSO = "See also: "
_DISAGREE = "The sources disagree:"
_MARK = "→ "
_AROUND = 250  # characters shown on either side of a statement: the answer often stands beside it
_QUOTATION_MARKS = str.maketrans("", "", "\"'`´‘’“”„«»‹›")


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage, what was read in it, and its place among those of the context (from 0)."""

    passage: Passage
    reading: Reading
    rank: int


@dataclass(frozen=True, slots=True)
class FoundWords:
    """`words` at `place` of a passage's text, inside `sentence` of it; `judged` where they do not stand there but follow from it.

    `steps` are the places in `sentence` that are an answer each, where the words are the first of several steps. `form` is how they were
    found, `span` what the reader said of them.
    """

    read: ReadPassage
    sentence: tuple[int, int]
    place: tuple[int, int]
    words: str
    weight: float
    judged: bool = False
    steps: tuple[tuple[int, int], ...] = ()
    form: ClaimForm = "words"
    span: AnswerSpan | None = None

    @property
    def quote(self) -> str:
        """The words of `sentence`."""
        return self.read.passage.text[slice(*self.sentence)]

    @property
    def announces(self) -> bool:
        """Whether the words only announce what stands behind their sentence ("followed by a status character:")."""
        last = self.read.passage.text[self.place[1] : self.sentence[1]].strip(" *_")
        return last == ":" or (not last and leads(self.quote))

    @property
    def is_blank(self) -> bool:
        """Whether its place, or its sentence, holds nothing but white space: that is in no document, and answers nothing."""
        return not (self.quote.strip() and self.read.passage.text[slice(*self.place)].strip())


def together(found: Sequence[FoundWords]) -> FoundWords:
    """The surest of the places that say the same, as sure as all of them are together."""
    best = max(found, key=lambda one: one.weight)
    doubt = 1.0
    for one in found:
        doubt *= 1 - one.weight
    return replace(best, weight=1 - doubt)


def best_sentence(read: ReadPassage) -> tuple[int, int] | None:
    """The sentence of the passage that reads most like evidence, of those of running text; with the list that it leads into."""
    fitting = [s for s in read.reading.sentences if is_prose(read.passage.text[s.start : s.end])]
    best = max(fitting, key=lambda sentence: sentence.relevance, default=None)
    return with_what_it_leads_into(read.passage.text, (best.start, best.end)) if best is not None else None


def different(found: Sequence[FoundWords], most: int) -> list[FoundWords]:
    """The places of the first `most` different sentences, those that say the same one behind each other."""
    return [one for same in _by_sentence(found)[:most] for one in same]


@dataclass(slots=True)
class _CitedText:
    """A text that grows, with its citations; passages are numbered as they are first cited."""

    text: str
    citations: list[Citation] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def cite(self, same: Sequence[FoundWords]) -> None:
        """A mark for each passage whose sentence the text ends with."""
        cited: dict[int, FoundWords] = {}
        for one in same:
            cited.setdefault(id(one.read.passage), one)
        for key, one in cited.items():
            number = self._numbers.setdefault(key, len(self._numbers) + 1)
            mark = f"[{number}]"
            source = quoted_at(one.read.passage, *one.sentence)
            self.citations.append(
                Citation(number, len(self.text), len(self.text) + len(mark), one.read.passage, source)
            )
            self.text += mark


def claimed_answer(
    found: Sequence[FoundWords],
    context: Context,
    *,
    beside: Sequence[FoundWords] = (),
    leading: Sequence[FoundWords] = (),
    disagree: bool = False,
) -> Answer:
    """An answer: the sentences, each once and with its mark, behind the judgement where there is one.

    Those of `leading` come first, those of `beside` last. A sentence that stands in several passages has a mark for each of them.
    What is blank is left out. Where answers `disagree` the text says so first.
    """
    leading, found, beside = (_as_written(places, context) for places in (leading, found, beside))
    said = _CitedText(_judgement(found[0]) if found[0].judged else _DISAGREE if disagree else "")
    between, also = " ", _ALSO
    for same in _by_sentence((*leading, *found, *beside)):
        shown = _in_lines(same[0].quote)
        apart = any(same[0] is one for one in beside)
        said.text += f"{between if said.text else ''}{also if apart else ''}{shown} "
        also = "" if apart else also
        between = "\n" if "\n" in shown else " "
        said.cite(same)
    return Answer(said.text, tuple(said.citations), context, True, "answer", tuple(short_answer(one) for one in found))


def marked_passages(found: Sequence[FoundWords], context: Context, doubt: str = _UNSURE) -> Answer:
    """Statements that are not claimed, each marked where it stands, with what is around it, behind a word of doubt.

    Those of one passage that stand close share an excerpt. What is blank is left out.
    """
    said = _CitedText(doubt)
    for excerpt in _excerpts(_by_sentence(_as_written(found, context))):
        text = without_matter(excerpt.passage.text)
        reached, cut = excerpt.start, "… " if text[: excerpt.start].strip() else ""
        said.text += "\n"
        for same in sorted(excerpt.told, key=lambda same: same[0].sentence):
            start, end = same[0].sentence
            if before := _folded_lines(text[reached:start]):
                said.text += f"\n{cut}{before}"
            said.text += f"\n{_MARK}{_in_lines(text[max(start, reached) : end]) or same[0].quote} "
            said.cite(same)
            reached, cut = max(reached, end), ""
        if after := _folded_lines(text[reached : excerpt.end]):
            said.text += f"\n{after}{' …' if text[excerpt.end :].strip() else ''}"
    return Answer(said.text, tuple(said.citations), context, False, "passages", ())


def _as_written(found: Sequence[FoundWords], context: Context) -> list[FoundWords]:
    """What is not blank, in the passages as they are: they were read without what is struck out in them."""
    written = {one.support: one for one in context.passages}
    return [
        replace(one, read=replace(one.read, passage=written.get(passage.support, passage)))
        if STRUCK in passage.text
        else one
        for one in found
        if not one.is_blank and (passage := one.read.passage)
    ]


@dataclass(slots=True)
class _Excerpt:
    """Characters `start` to `end` of a passage, with the statements in them, each with the others that say the same."""

    passage: Passage
    start: int
    end: int
    told: list[list[FoundWords]]


def _excerpts(statements: Sequence[list[FoundWords]]) -> list[_Excerpt]:
    """What is shown of the statements' passages, in the order of the first in each."""
    excerpts: list[_Excerpt] = []
    for same in statements:
        passage, (start, end) = same[0].read.passage, same[0].sentence
        left, right = passage.text[max(0, start - _AROUND) : start], passage.text[end : end + _AROUND]
        if len(left) == _AROUND and left.strip():  # no cut words
            left = left.split(maxsplit=1)[-1]
        if len(right) == _AROUND and right.strip():
            right = right.rsplit(maxsplit=1)[0]
        start, end = start - len(left), end + len(right)
        near = next((one for one in excerpts if one.passage is passage and start < one.end and one.start < end), None)
        if near is None:
            excerpts.append(_Excerpt(passage, start, end, [same]))
        else:
            near.start, near.end = min(start, near.start), max(end, near.end)
            near.told.append(same)
    return excerpts


def _folded_lines(text: str) -> str:
    """The lines that say something, with their white space folded."""
    return "\n".join(folded for line in text.splitlines() if (folded := " ".join(line.split())))


def claimed_part(text: str) -> str:
    """What a `claimed_answer` claims; "" where it only shows passages. Another's answer is claimed whole."""
    return "" if _UNSURE in text else text.partition(_ALSO)[0].removeprefix(_DISAGREE)


def _by_sentence(found: Sequence[FoundWords]) -> list[list[FoundWords]]:
    """The places by what their sentences say, in the order of the first: one whose words stand in an earlier sentence says nothing else."""
    told: list[tuple[str, list[FoundWords]]] = []
    for one in found:
        words = f" {_as_compared(one.quote)} "
        same = next((places for said, places in told if words in said), None)
        if same is None:
            told.append((words, [one]))
        else:
            same.append(one)
    return [places for _, places in told]


def _as_compared(quote: str) -> str:
    """The words of a quote as they are compared: quotation marks, marks of lists, case and line breaks make no other sentence of it."""
    lines = (without_item_mark(line.strip()) for line in quote.splitlines())
    return " ".join(" ".join(lines).translate(_QUOTATION_MARKS).casefold().split())


def _in_lines(quote: str) -> str:
    """The quote with its white space folded; items and rows begin lines of their own, and what a sentence leads into keeps its lines."""
    shown, reached = "", 0
    for start, end in sentences(quote):
        one, broken = quote[start:end], "\n" in quote[reached:start]
        if shown:
            shown += "\n" if broken and (is_item(one) or is_row(one)) else " "
        shown += " ".join(one.split())
        rest = quote[end:]
        if leads(one) and "\n" in rest[: len(rest) - len(rest.lstrip())]:
            return f"{shown}\n{dedent(rest).strip()}"
        reached = end
    return shown


def _judgement(found: FoundWords) -> str:
    """What follows from the sentences after it, as a sentence of its own: "Yes."."""
    return f"{found.words[:1].upper()}{found.words[1:]}."


def short_answer(found: FoundWords) -> ShortAnswer:
    """The words that were found, as sure as they weigh."""
    source = quoted_at(found.read.passage, *found.place)
    stands = not found.judged or source.quote.casefold() == found.words.casefold()
    words = source.quote if stands else found.words
    return ShortAnswer(words, source.doc_id, source.start, source.end, min(1.0, found.weight))
