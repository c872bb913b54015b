"""Pages and headings of characters."""

from __future__ import annotations

from minimal_pdf import minimal_pdf
from reading import one

from decoct.documents.places import heading_at, page_at


def test_the_page_and_the_heading_above() -> None:
    pdf = one("a.pdf", minimal_pdf(["Sowing\nin March", "Reaping\nin June"], bookmarks=[("Reaping", 1)]))
    at = pdf.text.index("June")
    assert (page_at(pdf, at), heading_at(pdf, at)) == (2, "Reaping")
    assert (page_at(pdf, 0), heading_at(pdf, 0)) == (1, "")


def test_documents_without_pages_have_none() -> None:
    page = one("a.md", "# One\n\nwords\n\n## Two *b*\n\nmore")
    assert page_at(page, 0) is None
    assert [heading_at(page, page.text.index(word)) for word in ("One", "words", "more")] == ["One", "One", "Two *b*"]
    assert page_at(one("a.txt", "page\fbreak"), 6) is None
