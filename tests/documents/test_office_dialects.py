"""Office files with macros, templates, shows and Strict Open XML are read as the ordinary ones; what is ordinary is not written anew."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.package import in_common_dialect, parse

WORD, SLIDES = "wordprocessingml.document.main+xml", "presentationml.presentation.main+xml"
OFFICE = "application/vnd.openxmlformats-officedocument."


def word() -> bytes:
    out = io.BytesIO()
    document = docx.Document()
    document.add_heading("Lift", 1)
    document.add_paragraph("The lift carries 8 people.")
    document.save(out)
    return out.getvalue()


def slides() -> bytes:
    out = io.BytesIO()
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "The lift carries 8 people."
    deck.save(out)
    return out.getvalue()


def sheet() -> bytes:
    out = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["lift", "people"])
    book.active.append(["A", 8])
    book.save(out)
    return out.getvalue()


def changed(data: bytes, change: Callable[[str], str]) -> bytes:
    """The package with its markup changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(out, "w") as written:
        for name in package.namelist():
            part = package.read(name)
            written.writestr(name, change(part.decode()) if name.endswith((".xml", ".rels")) else part)
    return out.getvalue()


def strict(text: str) -> str:
    text = text.replace("extended-properties", "extendedProperties").replace("custom-properties", "customProperties")
    return re.sub(
        r"http://schemas\.openxmlformats\.org/(\w+)/2006/(?!metadata|content-types|relationships/metadata)",
        r"http://purl.oclc.org/ooxml/\1/",
        text,
    )


def text_of(name: str, data: bytes) -> str:
    (found,) = parse(Source.of(name, data))
    assert isinstance(found, Document)
    return found.text


@pytest.mark.parametrize(
    ("name", "make", "ordinary", "type_"),
    [
        ("a.docm", word, OFFICE + WORD, "application/vnd.ms-word.document.macroEnabled.main+xml"),
        ("a.dotx", word, OFFICE + WORD, OFFICE + "wordprocessingml.template.main+xml"),
        ("a.dotm", word, OFFICE + WORD, "application/vnd.ms-word.template.macroEnabledTemplate.main+xml"),
        ("a.pptm", slides, OFFICE + SLIDES, "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
        ("a.ppsx", slides, OFFICE + SLIDES, OFFICE + "presentationml.slideshow.main+xml"),
        ("a.ppsm", slides, OFFICE + SLIDES, "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"),
        ("a.potx", slides, OFFICE + SLIDES, OFFICE + "presentationml.template.main+xml"),
    ],
)
def test_macros_templates_and_shows_are_read(name: str, make: Callable[[], bytes], ordinary: str, type_: str) -> None:
    data = make()
    other = changed(data, lambda text: text.replace(ordinary, type_))
    assert other != data
    assert text_of(name, other) == text_of("a." + name[2:4] + "x", data)
    assert "The lift carries 8 people." in text_of(name, other)


@pytest.mark.parametrize(("name", "make"), [("a.docx", word), ("a.pptx", slides), ("a.xlsx", sheet)])
def test_the_strict_form_is_read(name: str, make: Callable[[], bytes]) -> None:
    data = make()
    other = changed(data, strict)
    assert other != data
    assert text_of(name, other) == text_of(name, data)


def test_what_is_ordinary_is_handed_on() -> None:
    for data in (word(), slides(), sheet()):
        assert in_common_dialect(data) is data
