"""Where in its document a character stands, as a person would look it up: the page, and the heading above."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from decoct.data import Document
from decoct.documents.canonical import one_line

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


@dataclass(frozen=True, slots=True)
class PageAndHeading:
    """`page` counts from 1 and is None in a document without pages; `heading` is empty where none stands above."""

    page: int | None
    heading: str

    def __str__(self) -> str:
        return ", ".join(
            ([f"page {self.page}"] if self.page is not None else []) + ([self.heading] if self.heading else [])
        )


def place_of(document: Document, offset: int) -> PageAndHeading:
    """The page and the heading of character `offset` of the document's text."""
    return PageAndHeading(page_at(document, offset), heading_at(document, offset))
