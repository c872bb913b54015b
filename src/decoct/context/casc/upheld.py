"""What a second reading leaves of the candidates: those that answer.

1. What answers nothing is dropped, where another candidate answers: a document that was found beside others gives values of its own
   things, and those contradict nothing. Neither the value nor its sentence may be far behind the best one, nor may both readings
   together hold it for unlikely.
2. A yes or no is what the reading leans to.
3. Of a statement that names another document it is asked whether it takes that one's place, or says it to be no longer valid (`replaced`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from decoct.context.casc.candidates import Candidate, sentence_at
from decoct.context.casc.sources import EvidenceSource
from decoct.reading.base import log_odds
from decoct.reading.second import SecondReader, SecondReading, StatementToRead
from decoct.text.sentences import sentences
from decoct.text.words import content_stems

# Log-odds: so far behind the best one, and so low, is no answer (benchmarks/conflict_bars.py).
_BEHIND, _NO_ANSWER = 6.0, -1.0
_BOTH = -1.5  # so low by both readings, their log-odds added, is no answer either (fitted, both weigh the same)
_LEANS = 1.0  # log-odds of yes over no, or of no over yes, from which on a reading decides
_GONE = 0.6  # the least probability: of 45 sentences by hand 16 of 21 that replace are above, and 2 of 24 others
_REPLACED = ("Does this replace {}?", "Is {} still valid?", "Is {} out of date?")


def answering(
    second: SecondReader, question: str, told: Sequence[tuple[float, Candidate]], *, truth: bool
) -> list[tuple[float, Candidate]]:
    """The candidates but those that a second reading takes for no answer, and another one for one; a yes or no as that one leans.

    Its words are read, and its sentence.
    """
    values = [(c.value.start, c.value.end) for _, c in told]
    around = [(at.start, at.end) for at in (sentence_at(c.read, c.value.start) for _, c in told)]
    words, sentences_read = (
        second.read(
            [
                StatementToRead(question, c.read.text, *place, c.read.source.title)
                for place, (_, c) in zip(places, told, strict=True)
            ]
        )
        for places in (values, around)
    )
    readings = [
        [log_odds(max(one.yes, one.no) if truth else one.answers) for one in said] for said in (words, sentences_read)
    ]
    kept = [at for at, far in enumerate(far_behind(*readings)) if not far]
    if not truth:
        both = [log_odds(sure) + own for (sure, _), own in zip(told, readings[0], strict=True)]
        least = min(_BOTH, max((both[at] for at in kept), default=_BOTH))
        kept = [at for at in kept if both[at] >= least]
    return [(told[at][0], _yes_or_no(told[at][1], words[at]) if truth else told[at][1]) for at in kept]


def _yes_or_no(candidate: Candidate, said: SecondReading) -> Candidate:
    leaning = log_odds(said.yes) - log_odds(said.no)
    word = "yes" if leaning > 0 else "no"
    return replace(candidate, value=replace(candidate.value, dimension=word)) if abs(leaning) >= _LEANS else candidate


def far_behind(*readings: Sequence[float]) -> list[bool]:
    """Whether each of some statements is no answer beside the best one: `readings` are their log-odds, in each the same order."""
    behind = [0.0] * len(readings[0])
    for odds in readings:
        gaps = [max(odds) - own if own < _NO_ANSWER else 0.0 for own in odds]
        behind = [math.hypot(far, gap) for far, gap in zip(behind, gaps, strict=True)]
    return [far > _BEHIND for far in behind]


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
