"""What holds: not an edition that a later one replaces, nor what a message quotes where its own words say otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product, starmap

from decoct.answer.decision import Certainty, ClaimCandidate, ranked
from decoct.context.casc.sources import EvidenceSource, is_older_edition, numbers_of_edition, version_at_head
from decoct.data import Passage, Span
from decoct.text.equality import comparable
from decoct.text.quotable import is_quoted
from decoct.text.values import parse_values
from decoct.text.words import words as folded

_MAY_ANSWER = 0.1  # likely enough to hold in another's place


def replaced_editions(question: str, passages: Sequence[Passage]) -> frozenset[str]:
    """The ids of those documents of `passages` that a later edition among them replaces (`is_older_edition`).

    The later one holds, unless the question names the other's year or version.
    """
    asked = set(numbers_of_edition(question))
    titles = {one.support[0].doc_id: one.title for one in passages}
    texts: dict[str, list[tuple[Span, str]]] = defaultdict(list)
    for one in sorted(passages, key=lambda one: one.support[0]):
        texts[one.support[0].doc_id].append((one.support[0], one.text))
    held = [
        EvidenceSource("", doc_id, tuple(told), titles[doc_id], version=_version(told))
        for doc_id, told in texts.items()
    ]
    return frozenset(
        one.doc_id
        for one, other in permutations(held, 2)
        if asked.isdisjoint(numbers_of_edition(f"{one.title} {one.doc_id}")) and is_older_edition(one, other)
    )


def _version(told: Sequence[tuple[Span, str]]) -> tuple[int, ...]:
    """The version that a document states at its beginning, where that is told."""
    return version_at_head(told[0][1]) if told[0][0].start == 0 else ()


def in_force_first(claims: Sequence[ClaimCandidate], certainty: Certainty) -> list[ClaimCandidate]:
    """The claims, of those that a message quotes the ones replaced, and behind its own words, that these may answer otherwise."""
    own = [one for one in claims if not _is_quoted(one)]
    older = [_is_quoted(one) and any(_answers_for(other, one) for other in own) for one in claims]
    if not any(older):
        return list(claims)
    marked = [
        replace(one, evidence=replace(one.evidence, replaced=1.0)) if old else one
        for one, old in zip(claims, older, strict=True)
    ]
    again = ranked(marked, certainty)
    places = dict[int, float]()
    for n, one in enumerate(again):
        before = [k for k, other in enumerate(again) if not other.evidence.replaced and _answers_for(other, one)]
        places[n] = max(n, before[0] + 0.5) if before and one.evidence.replaced else n
    return [again[n] for n in sorted(places, key=lambda n: places[n])]


def _is_quoted(one: ClaimCandidate) -> bool:
    passage = one.found.read.passage
    return is_quoted(passage.text, one.found.sentence[0], passage.place)


def _answers_for(reply: ClaimCandidate, older: ClaimCandidate) -> bool:
    """Whether words of the same document may answer, and say something else of the kind."""
    if reply.found.read.passage.support[0].doc_id != older.found.read.passage.support[0].doc_id:
        return False
    mine, theirs = parse_values(reply.found.words), parse_values(older.found.words)
    alike = any(starmap(comparable, product(mine, theirs))) or not (mine or theirs)
    return alike and reply.probability >= _MAY_ANSWER and folded(reply.found.words) != folded(older.found.words)
