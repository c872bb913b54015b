"""Chunks of matter among what was found: kept only where the question asks for what they alone say.

A block of fields or a table of contents holds the document's name and the names of all its sections, so it is near to every question about
the document and answers none. It is kept where the question asks for one of its fields, or for a word (an author's name) that
no other chunk found and no title has.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.data import Hit
from decoct.documents.frontmatter import field_asked_for
from decoct.documents.matter import is_matter
from decoct.text.words import content_stems


def told_hits(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those of matter that tell nothing of their own; all of them where there are no others."""
    aside = [is_matter(hit.chunk.text) for hit in hits]
    if not any(aside) or all(aside):
        return list(hits)
    others = [f"{hit.chunk.title} {'' if alone else hit.chunk.text}" for hit, alone in zip(hits, aside, strict=True)]
    alone = content_stems(question) - content_stems(" ".join(others))
    return [hit for hit, beside in zip(hits, aside, strict=True) if not beside or _tells(question, hit, alone)]


def _tells(question: str, hit: Hit, alone: frozenset[str]) -> bool:
    chunk = hit.chunk
    return bool(alone & content_stems(chunk.text)) or field_asked_for(question, chunk.text, chunk.title) is not None
