"""Writes small presentations, workbooks, books and messages, so that tests need no files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any

import openpyxl
import pptx

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
CHAPTER = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{}</body></html>'


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of the parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def replaced(data: bytes, changes: Mapping[str, bytes]) -> bytes:
    """The zip with some parts exchanged or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        parts: dict[str, str | bytes] = {name: old.read(name) for name in old.namelist()}
    return zipped({**parts, **changes})


def book(chapters: Sequence[str], extra: Mapping[str, str] | None = None) -> bytes:
    """An EPUB of chapters, each the inside of a body."""
    items = "".join(
        f'<item id="c{n}" href="text/c%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Book</dc:title><dc:creator>A. Writer</dc:creator></metadata>'
        f'<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": package,
            "OEBPS/nav.xhtml": CHAPTER.format("<p>A list of chapters</p>"),
            **{f"OEBPS/text/c {n}.xhtml": CHAPTER.format(body) for n, body in enumerate(chapters)},
            **(extra or {}),
        }
    )


def deck(slides: Sequence[tuple[str, str]], notes: str = "") -> bytes:
    """A PPTX of slides with a title and a text; `notes` are those of the first."""
    made = pptx.Presentation()
    for title, text in slides:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    if notes:
        made.slides[0].notes_slide.notes_text_frame.text = notes
    return saved(made)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """An XLSX of sheets, each a list of rows."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return saved(made)


def saved(made: Any) -> bytes:
    """The bytes that a document's `save` writes."""
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def message(text: str = "The text.\n", html: str = "", attachments: Mapping[str, bytes] | None = None) -> EmailMessage:
    """An e-mail."""
    made = EmailMessage()
    made["From"], made["To"] = "Ann Müller <ann@example.org>", "bob@example.org"
    made["Subject"], made["Date"] = "The größte plan", "Mon, 05 Feb 2024 10:00:00 +0100"
    made.set_content(text)
    if html:
        made.add_alternative(html, subtype="html")
    for name, data in (attachments or {}).items():
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made


def scanned_pdf() -> bytes:
    """A PDF of one page that is a grey picture and holds no text."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
        b"<< /Length 26 >>\nstream\n200 0 0 100 0 0 cm\n/I Do\n\nendstream",
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
        b"stream\n\x80\nendstream",
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)
