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
from dataclasses import dataclass
from functools import cached_property

from decoct.answer.surroundings import names_over
from decoct.data import Passage
from decoct.text.lists import MONTHS, SCALES, SPELT
from decoct.text.outline import above
from decoct.text.sentences import sentences
from decoct.text.terms import term_above, terms
from decoct.text.times import WEEKDAYS
from decoct.text.wholes import FIELD, Place
from decoct.text.words import content_stems, stem

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
