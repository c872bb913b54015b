"""Where in its document a character stands, as a person would look it up: the page, and the heading above."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from decoct.data import Document
from decoct.documents.canonical import one_line
from decoct.errors import QueryError

PAGE_BREAK = "\f"
PAGE_END = f"\n{PAGE_BREAK}"  # stands between the pages of a document


def page_at(document: Document, offset: int) -> int | None:
    """The page of a PDF, or the slide of a presentation, from 1; None for a document without pages."""
    return document.text.count(PAGE_BREAK, 0, offset) + 1 if "pages" in document.metadata else None


def heading_at(document: Document, offset: int) -> str:
    """The words of the last heading that begins at or before `offset`; empty if there is none."""
    headings = sorted(document.headings)
    at = bisect_right(headings, offset, key=lambda heading: heading[0])
    return one_line(document.text[slice(*headings[at - 1])]) if at else ""


def place_told(document: Document, offset: int) -> str:
    """The page and the heading of character `offset` in words, as far as there are any."""
    page = page_at(document, offset)
    return ", ".join(filter(None, (f"page {page}" if page else "", heading_at(document, offset))))


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
    if not 0 <= start < end <= len(text) or around < 0:
        raise QueryError(
            f"a span needs whole numbers with 0 <= start < end <= {len(text)} here, not {start!r}..{end!r}"
        )
    before, after = text[max(0, start - around) : start], text[end : end + around]
    page, heading = page_at(document, start), heading_at(document, start)
    return DocumentExcerpt(document.id, start, end, text[start:end], before, after, document.title, page, heading)
