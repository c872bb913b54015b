"""What a citation points at: the sentence of a document that is nearest to the statement that the mark stands after.

The statement is the part of the answer's sentence from the mark before to this one; the rest of that sentence counts half, the question a
quarter (a short answer, "1906 [1]", says little by itself). A sentence of the passage is as near as the words of these that it holds
weigh, by how rare they are among the passage's sentences; of equals the first. A reader that quotes knows its sentence and says so.

A quote's characters are the documents' own. Behind a rewrite stand only spans: what they hold is read from the store, by the pipeline.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from decoct.context.quotes import support_of
from decoct.data import Answer, Citation, Context, Passage, SourceQuote, Span
from decoct.errors import ProvenanceError
from decoct.text.sentences import sentences
from decoct.text.words import content_stems

_STATEMENT, _SENTENCE, _QUESTION = 1.0, 0.5, 0.25
_GAP = "\n\n"  # between the texts of two spans: no sentence reaches over it
Words: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark `[number]` at `start`..`end` of an answer, for the passage of that `index` (from 0) of its context."""

    number: int
    start: int
    end: int
    index: int


def citations_of(text: str, marks: Sequence[Mark], context: Context) -> tuple[Citation, ...]:
    """The marks of an answer's `text` as citations, each with the sentence of its passage that is nearest to what it stands after."""
    known: dict[int, _Nearest] = {}
    found = []
    for mark, words in zip(marks, _statements(text, marks, context.question), strict=True):
        passage = context.passages[mark.index]
        if passage.kind == "rewrite":
            span = passage.support[0]
            source = SourceQuote(span.doc_id, span.start, span.end, "")
        else:
            if mark.index not in known:
                known[mark.index] = _Nearest(passage.text)
            source = quoted_at(passage, *known[mark.index].to(words))
        found.append(Citation(mark.number, mark.start, mark.end, passage, source))
    return tuple(found)


def quoted_at(passage: Passage, start: int, end: int) -> SourceQuote:
    """Characters `start` to `end` of a quote's text as those of its document; where they reach over several spans, the longest part.

    `ProvenanceError` where they are none of any span.
    """
    parts = support_of(passage, start, end)
    if not parts:
        raise ProvenanceError(f"characters {start}..{end} of a quote hold nothing of its spans {passage.support}")
    at, span = max(parts, key=lambda part: part[1].end - part[1].start)
    return SourceQuote(span.doc_id, span.start, span.end, passage.text[at : at + span.end - span.start])


def with_documents(answer: Answer, text_of: Callable[[Span], str]) -> Answer:
    """The answer with the source of each citation of a rewrite found among the sentences that its passage rests on."""
    if all(citation.source.quote for citation in answer.citations):
        return answer
    words = _statements(answer.text, answer.citations, answer.context.question)
    known: dict[tuple[Span, ...], tuple[str, _Nearest]] = {}
    found = []
    for citation, wanted in zip(answer.citations, words, strict=True):
        support = citation.passage.support
        if citation.source.quote:
            found.append(citation)
            continue
        if support not in known:
            joined = _GAP.join(map(text_of, support))
            known[support] = joined, _Nearest(joined)
        joined, sentence = known[support]
        source = _at(joined, support, *sentence.to(wanted))
        found.append(replace(citation, source=source))
    return replace(answer, citations=tuple(found))


def behind_words(told: str, answer: Answer) -> Answer:
    """The answer with words before it, its citations where they stand then."""
    moved = (replace(one, start=one.start + len(told), end=one.end + len(told)) for one in answer.citations)
    return replace(answer, text=told + answer.text, citations=tuple(moved))


def _at(joined: str, support: Sequence[Span], begin: int, end: int) -> SourceQuote:
    """Characters `begin` to `end` of the spans' joined texts as those of the document they stand in."""
    at = 0
    for span in support:
        length = span.end - span.start
        low, high = max(begin, at), min(end, at + length)
        if low < high:
            return SourceQuote(span.doc_id, span.start + low - at, span.start + high - at, joined[low:high])
        at += length + len(_GAP)
    raise AssertionError("unreachable: a sentence holds characters of a span")


def _statements(text: str, marks: Sequence[Mark | Citation], question: str) -> list[Words]:
    """For each mark, in text order, the words that it stands for, by their stems, with how much each counts."""
    parts: list[str] = []
    at = 0
    for mark in marks:
        parts += (text[at : mark.start], " " * (mark.end - mark.start))
        at = mark.end
    bare = "".join((*parts, text[at:]))
    places = sentences(bare)
    starts = [start for start, _ in places]
    asked = dict.fromkeys(content_stems(question), _QUESTION)
    found: list[Words] = []
    sentence, whole, since, said = -1, asked, 0, asked
    for mark in marks:
        number = max(bisect_left(starts, mark.start) - 1, 0)
        if number != sentence:
            sentence = number
            since, end = places[number] if places else (0, mark.start)
            whole = asked | dict.fromkeys(content_stems(bare[since:end]), _SENTENCE)
            said = whole
        own = content_stems(bare[since : mark.start])
        if own:  # a mark right after another one stands for the same statement
            said = whole | dict.fromkeys(own, _STATEMENT)
        since = mark.end
        found.append(said)
    return found


class _Nearest:
    """The sentences of a text, to find the one that holds most of some words."""

    def __init__(self, text: str) -> None:
        self._places = sentences(text) or [(0, len(text))]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, (start, end) in enumerate(self._places):
            for word in content_stems(text[start:end]):
                self._holders[word].append(number)

    def to(self, words: Words) -> tuple[int, int]:
        """Where the nearest sentence stands."""
        worth: Counter[int] = Counter()
        for word, amount in words.items():
            holders = self._holders.get(word, ())
            for number in holders:
                worth[number] += amount * math.log(1 + len(self._places) / len(holders))  # type: ignore[assignment]
        best = max(worth.values(), default=0)
        return self._places[min((number for number, one in worth.items() if one >= best - 1e-9), default=0)]
