"""What holds: not an edition that a later one replaces, what a message quotes beside its own words, nor what begins later or has ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import permutations, product, starmap

from decoct.answer.asked_values import asked_values
from decoct.answer.decision import Certainty, ClaimCandidate, ranked
from decoct.answer.surroundings import names_over
from decoct.context.casc.sources import EvidenceSource, is_older_edition, numbers_of_edition, version_at_head
from decoct.data import Passage, Span
from decoct.text.cells import placed_cells
from decoct.text.equality import comparable
from decoct.text.quotable import is_quoted, is_row
from decoct.text.values import Value, parse_values, value_of
from decoct.text.wholes import Place
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


def in_force_first(
    question: str, claims: Sequence[ClaimCandidate], certainty: Certainty, today: date
) -> list[ClaimCandidate]:
    """The claims, of those that are not in force the ones replaced, and behind what is, that others may answer otherwise.

    Not in force is what a message quotes, by its own words; and what begins after `today`, or ended before, unless the question names a
    date or asks what will be.
    """
    dated = "will" in folded(question) or any(value.kind == "date" for value in parse_values(question))
    on = None if dated else today
    quoted = [_is_quoted(one) for one in claims]
    absent = [on is not None and is_absent(one, on) for one in claims]
    now = [one for one, *out in zip(claims, quoted, absent, strict=True) if not any(out)]
    older = [
        (was or out) and any(_answers_for(other, one) and (out or _document(other) == _document(one)) for other in now)
        for one, was, out in zip(claims, quoted, absent, strict=True)
    ]
    if not any(older):
        return list(claims)
    marked = [
        replace(one, evidence=replace(one.evidence, replaced=1.0)) if old else one
        for one, old in zip(claims, older, strict=True)
    ]
    again = ranked(marked, certainty)
    places = dict[int, float]()
    for n, one in enumerate(again):
        others = enumerate(again) if one.evidence.replaced else ()
        before = next((k for k, other in others if not other.evidence.replaced and _answers_for(other, one)), None)
        places[n] = n if before is None else max(n, before + 0.5)
    return [again[n] for n in sorted(places, key=lambda n: places[n])]


def _document(one: ClaimCandidate) -> str:
    return one.found.read.passage.support[0].doc_id


def _is_quoted(one: ClaimCandidate) -> bool:
    passage = one.found.read.passage
    return is_quoted(passage.text, one.found.sentence[0], passage.place)


def _answers_for(other: ClaimCandidate, older: ClaimCandidate) -> bool:
    """Whether words may answer, and say something else of the kind."""
    mine, theirs = parse_values(other.found.words), parse_values(older.found.words)
    alike = any(starmap(comparable, product(mine, theirs))) or not (mine or theirs)
    return alike and other.probability >= _MAY_ANSWER and folded(other.found.words) != folded(older.found.words)


def is_absent(one: ClaimCandidate, on: date) -> bool:
    """Whether words hold from a later day on, or held until an earlier one, by their sentence, column or headings."""
    passage, sentence, (start, end) = one.found.read.passage, one.found.sentence, one.found.place
    over = names_over(passage, sentence[0])
    if not any(map(str.isdigit, "".join((*over, one.found.quote)))):
        return False
    if not is_row(one.found.quote):
        place = start - sentence[0], end - sentence[0]
        return any(_absences(name, on) for name in over) or _is_of_absence(one.found.quote, place, on)
    cells = placed_cells(passage.text, sentence) or []
    said = [
        f"{head} {cell}"
        for head, place in cells
        if (cell := passage.text[slice(*place)]) and (place[0] <= start < place[1] or value_of(cell).kind == "date")
    ]
    return any(_absences(name, on) for name in (*over, *said))


def _absences(text: str, on: date) -> list[Value]:
    """The dates of a text from which on, or until which, something holds that does not on a day."""
    day = on.toordinal()
    return [
        value
        for value, side in asked_values(text).values
        if value.kind == "date"
        and not value.dimension
        and ((side in (">", "≥") and value.low > day) or (side in ("<", "≤") and value.high < day))
    ]


def _is_of_absence(sentence: str, place: Place, on: date) -> bool:
    """Whether a sentence says words of such a date, other numbers aside: it is nearest to them, or they follow in no bracket."""
    values = [one for one in parse_values(sentence) if one.kind == "number"]
    is_number = any(place[0] < one.end and one.start < place[1] for one in values)
    for value in _absences(sentence, on):
        gaps = [
            max(value.start - end, start - value.end) for start, end in (place, *((v.start, v.end) for v in values))
        ]
        between = sentence[value.end : place[0]]
        follows = value.low > on.toordinal() and value.end <= place[0] and between.count("(") <= between.count(")")
        if gaps[0] >= 0 and (follows or not is_number or gaps[0] <= min(gaps)):
            return True
    return False
