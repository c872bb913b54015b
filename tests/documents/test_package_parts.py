"""Office files, books, messages and reStructuredText, by files made for it: what is text, what is left out, what is refused."""

from __future__ import annotations

import email
import io
import zipfile
from email.message import EmailMessage
from typing import Any

import docx
import pptx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from small_files import book, deck, message, replaced, saved, workbook, zipped

from decoct.data import Document
from decoct.documents import package
from decoct.documents.base import Limits, Source
from decoct.documents.markup import epub, rst
from decoct.documents.messages import mail
from decoct.documents.office import docx as docx_parser
from decoct.documents.office import pptx as pptx_parser
from decoct.documents.tables import xlsx
from decoct.errors import ParseError


def only(parser: Any, data: bytes, name: str = "a", **limits: int) -> Document:
    (made,) = parser.parse(Source.of(name, data, origin="/data/a", limits=Limits(**limits)))
    assert isinstance(made, Document)
    return made


def headings(document: Document) -> list[str]:
    return [document.text[slice(*at)] for at in document.headings]


def links(document: Document) -> list[tuple[str, str]]:
    return [(document.text[link.start : link.end], link.target) for link in document.links]


def test_a_document_is_its_paragraphs_rows_and_raised_letters() -> None:
    made = docx.Document()
    made.add_heading("The dam", 1)
    paragraph = made.add_paragraph("It holds 2")
    paragraph.add_run("64").font.superscript = True
    paragraph.add_run(" litres.")
    grid = made.add_table(2, 2)
    for at, words in enumerate(("year", "height", "1911", "80 m")):
        grid.cell(at // 2, at % 2).text = words
    made.core_properties.author = "A. Writer"
    document = only(docx_parser, saved(made))
    assert document.text == "The dam\n\nIt holds 2^64 litres.\n\nyear | height\n1911 | 80 m"
    assert (headings(document), document.title, document.metadata["author"]) == (["The dam"], "The dam", "A. Writer")


def test_what_was_deleted_is_no_text_and_what_was_inserted_is() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("Kept ")
    for tag, inner, words in (("w:del", "w:delText", "gone "), ("w:ins", "w:t", "new")):
        change, run, text = OxmlElement(tag), OxmlElement("w:r"), OxmlElement(inner)
        text.text = words
        run.append(text)
        change.append(run)
        paragraph._p.append(change)
    assert only(docx_parser, saved(made)).text == "Kept new"


def test_links_of_a_document_lead_elsewhere_alone() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("See ")
    for target in ("https://a.example/dam", "mailto:a@b"):
        link, run, text = OxmlElement("w:hyperlink"), OxmlElement("w:r"), OxmlElement("w:t")
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
        link.set(qn("r:id"), made.part.relate_to(target, kind, is_external=True))
        text.text = target[:5]
        run.append(text)
        link.append(run)
        paragraph._p.append(link)
    assert links(only(docx_parser, saved(made))) == [("https", "https://a.example/dam")]


def test_slides_are_pages_with_their_links_where_they_stand() -> None:
    made = pptx.Presentation(io.BytesIO(deck([("Dams", "They hold."), ("Mills", "They turn.")], notes="Say more.")))
    run = made.slides[1].placeholders[1].text_frame.paragraphs[0].runs[0]
    run.hyperlink.address = "https://a.example/mill"
    document = only(pptx_parser, saved(made))
    assert document.text == "Dams\n\nThey hold.\n\nSay more.\n\fMills\n\nThey turn."
    assert (headings(document), document.metadata["pages"], document.title) == (["Dams", "Mills"], 2, "Dams")
    assert links(document) == [("They turn.", "https://a.example/mill")]


def test_more_slides_than_pages_are_allowed_are_refused() -> None:
    data = deck([("A", "x"), ("B", "y")])
    assert only(pptx_parser, data, pages=2).metadata["pages"] == 2
    with pytest.raises(ParseError, match="2 slides, over the limit of 1"):
        only(pptx_parser, data, pages=1)


def test_a_sheet_with_named_columns_says_them_in_every_row() -> None:
    data = workbook(
        {"Rivers": [["name", "km"], ["Aare", 288.0], [None, 5], ["Rhine", None, "long"]], "Plain": [["a", 1], ["b", 2]]}
    )
    document = only(xlsx, data)
    assert document.text == "Rivers\n\nname: Aare | km: 288\nkm: 5\nname: Rhine | long\n\nPlain\n\na | 1\nb | 2"
    assert (headings(document), document.metadata["sheets"]) == (["Rivers", "Plain"], 2)


def test_chapters_come_in_the_order_of_the_spine_and_once() -> None:
    document = only(
        epub, book(["<h1>One</h1><p>First.</p>", "<h1>Two</h1><p>See <a href='https://a.example'>this</a>.</p>"])
    )
    assert document.text == "One\n\nFirst.\n\nTwo\n\nSee this."
    assert (document.title, document.metadata["author"], headings(document)) == (
        "The Book",
        "A. Writer",
        ["One", "Two"],
    )
    assert links(document) == [("this", "https://a.example")]
    assert "list of chapters" not in document.text


def test_a_chapter_of_a_picture_is_passed_over_and_a_missing_one_too() -> None:
    data = book(["<img src='x.png'/>", "<p>Words.</p>"])
    assert only(epub, data).text == "Words."
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist() if "c 0" not in name}
    assert only(epub, zipped(parts)).text == "Words."


@pytest.mark.parametrize("lost", ["META-INF/container.xml", "OEBPS/content.opf"])
def test_a_book_without_its_package_is_damaged(lost: str) -> None:
    with zipfile.ZipFile(io.BytesIO(book(["<p>x</p>"]))) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist() if name != lost}
    with pytest.raises(ParseError, match="EPUB data is damaged"):
        only(epub, zipped(parts), "a.epub")
    with pytest.raises(ParseError, match="damaged"):
        only(epub, replaced(book(["<p>x</p>"]), {lost: b"<unclosed"}), "a.epub")


def entry(name: str, size: int) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.file_size = size
    return made


def sizes(held: list[zipfile.ZipInfo], packed: int, **limits: int) -> None:
    package._check_sizes(held, packed, Limits(**limits))


def test_a_package_is_held_to_its_limits_at_their_edge() -> None:
    free = package._FREE
    sizes([entry("a.png", free)], 1)  # this much is harmless whatever the ratio
    with pytest.raises(ParseError, match="zip bomb"):
        sizes([entry("a.png", free + 1)], 1)
    sizes([entry("a.png", free + 1)], free // 100, inflation=101)
    sizes([entry("a.XML", 100)], 1, text_characters=100)
    with pytest.raises(ParseError, match="of XML, over the limit"):
        sizes([entry("a.XML", 60), entry("b.html", 41)], 1, text_characters=100)
    sizes([entry("a", 1)] * 3, 1, entries=3)
    with pytest.raises(ParseError, match="4 files, over the limit of 3"):
        sizes([entry("a", 1)] * 4, 1, entries=3)
    with pytest.raises(ParseError, match="zip bomb"):
        sizes([entry("a.png", 101)], 100, file_bytes=100)


@pytest.mark.parametrize(
    "head",
    [
        b'<?xml version="1.0"?><!DOCTYPE x [', b"\xef\xbb\xbf<!ENTITY a", "\ufeff<!DOCTYPE x [".encode("utf-16-le"), b"<! doctype x [",
        b'<?xml version="1.0" encoding="utf-7"?>', b'<!DOCTYPE x SYSTEM "a>b" [' + b" " * 70_000, b'<!DOCTYPE x SYSTEM "' + b"a" * 70_000,
    ],
)  # fmt: skip
def test_definitions_of_entities_are_refused_however_they_are_written(head: bytes) -> None:
    with pytest.raises(ParseError):
        package._check_prolog(head)


def test_plain_xml_passes() -> None:
    package._check_prolog(b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document/>')
    package._check_prolog(b'<!DOCTYPE manifest:manifest PUBLIC "a[b" "Manifest.dtd"><m/>')
    package._check_prolog(b"")


def test_a_zip_is_known_by_what_it_holds() -> None:
    (made,) = package.parse(Source.of("any.bin", deck([("Dams", "They hold.")])))
    assert isinstance(made, Document)
    assert made.title == "Dams"
    with pytest.raises(ParseError, match="unpack it"):
        list(package.parse(Source.of("a.zip", zipped({"a.txt": "x"}))))
    with pytest.raises(ParseError, match="DOCX data is damaged"):
        list(package.parse(Source.of("a.docx", b"PK\3\4 nothing")))
    assert "its zip data is damaged" in str(package.damaged_package(Source.of("a.bin", b"")))


def test_a_page_in_a_message_keeps_its_headings_and_links() -> None:
    made = EmailMessage()
    made["Subject"], made["From"] = "Plan", "ann@example.org"
    made.set_content(
        "<html><body><h1>The dam</h1><p>Read <a href='https://a.example/x'>this page</a> and <a href='#top'>that</a>.</p></body></html>",
        subtype="html",
    )
    document = only(mail, made.as_bytes())
    assert document.text == "From: ann@example.org\nSubject: Plan\n\nThe dam\n\nRead this page and that."
    assert headings(document) == ["The dam"]
    assert links(document) == [("this page", "https://a.example/x")]


def test_a_message_is_its_headers_text_and_the_names_of_attachments() -> None:
    document = only(mail, message("The text.\n", attachments={"plan.pdf": b"%PDF-"}).as_bytes())
    assert document.text.endswith("The text.\n\nAttachments: plan.pdf")
    assert (document.title, document.metadata["date"]) == ("The größte plan", "2024-02-05T10:00:00+01:00")
    assert document.metadata["from"] == "Ann Müller <ann@example.org>"


def test_a_forwarded_message_is_read_in_its_place() -> None:
    outer = message("See below.\n")
    outer.add_attachment(message("Inner words.\n"))
    text = only(mail, outer.as_bytes()).text
    assert text.count("Subject: The größte plan") == 2
    assert text.index("See below.") < text.index("Inner words.")


def test_headers_that_mean_nothing_lose_no_text() -> None:
    data = b"Date: yesterday\r\nFrom: \xff\xfe<<>>\r\nContent-Type: text/plain; charset=nonsense\r\n\r\nThe text.\r\n"
    document = only(mail, data)
    assert ("The text." in document.text, "date" in document.metadata) == (True, False)
    with pytest.raises(ParseError, match="no text"):
        only(mail, b"Subject: x\r\n\r\n")
    assert email.message_from_bytes(data)["Date"] == "yesterday"


def test_restructured_text_is_read_and_opens_no_other_file() -> None:
    text = """:orphan:

Dams
====

A :func:`~water.hold` of :ref:`the lake <lake>`; see :doc:`mills <mills>`.

.. include:: /etc/passwd

.. versionadded:: 2.0 Higher.

.. toctree::

   mills

.. code-block:: python

   hold()
"""
    document = only(rst, text.encode())
    assert (document.title, headings(document)) == ("Dams", ["Dams"])
    assert "A hold of the lake; see mills." in document.text
    assert "Added in version 2.0: Higher." in document.text
    assert document.text.rstrip().endswith("hold()")
    assert ("root:" in document.text, "toctree" in document.text) == (False, False)
    assert links(document) == [("mills", "mills")]
