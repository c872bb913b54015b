"""What a second reading leaves of the candidates: those that answer, with the value that their own statement upholds.

1. What answers nothing is dropped, where another candidate answers: a document that was found beside others gives values of its own
   things, and those contradict nothing.
2. A yes or no is what the reading leans to.
3. Of a value it is asked whether the answer is that one ("Is it 30 mg? What dose is given?"). Where that is far from yes, and nearer of
   another document's, the value is of another thing, and the document is silent. What its own statement denies ("not 30 mg
   but 20 mg") gives way to another value of the statement that it does not deny, or else the document is silent. Of a value that by its
   words takes another's place it is asked whether it has: what was proposed or refused is passed on, and puts nothing right.
4. A notice of correction that says what another document says repeats what it corrects, where the statement itself or the next one has
   another value of the kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct.context.casc.candidates import Candidate, sentence_at
from decoct.context.casc.cues import status_of
from decoct.reading.base import log_odds
from decoct.reading.second import SecondReader, SecondReading, StatementToRead
from decoct.text.equality import known_equal

_BEHIND, _NO_ANSWER = 4.0, -1.0  # log-odds: so far behind the best one, and so low, is no answer
_IS_IT = "Is it {}? "
# Log-odds of yes: of the generated worlds' statements two of three others are below, of the true ones 1 in 140.
_NOT_IT = -3.0
_LEANS = 1.0  # log-odds of yes over no, or of no over yes, from which on a reading decides
_CHANGED = 0.4  # the least probability that a value has taken another's place: it parts 12 changes from 12 that were only wanted


@dataclass(frozen=True, slots=True)
class Upheld:
    """A candidate with its probability; `reported`: it seems to take another value's place, and has not."""

    sure: float
    candidate: Candidate
    reported: bool = False


def answering(
    second: SecondReader, question: str, told: Sequence[tuple[float, Candidate]], *, truth: bool
) -> list[tuple[float, Candidate]]:
    """The candidates but those that a second reading takes for no answer, and another one for one; a yes or no as that one leans."""
    read = second.read(
        [StatementToRead(question, c.read.text, c.value.start, c.value.end, c.read.source.title) for _, c in told]
    )
    odds = [log_odds(max(one.yes, one.no) if truth else one.answers) for one in read]
    least = min(max(odds, default=0.0) - _BEHIND, _NO_ANSWER)
    kept = [(pair, said) for pair, said, own in zip(told, read, odds, strict=True) if own >= least]
    return [(sure, _yes_or_no(candidate, said) if truth else candidate) for (sure, candidate), said in kept]


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
    found: list[Upheld] = []
    read = _asked(second, _IS_IT + question, [c for _, c in told])
    least = min(max((log_odds(one.yes) for one in read), default=0.0) - _BEHIND, _NOT_IT)
    # Of some questions the reading denies all alike.
    denied = min(max(map(_leaning, read), default=0.0) - _LEANS, -_LEANS)
    for (sure, candidate), said in zip(told, read, strict=True):
        if candidate.read.source.kind != "erratum" and log_odds(said.yes) < least:
            continue  # of another thing
        if _leaning(said) > denied or _status(candidate) == "withdrawn":
            found.append(Upheld(sure, candidate))
            continue
        others = [c for _, c in every if _is_beside(c, candidate, 0)]
        rest = zip(others, _leanings(second, question, others), strict=True)
        found += [Upheld(sure, other) for other, own in rest if own > 0][:1]
    right = [_put_right(second, question, one, found, every) for one in found]
    return [replace(one, reported=_only_reported(second, question, one.candidate, every)) for one in right]


def _only_reported(
    second: SecondReader, question: str, candidate: Candidate, every: Sequence[tuple[float, Candidate]]
) -> bool:
    old = any(_status(c) == "withdrawn" and _is_beside(candidate, c, 0) for _, c in every)
    if not old and _status(candidate) != "correction":
        return False
    (changed,) = _asked(second, f"Has it changed to {{}}? {question}", [candidate])
    return changed.yes < _CHANGED


def _put_right(
    second: SecondReader, question: str, one: Upheld, found: Sequence[Upheld], every: Sequence[tuple[float, Candidate]]
) -> Upheld:
    """Of a notice of correction the value that it gives in place of what others say."""
    source, value = one.candidate.read.source, one.candidate.value
    rivals = [other.candidate for other in found if other.candidate.read.source.kind != "erratum"]
    if source.kind != "erratum" or not any(known_equal(rival.value, value) for rival in rivals):
        return one
    new = [c for _, c in every if _is_beside(c, one.candidate, 1)]
    rest = zip(new, _leanings(second, question, new), strict=True)
    return next((Upheld(one.sure, other) for other, leaning in rest if leaning > -_LEANS), one)


def _is_beside(other: Candidate, one: Candidate, sentences: int) -> bool:
    """Whether another value of the kind stands in the sentence of `one` or one of the `sentences` that follow."""
    if other.read is not one.read or other.kind != one.kind or known_equal(other.value, one.value):
        return False
    if other.value.start < one.value.end and one.value.start < other.value.end:
        return False
    places = [sentence.start for sentence in one.read.reading.sentences]
    mine, theirs = (sentence_at(c.read, c.value.start).start for c in (one, other))
    return theirs in places and mine in places and 0 <= places.index(theirs) - places.index(mine) <= sentences


def _status(candidate: Candidate) -> str:
    return status_of(candidate.read.text, candidate.value.start, candidate.value.end)


def _leanings(second: SecondReader, question: str, candidates: Sequence[Candidate]) -> list[float]:
    """How far the sentence of each leans to its value as the answer."""
    return [_leaning(one) for one in _asked(second, _IS_IT + question, candidates)]


def _asked(second: SecondReader, question: str, candidates: Sequence[Candidate]) -> list[SecondReading]:
    """What the sentence of each candidate says to a `question` about its value."""
    asked = []
    for c in candidates:
        sentence = sentence_at(c.read, c.value.start)
        said = question.replace("{}", c.value.raw, 1)
        asked.append(StatementToRead(said, c.read.text, sentence.start, sentence.end, c.read.source.title))
    return second.read(asked)


def _leaning(said: SecondReading) -> float:
    return log_odds(said.yes) - log_odds(said.no)
