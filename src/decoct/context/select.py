"""Hits to passages: the same text is read once, however many documents hold it.

A text that occurs in two documents (mirrors, boilerplate, licence heads) is kept at its better rank; white space and case do not make it
another text. Chunks of one document that overlap in their spans are not duplicates: stitching joins them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from decoct.data import Draft, Hit, Passage


def draft_of(hits: Sequence[Hit]) -> Draft:
    """A draft of the hits in their order, each text once."""
    # Equal texts have equal ends; few others do, so few texts are normalised as a whole.
    ends = [_ends(hit.chunk.text) for hit in hits]
    often = Counter(ends)
    seen: set[str] = set()
    passages: list[Passage] = []
    for hit, both in zip(hits, ends, strict=True):
        identity = _plain(hit.chunk.text) if often[both] > 1 else ""
        if both and identity not in seen:
            passages.append(
                Passage(hit.chunk.text, (hit.chunk.span,), "quote", hit.score, hit.chunk.title, hit.chunk.place)
            )
        if identity:
            seen.add(identity)
    return Draft(tuple(passages))


def _ends(text: str) -> tuple[str, ...]:
    """The first and the last word without case; empty for a text without words."""
    first = text.split(maxsplit=1)
    return (first[0].casefold(), text.rsplit(maxsplit=1)[-1].casefold()) if first else ()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
