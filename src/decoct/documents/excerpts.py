"""The characters of a document that a span names, with what stands around them."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.data import Document
from decoct.documents.places import place_of
from decoct.errors import QueryError


@dataclass(frozen=True, slots=True)
class DocumentExcerpt:
    """The `text` at characters `start` to `end` of a document, and what stands `before` and `after` it.

    `page` counts from 1 and is None in a document without pages; `heading` is empty where none stands above.
    """

    doc_id: str
    start: int
    end: int
    text: str
    before: str
    after: str
    title: str
    page: int | None
    heading: str


def excerpt_of(document: Document, start: int, end: int, around: int = 0) -> DocumentExcerpt:
    """The document's text at a span, with up to `around` characters on each side; `QueryError` for a span that is none of it."""
    text = document.text
    whole = all(isinstance(one, int) for one in (start, end, around))
    if not whole or not 0 <= start < end <= len(text) or around < 0:
        raise QueryError(
            f"a span needs whole numbers with 0 <= start < end <= {len(text)} here, not {start!r}..{end!r}"
        )
    place = place_of(document, start)
    before, after = text[max(0, start - around) : start], text[end : end + around]
    return DocumentExcerpt(
        document.id, start, end, text[start:end], before, after, document.title, place.page, place.heading
    )
