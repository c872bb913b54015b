"""Extract(Q, d) by what generalises of rules: the quantity or date of the kind asked for in the sentence nearest the question.

A sentence is near by the question's words that it holds, each weighed by its rarity; the value by the words between. Names, yes and
no are left to readers: no list of words tells them in text that nobody wrote the list on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decoct.context.casc.extract_reader import read_claims
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource
from decoct.reading.base import AnswerSpan, Readable, Reading, SentenceRelevance
from decoct.text.overlap import rarities
from decoct.text.sentences import sentences
from decoct.text.values import quantities
from decoct.text.words import content, content_stems

_TOLD = ("number", "date", "score")
_HEARD = 0.03  # the nearest sentence is all there is, however unlikely
_LEAST = 0.25  # of the weight of the question's words: below it a sentence only shares a common one


@dataclass(frozen=True, slots=True)
class NearestSentence:
    """A reader without a model: evidence is the share of the question's words that a sentence and its title hold."""

    @property
    def fingerprint(self) -> str:
        """Its name."""
        return "reader:nearest-sentence"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order."""
        cut = [sentences(passage.text) for passage in passages]
        held = [
            [content_stems(passage.text[start:end]) for start, end in mine]
            for passage, mine in zip(passages, cut, strict=True)
        ]
        wanted = sorted({stem for stem, _ in content(question)})
        every = [stems for mine in held for stems in mine]
        rare = rarities([stem for stem in wanted if any(stem in stems for stems in every)], every)
        return [_reading(passage, mine, stems, rare) for passage, mine, stems in zip(passages, cut, held, strict=True)]


def _reading(
    passage: Readable, cut: Sequence[tuple[int, int]], held: Sequence[frozenset[str]], rare: Mapping[str, float]
) -> Reading:
    titled = content_stems(passage.title)
    near = [
        sum(rare[stem] for stem in sorted(rare) if stem in stems or (stem in titled and stem not in stems))
        for stems in held
    ]
    own = [sum(rare[stem] for stem in sorted(rare) if stem in stems) for stems in held]
    told = tuple(
        SentenceRelevance(start, end, min(0.95, a * 0.5 + b * 0.5))
        for (start, end), a, b in zip(cut, near, own, strict=True)
    )
    best = max((s.relevance for s in told), default=0.0)
    spans = [
        AnswerSpan(value.start, value.end, s.relevance / (1 + number))
        for s in told
        if s.relevance >= _LEAST
        for number, value in enumerate(v for v in quantities(passage.text) if s.start <= v.start < s.end)
    ]
    return Reading(tuple(sorted(spans, key=lambda span: -span.score)), best, best, told)


@dataclass(frozen=True, slots=True)
class ByRules:
    """Claims by the nearest sentence."""

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What the rules find."""
        found = read_claims(NearestSentence(), question, sources, parts, _HEARD)
        return Extraction(tuple(claim for claim in found.claims if claim.value.kind in _TOLD), found.sentences)
