"""Lines of a PDF's pages that are no text."""

from __future__ import annotations

import re

from minimal_pdf import minimal_pdf
from reading import one

from decoct.documents.matter import matter
from decoct.documents.pagelines import without_page_lines
from decoct.documents.places import page_at

BODY = [
    "Peas are sown in March.",
    "Beans want warm earth.",
    "Roots are thinned in June.",
    "Leeks are earthed up.",
    "Seed is kept dry.",
]


def test_headers_footers_and_page_numbers_go() -> None:
    pages = []
    for n, body in enumerate(BODY):
        left_or_right = f"{n + 9} Sowing" if n % 2 else f"Beds {n + 9}"
        pages.append(f"The Garden Book\n{left_or_right}\n{body}\nmore of {n * n}\n{n + 1}")
    pages = [*pages, *(page.replace("more of", "and more of") for page in pages)]
    pages = [
        re.sub(r"\d+ Sowing", f"{n} Sowing", re.sub(r"Beds \d+", f"Beds {n}", page)) for n, page in enumerate(pages)
    ]
    pages = [re.sub(r"\d+$", str(n + 1), page) for n, page in enumerate(pages)]
    assert without_page_lines(pages) == [
        f"{body}\n{more} {n * n}" for more in ("more of", "and more of") for n, body in enumerate(BODY)
    ]


def test_roman_numbers_and_totals() -> None:
    roman = ["i", "ii", "iii", "iv", "v"]
    assert without_page_lines([f"{body}\n{number}" for body, number in zip(BODY, roman, strict=True)]) == BODY
    assert without_page_lines([f"{body}\nPage {n} of 5" for n, body in enumerate(BODY, 1)]) == BODY


def test_what_is_repeated_by_chance_or_far_apart_stays() -> None:
    pages = [f"Table {n}\nwords {n}" if n in (0, 40, 80) else f"Line {n * n} here\nwords" for n in range(100)]
    assert [page.split("\n")[0] for page in without_page_lines(pages)] == [page.split("\n")[0] for page in pages]
    numbers = [f"{body}\n{number}" for body, number in zip(BODY, (7, 1912, 3, 88, 4), strict=True)]
    assert without_page_lines(numbers) == numbers


def test_pages_of_one_line_are_text() -> None:
    assert without_page_lines(["Ticket"] * 5) == ["Ticket"] * 5


CONTENTS = (
    "Contents\n1 Sowing . . . . . . . . 2\n1.1 Peas . . . . . . . . . 2\n1.2 Beans with a title that\n"
    "goes on . . . . . . . . . 3\n2 Reaping ........ 4"
)


def test_tables_of_contents_stay_and_are_matter() -> None:
    assert without_page_lines([CONTENTS + "\nPreface words.", *BODY]) == [CONTENTS + "\nPreface words.", *BODY]
    text = CONTENTS + "\nPreface words."
    assert [text[start:end] for start, end in matter(text)] == [CONTENTS + "\n"]
    assert matter("Soup ........ 12\nBread ........ 4\nWine ........ 30\nTea ........ 3") == ()


def test_pages_stay_countable() -> None:
    pages = [CONTENTS, *(f"The Garden Book\n{body}" for body in BODY)]
    document = one("a.pdf", minimal_pdf(pages, bookmarks=[("Leeks are", 4)]))
    assert document.metadata == {"pages": 6}
    assert "Garden Book" not in document.text
    assert page_at(document, document.text.index("Leeks")) == 5
    assert [document.text[start:end] for start, end in document.headings] == ["Leeks are"]
