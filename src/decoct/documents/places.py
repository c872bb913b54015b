"""Where in its document a character stands, as a person would look it up: the page, and the heading above."""

from __future__ import annotations

from bisect import bisect_right

from decoct.data import Document
from decoct.documents.canonical import one_line

PAGE_BREAK = "\f"


def page_at(document: Document, offset: int) -> int | None:
    """The page of a PDF, or the slide of a presentation, from 1; None for a document without pages."""
    return document.text.count(PAGE_BREAK, 0, offset) + 1 if "pages" in document.metadata else None


def heading_at(document: Document, offset: int) -> str:
    """The words of the last heading that begins at or before `offset`; empty if there is none."""
    headings = sorted(document.headings)
    at = bisect_right(headings, offset, key=lambda heading: heading[0])
    return one_line(document.text[slice(*headings[at - 1])]) if at else ""
