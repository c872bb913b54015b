"""Lines of a PDF's pages that are no text."""

from __future__ import annotations

from dataclasses import replace

from minimal_pdf import minimal_pdf
from reading import one

from decoct.documents.matter import matter
from decoct.documents.paged.pagelines import without_page_lines
from decoct.documents.paged.pdf_text import PageLine, page_texts
from decoct.documents.places import page_at

BODY = [
    "Peas are sown in March.",
    "Beans want warm earth.",
    "Roots are thinned in June.",
    "Leeks are earthed up.",
    "Seed is kept dry.",
]


def page(*body: str, head: str = "", foot: str = "", size: float = 10.0) -> list[PageLine]:
    """The lines of a page, 12 points apart; head and foot stand in its margins. Wide gaps in them are written as two spaces."""

    def line(words: str, top: float) -> PageLine:
        parts = tuple(words.split("  "))
        return PageLine(" ".join(parts), size, top=top, parts=parts)

    lines = [line(words, -700 + 12 * at) for at, words in enumerate(body)]
    return [*([line(head, -760)] if head else []), *lines, *([line(foot, -40)] if foot else [])]


def read(pages: list[list[PageLine]]) -> tuple[list[str], list[str]]:
    """The text of the pages without lines that run along them, and what these say."""
    kept, told, _ = without_page_lines(pages)
    return page_texts(kept), told


def test_heads_and_feet_are_told_once_and_page_numbers_go() -> None:
    pages = [
        page(
            body,
            "More.",
            "End.",
            head=f"{n + 9}  Sowing" if n % 2 else f"Beds  {n + 9}",
            foot=f"The Garden Book | {n + 1}",
        )
        for n, body in enumerate(BODY * 2)
    ]
    texts, told = read(pages)
    assert texts == [f"{body}\nMore.\nEnd." for body in BODY * 2]
    assert told == ["Beds 9–17", "10–18 Sowing", "The Garden Book"]


def test_roman_numbers_and_totals() -> None:
    texts = [f"{body}\nMore.\nEnd." for body in BODY]
    roman = ["i", "ii", "iii", "iv", "v"]
    assert read([page(body, "More.", "End.", foot=number) for body, number in zip(BODY, roman, strict=True)]) == (
        texts,
        [],
    )
    assert read([page(body, "More.", "End.", foot=f"Page {n} of 5") for n, body in enumerate(BODY, 1)]) == (texts, [])
    assert read([page(body, "More.", "End.", foot=f"– {n} –") for n, body in enumerate(BODY[:2], 1)]) == (texts[:2], [])


def test_numbers_that_are_no_pages_stay_where_they_stand() -> None:
    for pages in (
        [page(f"Week {12 + n}", body, f"Boats: {n}") for n, body in enumerate(BODY)],
        [page(body, "Sum", f"{20 + n}") for n, body in enumerate(BODY)],
        [page("Gate code", str(4410 + n)) for n in range(5)],
    ):
        assert read(pages) == (page_texts(pages), [])
    texts, told = read([page(body, "More.", "End.", head=f"Invoice {1001 + n}") for n, body in enumerate(BODY)])
    assert (texts[1], told) == (f"Invoice 1002\n\n{BODY[1]}\nMore.\nEnd.", [])


def test_no_sentence_goes_over_a_head_or_foot_that_stays() -> None:
    pages = [page(body, "More.", "End.", foot=f"Printed on 3.{n}.2024") for n, body in enumerate(BODY)]
    kept, _, ends = without_page_lines(pages)
    assert page_texts(kept)[0] == f"{BODY[0]}\nMore.\nEnd.\n\nPrinted on 3.0.2024"
    assert ends == {0, 1, 2, 3, 4}


def test_heads_of_tables_and_lines_in_large_letters_stay() -> None:
    rows = [[replace(line, table=True) for line in page("Oil | 3", "Tar | 4", head="Part | Stock")] for _ in range(4)]
    assert read(rows) == (page_texts(rows), [])
    titles = [[*page(head="Our garden", size=16.0), *page(body, "More of that.", "And that.")] for body in BODY]
    assert read(titles) == (page_texts(titles), [])


def test_what_is_repeated_by_chance_or_far_apart_stays() -> None:
    pages = [
        page("words", "more", "end", head="Soil" if n in (0, 40, 80) else f"Line {n * n} here") for n in range(100)
    ]
    assert [text.split("\n")[0] for text in read(pages)[0][::40]] == ["Soil"] * 3
    pages = [
        page(body, "More.", "End.", foot=str(number)) for body, number in zip(BODY, (7, 1912, 3, 88, 4), strict=True)
    ]
    assert [text.split("\n")[-1] for text in read(pages)[0]] == ["7", "1912", "3", "88", "4"]


def test_pages_of_one_line_are_text() -> None:
    assert read([page(head="Ticket")] * 5) == (["Ticket"] * 5, [])


CONTENTS = (
    "Contents\n1 Sowing . . . . . . . . 2\n1.1 Peas . . . . . . . . . 2\n1.2 Beans with a title that\n"
    "goes on . . . . . . . . . 3\n2 Reaping ........ 4"
)


def test_tables_of_contents_are_matter() -> None:
    text = CONTENTS + "\nPreface words."
    assert [text[start:end] for start, end in matter(text)] == [CONTENTS + "\n"]
    assert matter("Soup ........ 12\nBread ........ 4\nWine ........ 30\nTea ........ 3") == ()


def test_pages_stay_countable() -> None:
    pages = [CONTENTS, *(f"{body}\nmore of it\nand again\nand on\nThe Garden Book" for body in BODY)]
    document = one("a.pdf", minimal_pdf(pages, bookmarks=[("Leeks are", 4)]))
    assert document.metadata == {"pages": 6}
    assert page_at(document, document.text.index("Leeks")) == 5
    assert [document.text[start:end] for start, end in document.headings] == ["Leeks are"]
