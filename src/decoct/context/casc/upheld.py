"""What a second reading leaves of the candidates: those that answer, with the value that their own statement upholds.

1. What answers nothing is dropped, where another candidate answers: a document that was found beside others gives values of its own
   things, and those contradict nothing. Neither the value nor its sentence may be far behind the best one, nor may both readings
   together hold it for unlikely.
2. A yes or no is what the reading leans to.
3. Of a value it is asked whether the answer is that one ("Is it 30 mg? What dose is given?"). Where that is far from yes, and nearer of
   another document's, the value is of another thing, and the document is silent. What its own statement denies gives way to another value
   of the statement that is clearly nearer to yes ("not 30 mg but 20 mg"), or else the document is silent; and of a statement that names
   both, the value that it upholds is put in the place of the other. Of a value that by its words takes another's place it is asked
   whether it has.
4. What is only proposed is told beside what is said to be.
5. A notice of correction that says what another document says repeats what it corrects, where the statement itself or the next one has
   another value of the kind.
6. Of a statement that names another document it is asked whether it takes that one's place, or says it to be no longer valid (`replaced`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from decoct.context.casc.candidates import Candidate, sentence_at
from decoct.context.casc.claims import Status
from decoct.context.casc.cues import status_of
from decoct.context.casc.sources import EvidenceSource
from decoct.reading.base import log_odds
from decoct.reading.second import SecondReader, SecondReading, StatementToRead
from decoct.text.equality import known_equal
from decoct.text.sentences import sentences
from decoct.text.values import Value
from decoct.text.words import content_stems

# Log-odds: so far behind the best one, and so low, is no answer (benchmarks/conflict_bars.py).
_BEHIND, _NO_ANSWER = 6.0, -1.0
_BOTH = -2.0  # so low by both readings, their log-odds added, is no answer either (fitted, both weigh the same)
_IS_IT = "Is it {}? "
# Log-odds of yes: of the generated worlds' statements two of three others are below, of the true ones 1 in 140.
_NOT_IT = -3.0
_LEANS = 1.0  # log-odds of yes over no, or of no over yes, from which on a reading decides
# So much nearer to yes is one value of a statement than another; so far from yes is what is denied.
_CLEARLY, _DENIED = 1.5, 2.0
_ONLY, _PROPOSED = "Is {} only a proposal?", "What did somebody propose? "
_AHEAD = 3.0  # log-odds by which what is proposed is ahead of what is said to be
_GONE = 0.6  # the least probability: of 45 sentences by hand 16 of 21 that replace are above, and 2 of 24 others
_REPLACED = ("Does this replace {}?", "Is {} still valid?", "Is {} out of date?")
_CHANGED = 0.4  # the least probability that a value has taken another's place: it parts 12 changes from 12 that were only wanted


@dataclass(frozen=True, slots=True)
class Upheld:
    """A candidate with its probability and, where it was read, its status; `over` are the values of its statement that give way to it."""

    sure: float
    candidate: Candidate
    status: Status | None = None
    over: tuple[Value, ...] = ()


def answering(
    second: SecondReader, question: str, told: Sequence[tuple[float, Candidate]], *, truth: bool
) -> list[tuple[float, Candidate]]:
    """The candidates but those that a second reading takes for no answer, and another one for one; a yes or no as that one leans.

    Its words are read, and its sentence.
    """
    words = second.read(
        [StatementToRead(question, c.read.text, c.value.start, c.value.end, c.read.source.title) for _, c in told]
    )
    readings = [
        [log_odds(max(one.yes, one.no) if truth else one.answers) for one in said]
        for said in (words, _asked(second, question, [c for _, c in told]))
    ]
    kept = [at for at, far in enumerate(far_behind(*readings)) if not far]
    if not truth:
        both = [log_odds(sure) + own for (sure, _), own in zip(told, readings[0], strict=True)]
        least = min(_BOTH, max((both[at] for at in kept), default=_BOTH))
        kept = [at for at in kept if both[at] >= least]
    return [(told[at][0], _yes_or_no(told[at][1], words[at]) if truth else told[at][1]) for at in kept]


def _yes_or_no(candidate: Candidate, said: SecondReading) -> Candidate:
    leaning = _leaning(said)
    word = "yes" if leaning > 0 else "no"
    return replace(candidate, value=replace(candidate.value, dimension=word)) if abs(leaning) >= _LEANS else candidate


def upheld(
    second: SecondReader,
    question: str,
    told: Sequence[tuple[float, Candidate]],
    every: Sequence[tuple[float, Candidate]],
) -> list[Upheld]:
    """What is `told`, with the values that its statements uphold; `every` are all candidates, each piece's best first."""
    asking = _Asking(second, question, [candidate for _, candidate in every])
    read = _asked(second, _IS_IT + question, [c for _, c in told])
    least = min(max((log_odds(one.yes) for one in read), default=0.0) - _BEHIND, _NOT_IT)
    heard = [
        (sure, candidate, _leaning(said))
        for (sure, candidate), said in zip(told, read, strict=True)
        if candidate.read.source.kind == "erratum" or log_odds(said.yes) >= least  # else of another thing
    ]
    # Of some questions the reading denies all alike.
    denied = min(max((leaning for *_, leaning in heard), default=0.0), 0.0) - _DENIED
    found = [one for sure, candidate, leaning in heard for one in asking.kept(sure, candidate, leaning, denied)]
    right = [asking.put_right(one, found) for one in found]
    said = [(one.candidate.value.raw, _statement(question, one.candidate)) for one in right]
    wanted = proposed(second, question, said, [_status(one.candidate) == "correction" for one in right])
    return [
        replace(one, status="proposed" if proposal else asking.status(one.candidate))
        for one, proposal in zip(right, wanted, strict=True)
    ]


def far_behind(*readings: Sequence[float]) -> list[bool]:
    """Whether each of some statements is no answer beside the best one: `readings` are their log-odds, in each the same order."""
    behind = [0.0] * len(readings[0])
    for odds in readings:
        gaps = [max(odds) - own if own < _NO_ANSWER else 0.0 for own in odds]
        behind = [math.hypot(far, gap) for far, gap in zip(behind, gaps, strict=True)]
    return [far > _BEHIND for far in behind]


def proposed(
    second: SecondReader, question: str, said: Sequence[tuple[str, StatementToRead]], changed: Sequence[bool] = ()
) -> list[bool]:
    """Of words and their statements whether they are only proposed, where other words are said to be.

    Of what by its words takes another's place (`changed`) it need not say so in itself.
    """
    only, what = (
        second.read([replace(one, question=asked.replace("{}", words, 1)) for words, one in said])
        for asked in (_ONLY, _PROPOSED + question)
    )
    odds = [min(log_odds(one.answers), log_odds(other.answers)) for one, other in zip(only, what, strict=True)]
    found = []
    for at, own in enumerate(odds):
        others = [odds[n] for n, (words, _) in enumerate(said) if words.casefold() != said[at][0].casefold()]
        ahead = own > max(0.0, min(others, default=own) + _AHEAD)
        found.append(ahead and (_leaning(only[at]) > 0 or any(changed[at : at + 1])))
    return found


def replaced(second: SecondReader, sources: Sequence[EvidenceSource]) -> frozenset[str]:
    """The ids of those sources of which a statement of another one, not older, says that it takes their place or that they are gone."""
    named = {one.doc_id: content_stems(_name(one)) for one in sources}
    statements = {
        one.doc_id: [
            (StatementToRead("", text, start, end, one.title), content_stems(text[start:end]))
            for _, text in one.pieces
            for start, end in sentences(text)
        ]
        for one in sources
    }
    asked = [
        (one, statement)
        for one, other in permutations(sources, 2)
        if named[one.doc_id] and not _is_later(one, other)
        if _is_later(other, one) or not named[one.doc_id] <= named[other.doc_id]
        for statement, stems in statements[other.doc_id]
        if named[one.doc_id] <= stems
    ]
    replaces, valid, gone = (
        second.read([replace(said, question=question.replace("{}", _name(one))) for one, said in asked])
        for question in _REPLACED
    )
    judged = zip(asked, replaces, valid, gone, strict=True)
    return frozenset(one.doc_id for (one, _), a, b, c in judged if max(a.yes, min(b.no, c.yes)) > _GONE)


def _name(source: EvidenceSource) -> str:
    """What others call a source: its title up to a colon or dash."""
    return re.split(r":|\s[–—-]\s", source.title)[0]


def _is_later(one: EvidenceSource, other: EvidenceSource) -> bool:
    return one.day is not None and other.day is not None and one.day > other.day


@dataclass(frozen=True, slots=True)
class _Asking:
    """A second reader with the question and all candidates of its passages."""

    second: SecondReader
    question: str
    every: Sequence[Candidate]

    def kept(self, sure: float, candidate: Candidate, leaning: float, denied: float) -> Iterator[Upheld]:
        """What its statement upholds: the candidate, or the other value that is clearly nearer to yes; none where it is denied."""
        others = [c for c in self.every if _is_beside(c, candidate, 0)]
        leanings = self._leanings(others)
        own = _status(candidate)
        nearest, best = max(zip(leanings, others, strict=True), key=lambda pair: pair[0], default=(leaning, candidate))
        gives_way = own == "withdrawn" or (leaning <= denied and nearest >= leaning + _CLEARLY)
        if gives_way and nearest > leaning and _status(best) != "withdrawn":
            yield Upheld(sure, best, over=(candidate.value,))
        elif others or leaning > denied or own == "withdrawn":
            # Where words tell the old value from the new, they decide.
            plain = all(_status(c) == "stated" for c in (candidate, *others))
            pairs = zip(leanings, others, strict=True) if plain else ()
            over = tuple(c.value for near, c in pairs if near < min(-_LEANS, leaning - _CLEARLY))
            yield Upheld(sure, candidate, over=over)

    def put_right(self, one: Upheld, found: Sequence[Upheld]) -> Upheld:
        """Of a notice of correction the value that it gives in place of what others say."""
        source, value = one.candidate.read.source, one.candidate.value
        rivals = [other.candidate for other in found if other.candidate.read.source.kind != "erratum"]
        if source.kind != "erratum" or not any(known_equal(rival.value, value) for rival in rivals):
            return one
        new = [c for c in self.every if _is_beside(c, one.candidate, 1)]
        rest = zip(new, self._leanings(new), strict=True)
        return next((Upheld(one.sure, other) for other, leaning in rest if leaning > -_LEANS), one)

    def status(self, candidate: Candidate) -> Status:
        """The status by the words of the statement; "reported" where the value seems to take another's place and has not."""
        status = _status(candidate)
        old = any(_status(c) == "withdrawn" and _is_beside(candidate, c, 0) for c in self.every)
        if not old and status != "correction":
            return status
        (changed,) = _asked(self.second, f"Has it changed to {{}}? {self.question}", [candidate])
        return "reported" if changed.yes < _CHANGED else status

    def _leanings(self, candidates: Sequence[Candidate]) -> list[float]:
        """How far the sentence of each leans to its value as the answer."""
        return [_leaning(one) for one in _asked(self.second, _IS_IT + self.question, candidates)]


def _is_beside(other: Candidate, one: Candidate, sentences: int) -> bool:
    """Whether another value of the kind stands in the sentence of `one` or one of the `sentences` that follow."""
    if other.read is not one.read or other.kind != one.kind or known_equal(other.value, one.value):
        return False
    if other.value.start < one.value.end and one.value.start < other.value.end:
        return False
    places = [sentence.start for sentence in one.read.reading.sentences]
    mine, theirs = (sentence_at(c.read, c.value.start).start for c in (one, other))
    return theirs in places and mine in places and 0 <= places.index(theirs) - places.index(mine) <= sentences


def _status(candidate: Candidate) -> Status:
    return status_of(candidate.read.text, candidate.value.start, candidate.value.end)


def _asked(second: SecondReader, question: str, candidates: Sequence[Candidate]) -> list[SecondReading]:
    """What the sentence of each candidate says to a `question` about its value."""
    return second.read([_statement(question.replace("{}", c.value.raw, 1), c) for c in candidates])


def _statement(question: str, candidate: Candidate) -> StatementToRead:
    sentence = sentence_at(candidate.read, candidate.value.start)
    return StatementToRead(question, candidate.read.text, sentence.start, sentence.end, candidate.read.source.title)


def _leaning(said: SecondReading) -> float:
    return log_odds(said.yes) - log_odds(said.no)
