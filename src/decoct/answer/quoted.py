"""Words found in passages, and answers written of the sentences that hold them, each quoted and cited.

What may be quoted at all is told in `quotable.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from decoct.answer.quotable import is_item, is_prose, is_row, leads, with_what_it_leads_into
from decoct.answer.sources import quoted_at
from decoct.context.marks import harmless
from decoct.data import Answer, Citation, Context, Outcome, Passage, ShortAnswer
from decoct.reading.base import Reading
from decoct.text.sentences import sentences

_UNSURE = "No passage clearly answers this. The best ones:"
_ALSO = "See also: "


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage, what was read in it, and its place among those of the context (from 0)."""

    passage: Passage
    reading: Reading
    rank: int


@dataclass(frozen=True, slots=True)
class FoundWords:
    """`words` at `place` of a passage's text, inside `sentence` of it; `judged` where they do not stand there but follow from it.

    `steps` are the places in `sentence` that are an answer each, where the words are the first of several steps.
    """

    read: ReadPassage
    sentence: tuple[int, int]
    place: tuple[int, int]
    words: str
    weight: float
    judged: bool = False
    steps: tuple[tuple[int, int], ...] = ()


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


def written(
    found: Sequence[FoundWords],
    context: Context,
    outcome: Outcome,
    doubt: str = _UNSURE,
    *,
    beside: Sequence[FoundWords] = (),
    leading: Sequence[FoundWords] = (),
) -> Answer:
    """The sentences, each once and with its mark, behind a word of doubt where nothing is claimed, or the judgement where one is.

    Those of `leading` come first, those of `beside` last.
    """
    text = doubt if outcome != "answer" else _judgement(found[0]) if found[0].judged else ""
    citations, numbers, between = [], dict[int, int](), " "
    seen: set[tuple[int, int, int]] = set()
    for one in (*leading, *found, *beside):
        passage = one.read.passage
        key = (id(passage), *one.sentence)
        if key in seen:
            continue
        seen.add(key)
        number = numbers.setdefault(id(passage), len(numbers) + 1)
        also = _ALSO if beside and one is beside[0] else ""
        shown = _in_lines(passage.text[slice(*one.sentence)])
        text += f"{between if text else ''}{also}{harmless(shown)} "
        between = "\n" if "\n" in shown else " "
        mark = f"[{number}]"
        citations.append(Citation(number, len(text), len(text) + len(mark), passage, quoted_at(passage, *one.sentence)))
        text += mark
    answers = tuple(_short(one) for one in found) if outcome == "answer" else ()
    return Answer(text, tuple(citations), context, outcome == "answer", outcome, answers)


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
    return harmless(f"{found.words[:1].upper()}{found.words[1:]}.")


def _short(found: FoundWords) -> ShortAnswer:
    source = quoted_at(found.read.passage, *found.place)
    stands = not found.judged or source.quote.casefold() == found.words.casefold()
    words = source.quote if stands else found.words
    return ShortAnswer(words, source.doc_id, source.start, source.end, min(1.0, found.weight))
