"""PPTX, XLSX and EPUB: text, headings and places, and packages that are traps."""

from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pptx
import pytest
from pptx.util import Inches
from reading import one, refused
from small_files import book, deck, replaced, saved, workbook, zipped

from decoct.documents.base import Limits
from decoct.documents.places import page_at


def test_slides_are_pages_and_their_titles_headings() -> None:
    document = one("talk.pptx", deck([("Opening", "First words"), ("Results", "2 of 3\nsecond line")], "A note"))
    assert document.text == "Opening\n\nFirst words\n\nA note\n\fResults\n\n2 of 3\nsecond line"
    assert [document.text[start:end] for start, end in document.headings] == ["Opening", "Results"]
    assert document.title == "Opening"
    assert document.metadata["pages"] == 2
    assert page_at(document, document.text.index("second line")) == 2


def test_tables_groups_links_and_raised_letters_of_slides() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for at, said in enumerate(("Name", "Size", "key", "64")):
        table.cell(at // 2, at % 2).text = said
    group = slide.shapes.add_group_shape()
    frame = group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame
    frame.text = "2"
    raised = frame.paragraphs[0].add_run()
    raised.text = "64"
    raised._r.get_or_add_rPr().set("baseline", "30000")
    linked = frame.paragraphs[0].add_run()
    linked.text = " keys"
    linked.hyperlink.address = "https://example.org/keys"
    document = one("a.pptx", saved(made))
    assert document.text == "Name | Size\nkey | 64\n\n2^64 keys"
    assert [(document.text[a.start : a.end], a.target) for a in document.links] == [
        ("keys", "https://example.org/keys")
    ]


def test_a_row_of_a_named_table_can_be_read_alone() -> None:
    rows: list[list[object]] = [
        ["City", "Founded", "Open"],
        ["Köln", -38, True],
        ["Bonn", datetime.datetime(1989, 1, 2), 2.0],
        [None, None, None],
    ]
    document = one("towns.xlsx", workbook({"Towns": rows, "Loose": [[1, 2.5], ["x", None, "y"]]}))
    assert document.text == (
        "Towns\n\nCity: Köln | Founded: -38 | Open: TRUE\nCity: Bonn | Founded: 1989-01-02 | Open: 2\n\nLoose\n\n1 | 2.5 | |\nx | | y"
    )
    assert [document.text[start:end] for start, end in document.headings] == ["Towns", "Loose"]
    assert document.metadata["sheets"] == 2


def test_a_sheet_that_claims_to_be_huge_costs_nothing() -> None:
    claimed = (
        b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b'<dimension ref="A1:XFD1048576"/><sheetData><row r="%s"><c r="A%s" t="inlineStr"><is><t>word</t></is></c></row>'
        b"</sheetData></worksheet>"
    )
    data = workbook({"S": [["x"]]})
    for row, gives in ((b"1", "word"), (b"900000", "word")):
        assert one("a.xlsx", replaced(data, {"xl/worksheets/sheet1.xml": claimed % (row, row)})).text.endswith(gives)
    far = replaced(data, {"xl/worksheets/sheet1.xml": claimed % (b"999999999", b"999999999")})
    assert "more rows than a sheet can have" in refused("a.xlsx", far)


def test_one_text_shown_in_many_cells_is_bounded() -> None:
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    cells = b'<row><c t="s"><v>0</v></c></row>' * 1_000
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    good = workbook({"S": [["x"]]})
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        types = archive.read("[Content_Types].xml")
    parts = {
        "xl/sharedStrings.xml": b"<sst %s><si><t>%s</t></si></sst>" % (main, b"word " * 1_000),
        "xl/worksheets/sheet1.xml": b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (main, cells),
        "[Content_Types].xml": types.replace(
            b"</Types>", b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
        ),
    }
    data = replaced(good, parts)
    assert one("a.xlsx", data).text.count("word") == 1_000_000
    assert "more than 1,000,000 characters" in refused("a.xlsx", data, Limits(text_characters=1_000_000))


def test_chapters_in_order_without_the_list_of_them() -> None:
    data = book(
        ["<h1>One</h1><p>2<sup>64</sup> <a href='c%201.xhtml'>next one</a></p>", "<h1>Two</h1><p>Second chapter.</p>"]
    )
    document = one("book.epub", data)
    assert document.text == "One\n\n2^64 next one\n\nTwo\n\nSecond chapter."
    assert document.title == "The Book"
    assert document.metadata == {"author": "A. Writer"}
    assert [document.text[start:end] for start, end in document.headings] == ["One", "Two"]
    assert [(document.text[a.start : a.end], a.target) for a in document.links] == [("next one", "c%201.xhtml")]


def test_a_protected_book_says_so() -> None:
    lock = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        '<CipherData><CipherReference URI="OEBPS/text/c%200.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    assert "copy-protected" in refused("a.epub", book(["<p>x</p>"], {"META-INF/encryption.xml": lock}))


def test_a_book_leads_to_nothing_outside_itself() -> None:
    data = book(["<p>words</p>"])
    outside = replaced(
        data,
        {
            "OEBPS/content.opf": b'<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><package xmlns="http://www.idpf.org/2007/opf">'
            b'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>&x;T</dc:title></metadata><manifest>'
            b'<item id="a" href="../../../../etc/passwd" media-type="text/html"/>'
            b'<item id="b" href="text/c%200.xhtml" media-type="text/html"/></manifest>'
            b'<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
        },
    )
    document = one("a.epub", outside)
    assert document.text == "words"
    assert "root:" not in document.title


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname"><!ENTITY b "bbbbbbbbbb">]>'


@pytest.mark.parametrize("encode", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("name", "data", "part"),
    [
        ("a.xlsx", workbook({"S": [["x"]]}), "xl/sharedStrings.xml"),
        ("a.pptx", deck([("T", "x")]), "ppt/slides/slide1.xml"),
    ],
)
def test_office_files_with_entities_are_refused(name: str, data: bytes, part: str, encode: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = archive.read(part) if part in archive.namelist() else b"<sst/>"
    hostile = ENTITIES + content.split(b"?>", 1)[-1]
    changed = replaced(data, {part: hostile if encode == "utf-8" else hostile.decode().encode("utf-16")})
    assert "not as Office writes it" in refused(name, changed)
    hidden = b"<?xml version='1.0' encoding='UTF-7'?>" + content.split(b"?>", 1)[-1]
    assert "not as Office writes it" in refused(name, replaced(data, {part: hidden}))


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx", "a.epub"])
def test_bombs_and_damage(name: str) -> None:
    good = {"a.pptx": deck([("T", "x")]), "a.xlsx": workbook({"S": [["x"]]}), "a.epub": book(["<p>x</p>"])}[name]
    assert "of XML, over the limit" in refused(name, replaced(good, {"bomb.xml": b" " * (60 << 20)}))
    assert "zip bomb" in refused(name, replaced(good, {"media/bomb.png": bytes(60 << 20)}))
    assert "files, over the limit of 4" in refused(name, good, Limits(entries=4))
    assert "damaged" in refused(name, good[: len(good) // 2])
    assert "damaged" in refused(name, b"words")


def test_a_package_is_known_by_what_is_in_it() -> None:
    assert one("no-suffix", workbook({"S": [["x"]]})).text == "S\n\nx"
    assert "no DOCX, PPTX, XLSX, EPUB or OpenDocument" in refused("a.xlsx", zipped({"a.txt": "words"}))
    packed_on_a_mac = replaced(workbook({"S": [["x"]]}), {"__MACOSX/xl/._a.xml": b"\x00\x05Mac OS X"})
    assert one("a.xlsx", packed_on_a_mac).text == "S\n\nx"


def test_blank_ones_say_so() -> None:
    assert "no text" in refused("a.epub", book([""]))
    assert "no text" in refused("a.xlsx", saved(openpyxl.Workbook()))
    assert "no text" in refused("a.pptx", saved(pptx.Presentation()))
