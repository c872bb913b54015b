"""Hits to passages: the same text is read once, however many documents hold it.

A text that occurs in two documents (mirrors, boilerplate, licence heads) is kept at its better rank; white space and case do not make it
another text. Chunks of one document that overlap in their spans are not duplicates: stitching joins them.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.data import Draft, Hit, Passage


def draft_of(hits: Sequence[Hit]) -> Draft:
    """A draft of the hits in their order, each text once."""
    seen: set[str] = set()
    passages: list[Passage] = []
    for hit in hits:
        identity = _plain(hit.chunk.text)
        if identity and identity not in seen:
            seen.add(identity)
            passages.append(Passage(hit.chunk.text, (hit.chunk.span,), "quote", hit.score, hit.chunk.title))
    return Draft(tuple(passages))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
