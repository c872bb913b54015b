"""A source's text prepared for extraction: sentences with their words, stems and offsets, once for all parts of a question."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from decoct.context.casc.focus import Focus
from decoct.context.casc.roots import root, roots
from decoct.context.casc.sources import Source
from decoct.data import Span
from decoct.text.sentences import sentences
from decoct.text.values import Value, quantities

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(
    r"[;:—–]|, (?:and|but|while|whereas|against|which|who|whose)\b|\bwhereas\b|\bwhile\b|\bagainst\b|\bversus\b|\bbut\b"
)


@dataclass(frozen=True)
class Sentence:
    """Sentence `place` of a source, at `span`; `starts` and `words` are the places and stems of its words."""

    source: Source
    place: int
    span: Span
    text: str

    @cached_property
    def words(self) -> list[tuple[int, str]]:
        """The place and root of every word, function words as an empty stem."""
        return [(m.start(), root(m.group())) for m in _WORD.finditer(self.text)]

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of its content words."""
        return frozenset(word for _, word in self.words if word)

    @cached_property
    def starts(self) -> list[int]:
        """Where its words begin."""
        return [start for start, _ in self.words]

    @cached_property
    def breaks(self) -> list[int]:
        """Where a clause begins."""
        return [m.start() for m in _CLAUSE.finditer(self.text)]

    @cached_property
    def values(self) -> list[Value]:
        """The quantities and dates in it."""
        return quantities(self.text)

    def distance(self, at: int, other: int) -> float:
        """Words between two places of the sentence; a clause border counts as four, another value between them as three."""
        low, high = sorted((at, other))
        words = bisect_left(self.starts, high) - bisect_left(self.starts, low)
        borders = bisect_left(self.breaks, high) - bisect_left(self.breaks, low)
        between = sum(low < value.start and value.end < high for value in self.values)
        return words + 4 * borders + 3 * between


def prepared(sources: Sequence[Source]) -> list[list[Sentence]]:
    """The sentences of each source, in text order."""
    found = []
    for source in sources:
        mine: list[Sentence] = []
        for span, text in source.pieces:
            for start, end in sentences(text):
                place = Span(span.doc_id, span.start + start, span.start + end)
                mine.append(Sentence(source, len(mine), place, text[start:end]))
        found.append(mine)
    return found


def weights(focus: Focus, texts: Sequence[Sequence[Sentence]]) -> Mapping[str, float]:
    """How much each of the question's words tells, as a share of 1: by its inverse frequency among the sentences.

    A word that no sentence holds weighs nothing: which synonym the author of the question used is not the documents' fault.
    """
    every = [sentence.roots for text in texts for sentence in text]
    titles = [roots(text[0].source.title) for text in texts if text]
    counts = Counter(word for words in [*every, *titles] for word in words & focus.words)
    raw = {word: math.log(1 + len(every) / (0.5 + counts[word])) for word in focus.words if counts[word]}
    total = sum(raw.values()) or 1.0
    return {word: amount / total for word, amount in raw.items()}
