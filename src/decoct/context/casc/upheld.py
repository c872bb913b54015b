"""What a second reading leaves of the candidates: those that answer.

1. What both readings together hold for unlikely is dropped, where another candidate answers: a document that was found beside others gives
   values of its own things, and those contradict nothing.
2. A yes or no is what the reading leans to.
3. Of a statement that names another document it is asked whether it takes that one's place, or says it to be no longer valid (`replaced`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from decoct.context.casc.candidates import Candidate
from decoct.context.casc.sources import EvidenceSource
from decoct.reading.base import SecondReader, SecondReading, StatementToRead, log_odds
from decoct.text.sentences import sentences
from decoct.text.words import content_stems

# Log-odds: so low by both readings together, which weigh the same, is no answer (benchmarks/conflict_bars.py).
_BOTH = -2.0
_LEANS = 1.0  # log-odds of yes over no, or of no over yes, from which on a reading decides
_GONE = 0.6  # the least probability: of 45 sentences by hand 16 of 21 that replace are above, and 2 of 24 others
_REPLACED = ("Does this replace {}?", "Is {} still valid?", "Is {} out of date?")


def answering(
    second: SecondReader, question: str, told: Sequence[tuple[float, Candidate]], *, truth: bool
) -> list[tuple[float, Candidate]]:
    """The candidates but those that both readings take for no answer, where another is one; a yes or no as the second leans."""
    said = second.read(
        [StatementToRead(question, c.read.text, c.value.start, c.value.end, c.read.source.title) for _, c in told]
    )
    if truth:
        return [(sure, _yes_or_no(candidate, own)) for (sure, candidate), own in zip(told, said, strict=True)]
    both = [log_odds(sure) + log_odds(own.answers) for (sure, _), own in zip(told, said, strict=True)]
    least = min(_BOTH, max(both, default=_BOTH))
    return [pair for pair, odds in zip(told, both, strict=True) if odds >= least]


def _yes_or_no(candidate: Candidate, said: SecondReading) -> Candidate:
    leaning = log_odds(said.yes) - log_odds(said.no)
    word = "yes" if leaning > 0 else "no"
    return replace(candidate, value=replace(candidate.value, dimension=word)) if abs(leaning) >= _LEANS else candidate


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
