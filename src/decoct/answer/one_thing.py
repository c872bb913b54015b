"""Which of the statements that differ are of one thing: what an audit of a folder sets against one another.

In a folder most documents that answer a question alike speak of two things: two depots, two meetings, a fee of another service. A
statement is said of what is asked where it, with what stands around it (title, headings, heads of row and column, the sentences before),
lacks no more than `_LACKING` of the question's words, by their rarity, that the best one has; words that none has tell nothing. Two such
statements are of one thing where a second reading finds that they answer about as likely (odds within a factor of e to `_AS_LIKELY`; from
`_CLEARLY` on all are alike) and no title sets them apart: none has a name where the other has another (`are_of_two_things`), nor a day,
unless both have the question's names (`are_of_two_days`). What editions of one document say is of one thing where one of them is said of
what is asked. All else is told beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from decoct.answer.surroundings import Surroundings, surroundings
from decoct.context.casc.check import type_of
from decoct.context.casc.claims import Claim, Cluster, Findings, sides_differ
from decoct.context.casc.focus import Focus
from decoct.context.casc.independent import connected_components
from decoct.context.casc.resolve import POLICY, Rule, resolve
from decoct.context.casc.same_question import are_of_two_days, are_of_two_things
from decoct.context.casc.sources import are_editions
from decoct.context.casc.weighing import thresholds
from decoct.data import Passage
from decoct.reading.base import log_odds
from decoct.reading.second import SecondReader, StatementToRead
from decoct.text.names import question_runs
from decoct.text.overlap import rarities
from decoct.text.wholes import Place
from decoct.text.words import content_stems

_LACKING = 0.3
_AS_LIKELY, _CLEARLY = 1.0, 1.5  # log-odds
_SEVERAL = 6  # among fewer documents no word is rare


def by_thing(
    findings: Findings,
    parts: Sequence[Focus],
    policy: Sequence[Rule] = POLICY,
    second: SecondReader | None = None,
) -> Findings:
    """The findings, each conflict between statements of one thing (without `second` none is read again); what is of another is beside."""
    texts = [content_stems(source.titled_text) for source in findings.sources]
    clusters: list[Cluster] = []
    for cluster in findings.clusters:
        focus = parts[cluster.part]
        clusters += _by_thing(cluster, focus, texts, policy, second) if cluster.status == "conflict" else [cluster]
    return replace(findings, clusters=tuple(clusters))


def _by_thing(
    cluster: Cluster,
    focus: Focus,
    texts: Sequence[frozenset[str]],
    policy: Sequence[Rule],
    second: SecondReader | None,
) -> list[Cluster]:
    """A conflict for each thing that some of the sides of one differ on."""
    sides = cluster.sides
    around = {claim: surroundings(*_placed(claim)) for side in sides for claim in side.claims}
    said = {
        claim: content_stems(f"{claim.source.title} {claim.quote}") | place.all_stems for claim, place in around.items()
    }
    known = focus.words.intersection(frozenset().union(*said.values())) if len(texts) >= _SEVERAL else ()
    rare = rarities(sorted(known), texts)
    held = {claim: sum(share for word, share in rare.items() if word in stems) for claim, stems in said.items()}
    best = max(held.values())
    answers = _answers(second, focus.text, around) if second is not None else dict.fromkeys(said, 0.0)
    names = content_stems(" ".join(question_runs(focus.text)))

    def are_of_one_thing(one: Claim, other: Claim) -> bool:
        if are_editions(one.source, other.source):
            return max(held[one], held[other]) >= best - _LACKING
        if min(held[one], held[other]) < best - _LACKING or abs(answers[one] - answers[other]) > _AS_LIKELY:
            return False
        if are_of_two_things(one.source, other.source):
            return False
        named = names and names <= said[one] & said[other]
        return bool(named) or not are_of_two_days(one.source, other.source)

    rivals = [
        (i, j)
        for i, j in combinations(range(len(sides)), 2)
        if sides_differ(sides[i], sides[j], focus.words)
        and any(are_of_one_thing(one, other) for one in sides[i].claims for other in sides[j].claims)
    ]
    group = connected_components(len(sides), rivals)
    things = [
        tuple(side for side, of in zip(sides, group, strict=True) if of == first) for first in dict.fromkeys(group)
    ]
    found = [thing for thing in things if len(thing) > 1]
    if not found:
        return [replace(cluster, status="conditional", type="scope", verdict=None)]
    beside = (*cluster.beside, *(thing[0] for thing in things if len(thing) == 1))
    settles = thresholds()["settles"]
    made = [
        replace(cluster, sides=thing, type=type_of(thing), verdict=resolve(thing, focus, policy, settles), beside=())
        for thing in found
    ]
    return [replace(made[0], beside=beside), *made[1:]]


def _answers(second: SecondReader, question: str, around: Mapping[Claim, Surroundings]) -> dict[Claim, float]:
    """The log-odds that the statement of each claim answers: `_CLEARLY` at the most, and five at the least."""
    asked = []
    for claim, place in around.items():
        passage, sentence, _ = _placed(claim)
        asked.append(StatementToRead(question, passage.text, *sentence, place.heading))
    read = second.read(asked)
    return {claim: max(-5.0, min(_CLEARLY, log_odds(one.answers))) for claim, one in zip(around, read, strict=True)}


def _placed(claim: Claim) -> tuple[Passage, Place, Place]:
    """The piece of its source that a claim stands in, with the places of its statement and of its value there."""
    span, text = next(one for one in claim.source.pieces if one[0].start <= claim.span.start < one[0].end)
    sentence, value = ((one.start - span.start, one.end - span.start) for one in (claim.span, claim.value_span))
    return Passage(text, (span,), title=claim.source.title), sentence, value
