"""Where in a document a character stands, as a person would say it: the page, or the heading above it."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.data import Document

_PAGE_END = "\f"  # in PDFs and in plain text (`documents.pdf`)


@dataclass(frozen=True, slots=True)
class Place:
    """`page` counts from 1 and is None in a document without pages; `heading` is empty where none stands above."""

    page: int | None
    heading: str

    def __str__(self) -> str:
        return ", ".join(
            ([f"page {self.page}"] if self.page is not None else []) + ([self.heading] if self.heading else [])
        )


def place_of(document: Document, offset: int) -> Place:
    """The page and the heading of character `offset` of the document's text."""
    paged = "pages" in document.metadata or _PAGE_END in document.text
    page = document.text.count(_PAGE_END, 0, offset) + 1 if paged else None
    above = [(start, end) for start, end in document.headings if start <= offset]
    heading = " ".join(document.text[slice(*max(above))].split()) if above else ""
    return Place(page, heading)
