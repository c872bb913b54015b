"""Whether words are said of another thing than the question names, where both have texts of one form: two depots, two villas, two tariffs.

Two parts of a text below different headings or items, or two documents, are siblings where a sentence of one is of the same form as one of
the other: the same content words, names of the two and values aside ("It opens at six." and "It opens at nine."). Where the question names
one of them and not the other, the other's sentence is no answer. Names alone decide nothing: a question in two steps is answered under a
title that it does not name. Only of two terms of which one's name is part of the other's (the options `wait` and `waitratio`) what is said
of the one is never said of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from decoct.answer.decision import ClaimCandidate
from decoct.answer.surroundings import names_over
from decoct.context.casc.sources import EvidenceSource, is_older_edition, numbers_of_edition, version_at_head
from decoct.data import Passage, Span
from decoct.text.lists import MONTHS, SCALES, SPELT
from decoct.text.outline import above
from decoct.text.quotable import is_quoted
from decoct.text.sentences import sentences
from decoct.text.terms import term_above, terms
from decoct.text.times import WEEKDAYS
from decoct.text.wholes import FIELD, Place
from decoct.text.words import content_stems, stem
from decoct.text.words import words as folded

_LEAST = 0.6  # of the content words of both, those that they share
_LONG = 4  # letters of the name of a term that may be part of another's
_VALUES = frozenset(map(stem, (*SPELT, *SCALES, *MONTHS, *WEEKDAYS)))


@dataclass(frozen=True, slots=True)
class PlacedSentence:
    """A sentence's frame (its stems without values), and what it is below: its document's title and the names above it, outermost first."""

    document: str
    path: tuple[frozenset[str], ...]
    frame: frozenset[str]


@dataclass(frozen=True)
class SiblingSentences:
    """The sentences of some passages by what they are below; `asked` are the stems of the question."""

    asked: frozenset[str]
    passages: Sequence[Passage]

    @cached_property
    def _told(self) -> list[PlacedSentence]:
        return [
            _placed(passage, place)
            for passage in self.passages
            for place in sentences(passage.text)
            if above(passage.text, place[0]) or passage.title
        ]

    @cached_property
    def _terms(self) -> frozenset[str]:
        """The names of the terms of the passages."""
        named = {_term_of(passage, start) for passage in self.passages for start, _ in terms(passage.text)}
        return frozenset(one for one in named if len(one) >= _LONG)

    def _is_under_another_term(self, passage: Passage, sentence: Place) -> bool:
        """Whether it stands under a term whose name is part of one that the question names, or the other way round."""
        term = _term_of(passage, sentence[0])
        if len(term) < _LONG or stem(term) in self.asked:
            return False
        asked = self.asked - content_stems(passage.text[slice(*sentence)])
        return any((term in other or other in term) and stem(other) in asked for other in self._terms)

    def is_of_another(self, passage: Passage, sentence: Place, words: str) -> bool:
        """Whether a sentence is below a sibling of what the question names, or `words` stand in another row or column than it names."""
        if self._is_under_another_term(passage, sentence) or self._is_of_another_record(passage, words):
            return True
        own = _placed(passage, sentence)
        answer = content_stems(words)
        return any(self._is_named(own, other) and _alike(own, other, answer) for other in self._told)

    @cached_property
    def _records(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """The fields of the rows that are documents of their own, by their file and document."""
        found: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        for passage in self.passages:
            fields = [FIELD.fullmatch(line) for line in passage.text.split("\n") if line.strip()]
            if "#" in passage.support[0].doc_id and all(fields):
                doc_id = passage.support[0].doc_id
                found[doc_id.rpartition("#")[0]].setdefault(doc_id, {one[1]: one[2] for one in fields if one})
        return found

    @cached_property
    def _unmeant(self) -> Mapping[str, tuple[str, ...] | None]:
        """Of rows that the question does not mean: None where it names another row of the file by its first field.

        The row's values where it names a field that is blank in this one.
        """
        found: dict[str, tuple[str, ...] | None] = {}
        for rows in self._records.values():
            keys = {key: content_stems(key) for row in rows.values() for key in row}
            names = {doc_id: content_stems(next(iter(row.values()))) for doc_id, row in rows.items()}
            for doc_id, own in rows.items():
                values = content_stems(" ".join(own.values()))
                rest = self.asked - values - content_stems(" ".join(own))
                others = (name for other, name in names.items() if other != doc_id)
                if not self.asked & values and any(name and name <= rest for name in others):
                    found[doc_id] = None
                elif any(stems & rest for key, stems in keys.items() if key not in own):
                    found[doc_id] = tuple(own.values())
        return found

    def _is_of_another_record(self, passage: Passage, words: str) -> bool:
        """Whether `words` stand in a row of a file that the question does not mean, or in the place of a field that it lacks."""
        values = self._unmeant.get(passage.support[0].doc_id, ())
        return values is None or words in values

    def _is_named(self, own: PlacedSentence, other: PlacedSentence) -> bool:
        """Whether the question names `other` where the paths part, and not `own`."""
        at = next((n for n, (a, b) in enumerate(zip(own.path, other.path, strict=False)) if a != b), None)
        if at is None or (own.document == other.document and at == 0):
            return False
        mine, others = own.path[at] - other.path[at], other.path[at] - own.path[at]
        return bool(others) and others <= self.asked and not (mine and mine <= self.asked)


def _term_of(passage: Passage, at: int) -> str:
    return term_above(passage.text, above(passage.text, at))


def _placed(passage: Passage, place: Place) -> PlacedSentence:
    names = names_over(passage, place[0])
    path = tuple(dict.fromkeys(stems for name in names if (stems := content_stems(name))))
    frame = frozenset(w for w in content_stems(passage.text[slice(*place)]) if not w.isdigit()) - _VALUES
    return PlacedSentence(passage.support[0].doc_id, path, frame)


def _alike(own: PlacedSentence, other: PlacedSentence, answer: frozenset[str]) -> bool:
    mine = own.frame.difference(*own.path) - answer
    others = other.frame.difference(*other.path)
    shared = len(mine & others)
    return bool(mine) and shared / max(1, min(len(mine), len(others))) >= _LEAST and shared / len(mine) >= _LEAST


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


def replies_first(claims: Sequence[ClaimCandidate]) -> list[ClaimCandidate]:
    """The claims, of those that a text quotes the ones replaced that its own words say otherwise."""
    places = [(one.found.read.passage, one.found.sentence[0]) for one in claims]
    quoted = [is_quoted(passage.text, at, passage.place) for passage, at in places]
    own = [one for one, other in zip(claims, quoted, strict=True) if not other]
    return [
        replace(one, evidence=replace(one.evidence, replaced=1.0))
        if other and any(_answers_for(reply, one) for reply in own)
        else one
        for one, other in zip(claims, quoted, strict=True)
    ]


def _answers_for(reply: ClaimCandidate, older: ClaimCandidate) -> bool:
    """Whether the reply speaks of as much of the question as what it quotes, and says something else of the kind."""
    mine, theirs = reply.evidence, older.evidence
    same = reply.found.read.passage.support[0].doc_id == older.found.read.passage.support[0].doc_id
    as_much = mine.in_heading >= theirs.in_heading
    return same and as_much and folded(reply.found.words) != folded(older.found.words)
