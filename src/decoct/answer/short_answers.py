"""The answer without a language model: the words that answer, in their sentence, cited; or the best passages; or that there is none.

1. Every quoted passage of the context (at most `most_read`, best first) is read by the small reader (`decoct.reading`). Where none is
   evidence with `related`, or the best words weigh less than `faint`, the outcome is "not-found".
2. A span is weighed by the log-odds that its passage answers, `evidence` of the log-odds that it is evidence, and `placed` of the
   logarithm of the span's share in it, less `decay` for each rank; words that several places give add up (as independent witnesses: one
   minus the product of the doubts).
3. From `sure` on the best words are the answer, with every other answer that has at least `further` of its weight: a question may have
   several. The sentence that holds each is quoted and cited. Below `settled` the sentences that read most like evidence follow them, `most`
   in all, so that a person can see for themselves.
4. Below `sure` nothing is claimed: the outcome is "passages", the sentence with the best words is shown, then those that read most like
   evidence.
5. A question of yes or no is answered with that word and the sentence that decides, where the reader is sure of both, in one passage or
   in a digest of their best sentences (`decoct.reading.digest`), since mostly two passages decide together. Where it is not sure, it goes
   as in 4.

What is in a language that the reader does not know (`ReadsLanguages`) is not put to it; where that is the question, or every passage, the
answer says so and shows the passages' first sentences instead.

A heading, a line of navigation or a fragment is no sentence and never quoted as the answer. A language model's readings go the same way
(`reader`). Extractive answering with a score for "no answer" is Rajpurkar et al. 2018, "Know what you don't know"; that votes of passages
add up is the redundancy of Clarke et al. 2001. The numbers were chosen on held-back questions of the public sets (docs/reader.md); they
are settings since a reader of other weights (`decoct train reader`) wants others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from decoct import trace
from decoct.answer.not_found import NO_ANSWER, NO_CONTEXT
from decoct.answer.sources import quoted_at
from decoct.context.marks import harmless
from decoct.data import Answer, Citation, Context, Outcome, Passage, ShortAnswer
from decoct.embed.tongues import unknown_language
from decoct.reading.base import NOTHING_READ, AnswerSpan, PassageReader, Reading, ReadsLanguages, log_odds
from decoct.reading.digest import digest
from decoct.reading.small import SmallReader
from decoct.reading.yes_no import asks_yes_or_no
from decoct.text.languages import document_language
from decoct.text.sentences import sentences

_UNSURE = "No passage clearly answers this. The best ones:"
_ALSO = "See also: "
_SHORTEST = 4  # words of a sentence that can be quoted as an answer; what is shorter is a heading or a fragment


@dataclass(frozen=True, slots=True)
class ShortAnswers:
    """Answers from the readings of the context's passages; see the module for the fields."""

    reader: PassageReader = field(default_factory=SmallReader)
    most_read: int = 20
    most: int = 3
    sure: float = 0.3
    settled: float = 0.9
    further: float = 0.5
    related: float = 0.4
    faint: float = 0.25
    evidence: float = 0.3
    placed: float = 0.4
    decay: float = 0.1

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer and its outcome; `found` is True where the words of the answer were found."""
        answer = self._answer(context)
        if sink is not None:
            sink(answer.text)
        return answer

    def _answer(self, context: Context) -> Answer:
        if not context.passages:
            return Answer(NO_CONTEXT, (), context, found=False)
        quotes = [passage for passage in context.passages if passage.kind == "quote"][: self.most_read]
        known = self.reader.languages if isinstance(self.reader, ReadsLanguages) else None
        if known is not None:
            strange = unknown_language(context.question, known)
            readable = [] if strange else [one for one in quotes if document_language(one.text) in known]
            if quotes and not readable:
                return _unread(quotes[: self.most], strange or document_language(quotes[0].text), known, context)
            if len(readable) < len(quotes):
                trace.fallback("read.language", len(quotes) - len(readable))
            quotes = readable
        readings = self.reader.read(context.question, quotes)
        trace.count(read=len(readings))
        read = [_Read(*pair, rank) for rank, pair in enumerate(zip(quotes, readings, strict=True))]
        if max((one.reading.relevance for one in read), default=0.0) < self.related:
            return Answer(NO_ANSWER, (), context, found=False)
        if asks_yes_or_no(context.question):
            (joined,) = self.reader.read(context.question, [digest(quotes, readings)])
            found = self._verdict(read, joined)
        else:
            found = self._words(read)
            if found and found[0].weight < self.faint:
                return Answer(NO_ANSWER, (), context, found=False)
        if found and found[0].weight >= self.sure:
            best = [one for one in found if one.weight >= self.further * found[0].weight][: self.most]
            return _written(best, context, "answer", beside=self._beside(best, read))
        return _written(self._shown(found, read), context, "passages")

    def _words(self, read: Sequence[_Read]) -> list[_Found]:
        """The words that answer, each with the sentence where it is surest, surest first."""
        by_words: dict[str, list[_Found]] = {}
        for one in read:
            for span in one.reading.spans:
                place = span.start, span.end
                if (sentence := _sentence(one.passage, place)) is not None:
                    words = one.passage.text[slice(*place)]
                    weight = _probability(self._weight(one.reading, span) - self.decay * one.rank)
                    by_words.setdefault(_plain(words), []).append(_Found(one, sentence, place, words, weight))
        return sorted((_together(found) for found in by_words.values()), key=lambda found: -found.weight)

    def _weight(self, reading: Reading, span: AnswerSpan) -> float:
        share = span.score / max(reading.answers, 1e-6)
        placed = self.placed * math.log(max(share, 1e-6))
        return log_odds(reading.answers) + self.evidence * log_odds(reading.relevance) + placed

    def _verdict(self, read: Sequence[_Read], joined: Reading) -> list[_Found]:
        """Yes or no as the digest says, else each passage that decides, with the best evidence, surest first."""
        by_verdict: dict[str, list[_Found]] = {}
        best = [(one, sentence) for one in read if (sentence := _best_sentence(one)) is not None]
        if not best:
            return []
        if joined.verdict != "neither":
            one, sentence = max(best, key=lambda pair: pair[0].reading.relevance)
            by_verdict[joined.verdict] = [_Found(one, sentence, sentence, joined.verdict, joined.answers)]
        for one, sentence in best:
            if one.reading.verdict != "neither":
                weight = _probability(log_odds(one.reading.answers) - self.decay * one.rank)
                found = _Found(one, sentence, sentence, one.reading.verdict, weight)
                by_verdict.setdefault(one.reading.verdict, []).append(found)
        return sorted((_together(found) for found in by_verdict.values()), key=lambda found: -found.weight)

    def _beside(self, best: Sequence[_Found], read: Sequence[_Read]) -> list[_Found]:
        """What reads most like evidence beside the answers, where they are not settled."""
        if best[0].weight >= self.settled:
            return []
        quoted = {(one.read.rank, one.sentence) for one in best}
        others = [one for one in self._shown((), read) if (one.read.rank, one.sentence) not in quoted]
        return others[: self.most - len(best)]

    def _shown(self, found: Sequence[_Found], read: Sequence[_Read]) -> list[_Found]:
        """The sentence with the best words, then the best one of each passage that reads most like evidence: `most` in all."""
        evidence = [
            _Found(one, sentence, sentence, "", one.reading.relevance)
            for one in read
            if (sentence := _best_sentence(one)) is not None
        ]
        ranked = [
            *found[:1],
            *sorted(evidence, key=lambda one: -one.weight),
        ]
        places = {(one.read.rank, one.sentence): one for one in reversed(ranked)}
        return [one for one in ranked if places[one.read.rank, one.sentence] is one][: self.most]


@dataclass(frozen=True, slots=True)
class _Read:
    passage: Passage
    reading: Reading
    rank: int


@dataclass(frozen=True, slots=True)
class _Found:
    """`words` at `place` of a passage's text, inside `sentence` of it."""

    read: _Read
    sentence: tuple[int, int]
    place: tuple[int, int]
    words: str
    weight: float


def _together(found: Sequence[_Found]) -> _Found:
    """The surest of the places that say the same, as sure as all of them are together."""
    best = max(found, key=lambda one: one.weight)
    doubt = 1.0
    for one in found:
        doubt *= 1 - one.weight
    return _Found(best.read, best.sentence, best.place, best.words, 1 - doubt)


def _sentence(passage: Passage, place: tuple[int, int]) -> tuple[int, int] | None:
    """The sentence of `passage` that holds the place; None where it is none that can be quoted."""
    for start, end in sentences(passage.text):
        if start <= place[0] < end:
            return (start, max(end, place[1])) if _is_quotable(passage.text[start:end]) else None
    return None


def _best_sentence(read: _Read) -> tuple[int, int] | None:
    fitting = [s for s in read.reading.sentences if _is_quotable(read.passage.text[s.start : s.end])]
    best = max(fitting, key=lambda sentence: sentence.relevance, default=None)
    return (best.start, best.end) if best is not None else None


def _is_quotable(sentence: str) -> bool:
    words = sentence.split()
    return len(words) >= _SHORTEST and any(word[:1].islower() for word in words)


def _unread(passages: Sequence[Passage], language: str, known: frozenset[str], context: Context) -> Answer:
    """That nothing was read, since it is in `language`; the first sentence of each passage, cited."""
    trace.fallback("read.language", len(passages))
    said = f"This is in a language ({language}) that the reader does not know ({', '.join(sorted(known))}): name a language model."
    found = []
    for rank, passage in enumerate(passages):
        place = next((s for s in sentences(passage.text) if _is_quotable(passage.text[slice(*s)])), None)
        if place is not None:
            found.append(_Found(_Read(passage, NOTHING_READ, rank), place, place, "", 0.0))
    return _written(found, context, "passages", f"{said} The first passages:" if found else said)


def _probability(weight: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, weight))))


def _plain(words: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in words.casefold()).split())


def _written(
    found: Sequence[_Found], context: Context, outcome: Outcome, doubt: str = _UNSURE, beside: Sequence[_Found] = ()
) -> Answer:
    """The sentences, each once and with its mark, behind a word of doubt where nothing is claimed; those of `beside` after them."""
    text, citations, numbers = "" if outcome == "answer" else doubt, [], dict[int, int]()
    seen: set[tuple[int, int, int]] = set()
    for one in (*found, *beside):
        passage = one.read.passage
        key = (id(passage), *one.sentence)
        if key in seen:
            continue
        seen.add(key)
        number = numbers.setdefault(id(passage), len(numbers) + 1)
        lead = one.words.capitalize() + ". " if one.words in ("yes", "no") and not text else ""
        also = _ALSO if beside and one is beside[0] else ""
        text += f"{' ' if text else ''}{also}{lead}{harmless(' '.join(passage.text[slice(*one.sentence)].split()))} "
        mark = f"[{number}]"
        citations.append(Citation(number, len(text), len(text) + len(mark), passage, quoted_at(passage, *one.sentence)))
        text += mark
    answers = tuple(_short(one) for one in found) if outcome == "answer" else ()
    return Answer(text, tuple(citations), context, outcome == "answer", outcome, answers)


def _short(found: _Found) -> ShortAnswer:
    source = quoted_at(found.read.passage, *found.place)
    words = found.words if found.words in ("yes", "no") else source.quote
    return ShortAnswer(words, source.doc_id, source.start, source.end, min(1.0, found.weight))
