"""PDF: pages, headings, title and refusals."""

from __future__ import annotations

import pytest
from minimal_pdf import minimal_pdf
from reading import one, read, refused

from decoct.documents.base import Failure, Limits
from decoct.documents.places import page_at

PAGES = [
    "Methods of Search\n1 Introduction\nWords of the first page.",
    "More words (in brackets).\n2 Results",
    "The end.",
]


def test_text_pages_and_headings() -> None:
    data = minimal_pdf(
        PAGES, title="Methods of Search", bookmarks=[("1 Introduction", 0), ("Not there", 0), ("2  Results", 1)]
    )
    document = one("paper.pdf", data)
    assert document.text == "\n\f".join(PAGES)
    assert document.title == "Methods of Search"
    assert document.metadata == {"pages": 3}
    assert [document.text[start:end] for start, end in document.headings] == ["1 Introduction", "2 Results"]
    assert document.levels == (1, 1)
    assert [page_at(document, document.text.index(word)) for word in ("first", "brackets", "end")] == [1, 2, 3]


def test_a_title_is_not_a_file_name() -> None:
    assert one("a.pdf", minimal_pdf(PAGES, title="Microsoft Word - draft3.doc")).title == ""
    assert one("a.pdf", minimal_pdf(PAGES, title="untitled")).title == ""
    assert one("a.pdf", minimal_pdf(PAGES, title="paper.tex", first_size=20)).title == "Methods of Search"


def test_the_bytes_decide_not_the_name() -> None:
    assert one("paper", minimal_pdf(PAGES)).metadata == {"pages": 3}
    assert one("paper.txt", minimal_pdf(PAGES)).metadata == {"pages": 3}
    assert "not a PDF" in refused("paper.pdf", "<html>Not found</html>")


def test_encrypted_damaged_and_empty_files_say_so() -> None:
    assert "encrypted" in refused("a.pdf", minimal_pdf(PAGES, encrypted=True))
    assert "damaged" in refused("a.pdf", b"%PDF-1.4\nnothing else")
    assert "damaged" in refused("a.pdf", minimal_pdf(PAGES)[:300])
    assert "OCR" in refused("a.pdf", minimal_pdf(["", ""]))


def test_pages_text_and_time_are_bounded() -> None:
    assert "3 pages, over the limit of 2" in refused("a.pdf", minimal_pdf(PAGES), Limits(pages=2))
    assert "more than 20 characters" in refused("a.pdf", minimal_pdf(PAGES), Limits(text_characters=20))
    assert "longer than 0 s" in refused("a.pdf", minimal_pdf(PAGES), Limits(seconds=0))


def test_a_page_count_that_lies_costs_nothing() -> None:
    data = minimal_pdf(PAGES).replace(b"/Count 3", b"/Count 99999999")
    assert one("a.pdf", data).metadata == {"pages": 3}


def test_a_file_cut_off_anywhere_is_whole_or_refused() -> None:
    data = minimal_pdf(PAGES)
    whole = one("a.pdf", data).text
    for cut in range(10, len(data), 7):
        (item,) = read("a.pdf", data[:cut])
        if not isinstance(item, Failure):
            assert item.text == whole, cut


@pytest.mark.parametrize("page", [0, 1, 2])
def test_a_missing_page_fails_the_whole(page: int) -> None:
    data = minimal_pdf(PAGES)
    kids = data[data.index(b"/Kids [") + 7 :].split(b"]")[0]
    numbers = kids.split(b" 0 R")[:3]
    lost = kids.replace(numbers[page].strip() + b" 0 R", b"99 0 R")
    assert "damaged" in refused("a.pdf", data.replace(kids, lost))
