"""OpenDocument: texts (`.odt`), sheets (`.ods`) and presentations (`.odp`), read from their `content.xml` (OASIS, version 1.3).

Texts and slides become a page (`odf_page`) and go the way of every page: lists with their numbers, tables with their spans, notes in
brackets, comments behind their paragraph, formulas, raised and lowered letters, a form feed between slides; headers and footers of a
text stand at its end, each once. Sheets go the way of every sheet (`odf_sheet`).
Deleted and hidden text is not read. The title and author are those of `meta.xml`. A file that is one XML document (`.fodt`,
`.fods`, `.fodp`) holds all parts in it.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator

from lxml import etree

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import one_line
from decoct.documents.markup.html import Page
from decoct.documents.office.odf_page import DC, DRAW, OFFICE, STYLE, TABLE, TEXT, OdfPage, OdfStyles, put_in_order
from decoct.documents.office.package_xml import xml_root, xml_root_or_none
from decoct.documents.prose import Prose, around_texts, document_of_pages
from decoct.documents.tables.odf_sheet import write_sheet
from decoct.documents.titles import told_title, unnumbered
from decoct.errors import ParseError

_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an OpenDocument file."""
    data = source.read()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
            content = xml_root(package.read("content.xml"), huge=True)
            styles = xml_root(package.read("styles.xml"), huge=True) if "styles.xml" in names else None
            about = package.read("meta.xml") if "meta.xml" in names else b""
            objects = {name.rpartition("/")[0]: package.read(name) for name in names if name.endswith("/content.xml")}
    except (zipfile.BadZipFile, KeyError, etree.XMLSyntaxError, OSError, RuntimeError, ValueError) as error:
        raise ParseError("its OpenDocument data is damaged or encrypted: save it again, without a password") from error
    yield _document(source, content, [one for one in (styles, content) if one is not None], _about(about), objects)


def flat_document(source: Source, root: etree._Element) -> Document:
    """The document of a file that is one XML document."""
    return _document(source, root, [root], _said_about(root), {})


def _document(
    source: Source,
    content: etree._Element,
    styles: list[etree._Element],
    about: tuple[str, str],
    objects: dict[str, bytes],
) -> Document:
    body = content.find(f"{OFFICE}body")
    if body is None:
        raise ParseError("its OpenDocument data is damaged: save it again")
    title, author = about
    slides, sheets = list(body.iter(f"{DRAW}page")), body.findall(f"{OFFICE}spreadsheet/{TABLE}table")
    metadata: dict[str, MetadataValue] = {"author": author} if author else {}
    if slides:
        metadata["pages"] = len(slides)
    counts: Counter[str] = Counter()
    maker = OdfPage(OdfStyles(styles), objects, counts)
    for slide in slides:
        put_in_order(slide)
        counts["hidden slides, read with the others"] += slide.get(f"{DRAW}style-name") in maker.styles.hidden
    if sheets:
        metadata["sheets"] = len(sheets)
        prose = Prose()
        for sheet in sheets:
            write_sheet(sheet, maker, prose)
        pages = [prose]
    else:
        pages = [_written(maker, part, counts) for part in slides or [body]]
        for text in around_texts(_around(maker, styles)) if not slides and pages[0].length else ():
            pages[0].paragraph(text)
        title = title or unnumbered(next((page.first_heading for page in pages if page.headings), ""))
    return document_of_pages(source, pages, title, {**metadata, **left_out(counts)})


def _around(maker: OdfPage, styles: list[etree._Element]) -> Iterator[tuple[str, str]]:
    """The headers and footers of the styles of pages, without numbers of pages."""
    for kind in ("header", "footer"):
        for element in (one for tree in styles for one in tree.iter(f"{STYLE}master-page")):
            for part in element.iterchildren(*(f"{STYLE}{kind}{sort}" for sort in ("", "-left", "-first"))):
                for number in part.iter(f"{TEXT}page-count"):
                    number.text = ""
                yield kind.capitalize(), _written(maker, part, Counter()).text


def _written(maker: OdfPage, part: etree._Element, counts: Counter[str]) -> Prose:
    page = Page()
    page.write(maker.page(part))
    counts.update(page.left_out)
    return page.prose


def _about(data: bytes) -> tuple[str, str]:
    """The title and the author, each empty where none is told."""
    tree = xml_root_or_none(data)
    return _said_about(tree) if tree is not None else ("", "")


def _said_about(tree: etree._Element) -> tuple[str, str]:
    title, author = tree.findtext(f".//{DC}title"), tree.findtext(f".//{_META}initial-creator")
    return told_title(one_line(title or "")), one_line(author or tree.findtext(f".//{DC}creator") or "")
