"""Which of the statements that differ are of one thing: what an audit of a folder sets against one another.

In a folder most documents that answer a question alike speak of two things: two depots, two meetings, a fee of another service. A
statement is said of what is asked where it, with what stands around it (title, headings, heads of row and column, the sentences before),
lacks no more than `_LACKING` of the question's words, by their rarity, that the best one has; words that none has tell nothing. Two such
statements are of one thing where a second reading finds that they answer about as likely (odds within a factor of e to `_AS_LIKELY`; from
`_CLEARLY` on all are alike, whatever words they lack) and no title sets them apart: none has a name where the other has another
(`are_of_two_things`), nor a day, unless both have the question's names (`are_of_two_days`). What editions of one document say is of one
thing where one of them is said of what is asked. Days of two years that go with those of their documents are of two occasions. All else is
told beside, with why.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import PurePath

from decoct.answer.base import Reader
from decoct.answer.short_answers import ShortAnswers
from decoct.answer.surroundings import Surroundings, surroundings
from decoct.context.casc.check import type_of
from decoct.context.casc.claims import Claim, Cluster, Findings, Side, sides_differ
from decoct.context.casc.extract_reader import alone
from decoct.context.casc.extractor import Extraction, Extractor
from decoct.context.casc.focus import Focus
from decoct.context.casc.independent import connected_components
from decoct.context.casc.resolve import POLICY, Rule, resolve, weight_of
from decoct.context.casc.same_question import are_of_two_days, are_of_two_things
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.context.casc.weighing import thresholds
from decoct.data import Answer, Passage, Span
from decoct.reading.base import SecondReader, StatementToRead, log_odds
from decoct.text.equality import same_value
from decoct.text.names import question_runs
from decoct.text.overlap import rarities
from decoct.text.values import value_of
from decoct.text.wholes import Place
from decoct.text.words import content_stems

_WORD = re.compile(r"[^\W_]+")
_LACKING = 0.3
_AS_LIKELY, _CLEARLY = 1.0, 1.5  # log-odds
_SEVERAL = 6  # among fewer documents no word is rare


def by_thing(
    findings: Findings,
    parts: Sequence[Focus],
    policy: Sequence[Rule] = POLICY,
    second: SecondReader | None = None,
) -> Findings:
    """The findings, each conflict between statements of one thing (without `second` none is read again); all else is told beside, with why.

    What `check` set aside is told as well where it differs. A limit and a number within it conflict: two documents promise two things.
    """
    texts = [content_stems(source.titled_text) for source in findings.sources]
    clusters: list[Cluster] = []
    for cluster in findings.clusters:
        focus = parts[cluster.part]
        joined = [one for one in cluster.beside if any(_limits_differ(one, side) for side in cluster.sides)]
        beside = [replace(one, why=_uncompared(one)) for one in cluster.beside if one not in joined]
        aside = [_aside(claim) for claim in findings.further if claim.part == cluster.part]
        beside += [one for one in aside if any(sides_differ(one, side, focus.words) for side in cluster.sides)]
        now = replace(cluster, sides=(*cluster.sides, *joined), beside=tuple(beside))
        clusters += _by_thing(now, focus, texts, policy, second) if joined or cluster.status == "conflict" else [now]
    return replace(findings, clusters=tuple(clusters))


def _limits_differ(one: Side, other: Side) -> bool:
    """Whether two quantities differ, of which one is a limit that the other keeps."""
    values = one.best.value, other.best.value
    return any(value.limit for value in values) and same_value(*(replace(value, limit="") for value in values)) is False


def _uncompared(side: Side) -> str:
    return "not surely read" if side.sure < thresholds()["differs"] else "may hold beside the others"


def _aside(claim: Claim) -> Side:
    """What was set aside, as a side of its own."""
    why = "a draft" if claim.source.kind == "draft" else "of another thing, year or condition"
    return Side(claim.value.raw, (claim,), 1, weight_of(claim), claim.value.kind, why)


def _by_thing(
    cluster: Cluster,
    focus: Focus,
    texts: Sequence[frozenset[str]],
    policy: Sequence[Rule],
    second: SecondReader | None,
) -> list[Cluster]:
    """A conflict for each thing that some of the sides of one differ on."""
    sides: Sequence[Side] = cluster.sides
    around = {claim: surroundings(*_placed(claim)) for side in sides for claim in side.claims}
    said = {claim: content_stems(f"{place.title} {claim.quote}") | place.all_stems for claim, place in around.items()}
    known = focus.words.intersection(frozenset().union(*said.values())) if len(texts) >= _SEVERAL else ()
    rare = rarities(sorted(known), texts)
    held = {claim: sum(share for word, share in rare.items() if word in stems) for claim, stems in said.items()}
    answers = _answers(second, focus.text, around) if second is not None else dict.fromkeys(said, 0.0)
    compared = _Compared(said, held, answers, content_stems(" ".join(question_runs(focus.text))))
    rivals: list[tuple[int, int]] = []
    whys: dict[Claim, str] = {}
    for (i, mine), (j, theirs) in combinations(enumerate(sides), 2):
        if sides_differ(mine, theirs, focus.words) or _limits_differ(mine, theirs):
            found = [compared.apart(one, other) for one in mine.claims for other in theirs.claims]
            whys |= found[0]
            rivals += [(i, j)] if {} in found else []
    sides = [replace(side, why=next((whys[one] for one in side.claims if one in whys), "")) for side in sides]
    group = connected_components(len(sides), rivals)
    things = [
        tuple(side for side, of in zip(sides, group, strict=True) if of == first) for first in dict.fromkeys(group)
    ]
    rival = [thing for thing in things if len(thing) > 1]
    if not rival:
        return [replace(cluster, sides=tuple(sides), status="conditional", type="scope", verdict=None)]
    beside = (*cluster.beside, *(thing[0] for thing in things if len(thing) == 1))
    settles = thresholds()["settles"]
    made = [
        replace(cluster, sides=thing, status="conflict", type=type_of(thing), verdict=verdict, beside=())
        for thing in rival
        for verdict in [resolve(thing, focus, policy, settles)]
    ]
    return [replace(made[0], beside=beside), *made[1:]]


@dataclass(frozen=True, slots=True)
class _Compared:
    """Claims with the words around each, the share of the question that it has, how likely it answers, and the question's names."""

    said: Mapping[Claim, frozenset[str]]
    held: Mapping[Claim, float]
    answers: Mapping[Claim, float]
    names: frozenset[str]

    def apart(self, one: Claim, other: Claim) -> dict[Claim, str]:
        """Which of two claims is of another thing, and why; none where both are of one."""
        both = (one, other)
        less, unlike = (min(both, key=lambda claim: table[claim]) for table in (self.held, self.answers))
        unsure = min(both, key=lambda claim: claim.sure)
        least = min(CAUTION, max(claim.sure for claim in self.said))
        leading = [claim.sure >= least for claim in both]
        editions, clear = are_editions(one.source, other.source), self.answers[unlike] >= _CLEARLY
        lacking = max(self.held[claim] for claim in self.said if claim.sure >= least) - _LACKING > (
            max(map(self.held.__getitem__, both)) if editions else self.held[less]
        )
        named = bool(self.names) and self.names <= self.said[one] & self.said[other]
        told = [
            (_are_of_own_years(one, other), both, "each of its own year"),
            (lacking and (editions or not clear), (less,), "says less of what is asked"),
            (not (any(leading) if editions else all(leading) or clear), (unsure,), "not surely read"),
            (
                abs(self.answers[one] - self.answers[other]) > _AS_LIKELY and not editions,
                (unlike,),
                "answers less likely",
            ),
            (are_of_two_things(one.source, other.source), both, "of two things, by their titles"),
            (are_of_two_days(one.source, other.source) and not named, both, "of two days, by their titles"),
        ]
        return next((dict.fromkeys(claims, why) for is_apart, claims, why in told if is_apart), {})


def _are_of_own_years(one: Claim, other: Claim) -> bool:
    """Whether two editions say days as many years apart as they are, or one source a day of its year, and one of another."""
    values, years = (one.value, other.value), [claim.source.year for claim in (one, other)]
    if any(value.kind != "date" for value in values) or all(value.dimension for value in values) or not all(years):
        return False
    own = [int(year) for year in years]
    said = [
        year if value.dimension else datetime.date.fromordinal(max(1, int(value.low))).year
        for value, year in zip(values, own, strict=True)
    ]
    mixed = any(value.dimension for value in values)
    return said[0] != said[1] and (
        mixed or (are_editions(one.source, other.source) and said[0] - said[1] == own[0] - own[1])
    )


def _answers(second: SecondReader, question: str, around: Mapping[Claim, Surroundings]) -> dict[Claim, float]:
    """The log-odds that the statement of each claim answers: `_CLEARLY` at the most, and five at the least."""
    asked = []
    for claim, place in around.items():
        passage, sentence, _ = _placed(claim)
        asked.append(StatementToRead(question, passage.text, *sentence, place.heading))
    read = second.read(asked)
    return {claim: max(-5.0, min(_CLEARLY, log_odds(one.answers))) for claim, one in zip(around, read, strict=True)}


def _placed(claim: Claim) -> tuple[Passage, Place, Place]:
    """The piece of its source that a claim stands in, with the places of its statement and of its value there.

    The file's name stands in for a title that is missing.
    """
    span, text = next(one for one in claim.source.pieces if one[0].start <= claim.span.start < one[0].end)
    sentence, value = ((one.start - span.start, one.end - span.start) for one in (claim.span, claim.value_span))
    title = claim.source.title or " ".join(_WORD.findall(PurePath(claim.source.doc_id).stem))
    return Passage(text, (span,), title=title), sentence, value


# Claims of an extractor that the reader of passages makes too, each document read by itself: what an audit of a folder compares.
#
# An extractor looks for the likeliest value in every document, since it is handed documents that bear on the question. In a folder most do
# not: so a document counts where the reader, whose certainty is fitted on whole libraries (`certainty.py`), answers from it alone, and a
# claim where it stands in the words of this answer, with the same yes or no. Where the extractor makes no such claim, as of most cells of
# tables, the answer's own words are one. Two documents that are both right with `CAUTION` conflict rightly with four fifths of a chance, as
# a claim at .75 is right for nine of ten; from `ANSWERS` on a document is told beside, unless the second reading is clear of both. Editions
# of one document speak of the same: they count from `EDITION` on beside one that counts.
CAUTION = 0.75  # sure by itself
ANSWERS, EDITION = 0.5, 0.2  # more likely right than wrong; what another edition makes likely


@dataclass(frozen=True, slots=True)
class ClaimedTwice:
    """The claims of `extractor` that `reader`, which answers from `EDITION` on, makes as well, and its own where there is none."""

    extractor: Extractor
    reader: Reader = field(default_factory=lambda: ShortAnswers().with_(caution=EDITION))

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What both say, and the reader alone."""
        read = {source.doc_id: self.reader.answer(alone(question, source)) for source in sources}
        heard = _heard(sources, {doc_id: _sure(answer) for doc_id, answer in read.items()})
        found = self.extractor.extract(question, heard, parts)
        both = [
            replace(claim, sure=_sure(read[claim.source.doc_id]))
            for claim in found.claims
            if _says(read[claim.source.doc_id], claim)
        ]
        told = {claim.source.doc_id for claim in both}
        others = [source for source in heard if source.doc_id not in told and len(parts) == 1]
        own = [claim for source in others for claim in _claim(read[source.doc_id], source)]
        places = {source.doc_id: at for at, source in enumerate(sources)}
        claims = sorted((*both, *own), key=lambda claim: (claim.part, places[claim.source.doc_id]))
        return Extraction(tuple(claims), found.sentences)


def _sure(answer: Answer) -> float:
    """How sure an answer is: 1 where the reader does not tell."""
    if answer.outcome != "answer":
        return 0.0
    return 1.0 if answer.score is None else answer.score


def _heard(sources: Sequence[EvidenceSource], sure: Mapping[str, float]) -> list[EvidenceSource]:
    """The documents that count, in their order."""
    leading = [one for one in sources if sure[one.doc_id] >= ANSWERS]
    return [
        source
        for source in sources
        if source in leading or (sure[source.doc_id] >= EDITION and any(are_editions(source, one) for one in leading))
    ]


def _says(answer: Answer, claim: Claim) -> bool:
    """Whether an answer's words stand where a claim's value does; to a question of yes or no both are the same word."""
    value, place = claim.value, claim.value_span
    if value.kind == "bool" and value.dimension not in {one.text for one in answer.answers}:
        return False
    words = [one.text for one in answer.answers if one.start < place.end and place.start < one.end]
    return not all(_is_longer_number(one, value.raw) for one in words)


def _is_longer_number(words: str, part: str) -> bool:
    """Whether words are digits and marks alone, and more of them than `part` has: of a telephone number a part is no value."""
    return not any(map(str.isalpha, words)) and sum(map(str.isdigit, words)) > sum(map(str.isdigit, part))


def _claim(answer: Answer, source: EvidenceSource) -> Iterator[Claim]:
    """What the likeliest words of an answer say, in the sentence or row that is cited for them; yes and no need both readers."""
    for one in answer.answers[:1]:
        value = value_of(one.text)
        cited = next((c.source for c in answer.citations if c.source.start <= one.start < c.source.end), None)
        if cited is not None and value.kind != "bool":
            start = one.start + max(0, one.text.find(value.raw))
            place, span = Span(one.doc_id, start, start + len(value.raw)), Span(one.doc_id, cited.start, cited.end)
            yield Claim(source, cited.quote, span, value, place, one.score, sure=one.score)
