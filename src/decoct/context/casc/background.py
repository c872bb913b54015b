"""Sentences that bear on the question, whatever value was taken from them: the net below a slot that was read wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import Focus
from decoct.context.casc.rank import Fit
from decoct.context.casc.sources import Source
from decoct.context.casc.text import prepared, weights
from decoct.text.overlap import jaccard, shingles
from decoct.text.values import Value

_REPEAT = 0.5  # word 3-grams in common: the same sentence in another's words adds nothing
_LEAST = 0.3  # of the question's weight: below it a sentence only shares a common word


def background(sources: Sequence[Source], parts: Sequence[Focus], most: int) -> list[Claim]:
    """The `most` best sentences over all parts and sources, best first, none nearly twice; as claims without a value."""
    texts = prepared(sources)
    found: list[Claim] = []
    for number, focus in enumerate(parts):
        weight = weights(focus, texts)
        for text in texts:
            fit = Fit(text, focus, weight)
            for sentence in text:
                score = fit.sentence(sentence.place)
                if score >= _LEAST and sentence.roots & focus.words:
                    value = Value(sentence.text, "text")
                    found.append(
                        Claim(
                            sentence.source, sentence.text, sentence.span, value, sentence.span, min(1.0, score), number
                        )
                    )
    found.sort(key=lambda claim: (-claim.relevance, claim.span))
    kept: list[Claim] = []
    for claim in found:
        if len(kept) >= most:
            break
        mine = shingles(claim.quote)
        if not any(jaccard(mine, shingles(other.quote)) >= _REPEAT for other in kept):
            kept.append(claim)
    return kept
