"""Extract(Q, d) by rules: for every source the values that may answer each part of the question, with the sentence that says so.

1. Sources are cut into sentences; numbers with units, dates, effects or names are found in them, as the question wants (`focus`).
2. Each candidate is scored by how near the question's words stand (`rank`), whether its dimension is the one asked for, whether the
   noun counted is the one counted in the question, and what its own sentence says of it (an aside, a comparison, withdrawn, hoped for).
3. Candidates that say the same in several sources support each other (at most `_AGREED` a source, up to two).
4. A source's claim is its best candidate, if that is at least `_ENOUGH` of the best of all sources: a source that speaks of something else
   makes no claim.

Every quote is the source's own characters at its span, by construction; nothing needs to be aligned here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct.context.casc.claims import Claim
from decoct.context.casc.cues import as_of, hedge_of, status_of
from decoct.context.casc.figures import as_figure
from decoct.context.casc.finders import FINDERS
from decoct.context.casc.focus import Focus
from decoct.context.casc.rank import Fit
from decoct.context.casc.roots import roots
from decoct.context.casc.scope import contrary
from decoct.context.casc.sources import Source
from decoct.context.casc.text import Sentence, prepared, weights
from decoct.data import Span
from decoct.text.equality import same
from decoct.text.values import Value

_AGREED = 0.15
_HEAD = 0.3
_CONTRARY, _HEADLESS, _STRAY = 0.25, 0.1, 0.1
_ENOUGH = 0.45
_ALONE = 0.5
_CORRECTING = 0.3
# Dimensions whose unit names the quantity: "store at 4 °C" says temperature, "22 euros" a price, without the word.
_SAY_THEMSELVES = frozenset({"temperature", "length/time", "money", "voltage", "frequency", "clock"})
_NEAR_BEST = 0.65  # of its own source's best: a stray value that two sources share is no agreement on the answer
_CONSIDERED = 24  # candidates of a source that are compared with others'


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value in a sentence and how well it answers."""

    sentence: Sentence
    value: Value
    score: float


def extract(sources: Sequence[Source], parts: Sequence[Focus]) -> list[Claim]:
    """The claims of all sources on all parts, by part and source; at most one a source and part."""
    texts = prepared(sources)
    claims: list[Claim] = []
    for number, focus in enumerate(parts):
        found = candidates(texts, focus)
        claims += [_claim(candidate, number) for candidate in chosen(found)]
    return claims


def candidates(texts: Sequence[Sequence[Sentence]], focus: Focus) -> list[list[Candidate]]:
    """For each source the scored candidates for one part of the question, best first."""
    weight = weights(focus, texts)
    focus = as_figure(texts, focus)
    find = FINDERS[focus.target]
    found = []
    for text in texts:
        fit = Fit(text, focus, weight)
        mine = [
            Candidate(
                sentence, value, fit.at(sentence.place, value.start) + bonus + _HEAD * _headed(sentence, value, focus)
            )
            for sentence in text
            for value, bonus in find(sentence, focus, text[sentence.place - 1] if sentence.place else None)
        ]
        mine = [replace(c, score=c.score - _beside(c, text, focus)) for c in mine]
        found.append(sorted(mine, key=lambda c: -c.score))
    return _of_right_kind(found, focus)


def _beside(candidate: Candidate, text: Sequence[Sentence], focus: Focus) -> float:
    """What a sentence loses that speaks of a contrary condition, or neither it nor its neighbour names what is asked for."""
    sentence = candidate.sentence
    loss = _CONTRARY if contrary(sentence.text, focus.text) else 0.0
    before = text[sentence.place - 1].roots if sentence.place else frozenset()
    if (
        focus.target != "date"
        and not focus.words & (sentence.roots - roots(sentence.source.title))
        and not focus.words & before
    ):
        loss += _STRAY
    told = candidate.value.dimension in focus.dimensions & _SAY_THEMSELVES
    if focus.head and not told and not focus.head & (sentence.roots | before | roots(sentence.source.title)):
        loss += _HEADLESS
    return loss


def _headed(sentence: Sentence, value: Value, focus: Focus) -> float:
    """How near the noun asked for stands to the value: 1 beside it, 0 in another sentence; the share of its words that do."""
    if not focus.head:
        return 0.0
    least = 0.5 if value.dimension in focus.dimensions & _SAY_THEMSELVES else 0.0
    near = {word: sentence.distance(value.start, at) for at, word in sentence.words if word in focus.head}
    return max(least, sum(1 / (1 + distance / 4) for distance in near.values()) / len(focus.head))


def _of_right_kind(found: list[list[Candidate]], focus: Focus) -> list[list[Candidate]]:
    """Only candidates of the dimension asked for, where it occurs anywhere; of the most fitting one, where the question names none."""
    if focus.target != "number":
        return found
    standing: Counter[str] = Counter()
    for mine in found:
        for dimension in {c.value.dimension for c in mine}:
            if not focus.dimensions or dimension in focus.dimensions:
                best = max(c.score for c in mine if c.value.dimension == dimension)
                standing[dimension] += best  # type: ignore[assignment]
    if not focus.dimensions and focus.noun and any(standing):
        standing.pop("", None)  # a conductivity, a limit, a size has a unit where anything has one
    wanted = frozenset(name for name, _ in standing.most_common(1))
    right = [[c for c in mine if c.value.dimension in wanted] for mine in found]
    return right if any(right) else found


def chosen(found: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The best candidate of each source after agreement between sources, where it comes near the best of all.

    A value that no other source has must come nearer: most stray values are alone.
    """
    boosted = []
    found = [_in_force(mine) for mine in found]
    for i, mine in enumerate(found):
        counts = [(c, min(2, _agreeing(c, i, found))) for c in mine[:_CONSIDERED]]
        boosted.append([(replace(c, score=c.score + _AGREED * agreeing), agreeing) for c, agreeing in counts])
    best = [max(mine, key=lambda pair: pair[0].score) for mine in boosted if mine]
    top = max((c.score - _AGREED * max(0, agreeing - 1) for c, agreeing in best), default=0.0)
    return [c for c, agreeing in best if c.score > 0 and c.score >= _least(c, agreeing) * top]


def _least(candidate: Candidate, agreeing: int) -> float:
    """The share of the best score that a source's candidate needs; who corrects a value is heard in any case.

    So is a notice that withdraws one and gives no other: what it withdraws counts against those who still say it.
    """
    status = status_of(candidate.sentence.text, candidate.value.start, candidate.value.end)
    if status == "correction" or (status == "withdrawn" and candidate.sentence.source.kind == "erratum"):
        return _CORRECTING
    return _ENOUGH if agreeing else _ALONE


def _in_force(found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Without the values that a source withdraws, where it puts another in their place."""
    status = [status_of(c.sentence.text, c.value.start, c.value.end) for c in found]
    if "correction" not in status:
        return found
    return [c for c, said in zip(found, status, strict=True) if said != "withdrawn"]


def _agreeing(candidate: Candidate, mine: int, found: Sequence[Sequence[Candidate]]) -> int:
    """Other sources with a candidate of much the same fit that says the same."""
    return sum(
        any(c.score >= _NEAR_BEST * other[0].score and same(c.value, candidate.value) for c in other[:_CONSIDERED])
        for i, other in enumerate(found)
        if i != mine
    )


def _claim(candidate: Candidate, part: int) -> Claim:
    sentence, value = candidate.sentence, candidate.value
    span = sentence.span
    return Claim(
        sentence.source,
        sentence.text,
        span,
        value,
        Span(span.doc_id, span.start + value.start, span.start + value.end),
        max(0.0, min(1.0, candidate.score)),
        part,
        hedge=hedge_of(sentence.text),
        status=status_of(sentence.text, value.start, value.end),
        stated=as_of(sentence.text, value.start, value.end) if value.kind != "date" else "",
    )
