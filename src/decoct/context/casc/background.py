"""Sentences that bear on the question, whatever value was taken from them: the net below a value that was read wrongly."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from decoct.context.casc.claims import Claim
from decoct.data import Span
from decoct.text.overlap import jaccard, shingles

_REPEAT = 0.5  # word 3-grams in common: the same sentence in another's words adds nothing


def background(sentences: Sequence[Claim], most: int, said: Collection[Span] = ()) -> list[Claim]:
    """The first `most` of `sentences`, none nearly twice and none of those that are `said` already."""
    kept: list[Claim] = []
    for claim in sentences:
        if len(kept) >= most:
            break
        if claim.span in said:
            continue
        mine = shingles(claim.quote)
        if not any(jaccard(mine, shingles(other.quote)) >= _REPEAT for other in kept):
            kept.append(claim)
    return kept
