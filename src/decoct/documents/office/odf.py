"""OpenDocument: texts (`.odt`), sheets (`.ods`) and presentations (`.odp`), read from their `content.xml` (OASIS, version 1.3).

Texts and slides become a page (`odf_page`) and go the way of every page: lists with their numbers, tables with their spans, notes in
brackets, comments behind their paragraph, formulas, raised and lowered letters, a form feed between slides; headers and footers of a
text stand at its end, each once. Sheets go the way of every sheet (`sheet_tables`).
Deleted and hidden text is not read. The title and author are those of `meta.xml`. A file that is one XML document (`.fodt`,
`.fods`, `.fodp`) holds all parts in it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping

from lxml import etree

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.markup.html import Page
from decoct.documents.office.odf_page import (
    DC,
    DRAW,
    MOST_REPEATS,
    OFFICE,
    STYLE,
    TABLE,
    TEXT,
    OdfPage,
    OdfStyles,
    put_in_order,
    repeats,
)
from decoct.documents.office.package_xml import xml_root, xml_root_or_none
from decoct.documents.prose import Prose, around_texts, document_of_pages
from decoct.documents.tables.heads import CellValue, Kind
from decoct.documents.tables.sheet_cells import STRUCK_OUT, UNSHOWN, Area, SheetCells, iso_moment
from decoct.documents.tables.sheet_tables import write_named_sheet
from decoct.documents.titles import told_title, unnumbered
from decoct.errors import ParseError

_KINDS: dict[str, Kind] = {
    "float": "number",
    "percentage": "number",
    "currency": "number",
    "date": "date",
    "time": "date",
}
_ACROSS, _DOWN, _WIDE = (f"{TABLE}number-{name}" for name in ("columns-repeated", "rows-spanned", "columns-spanned"))
_CELL, _COVERED, _NOTE = f"{TABLE}table-cell", f"{TABLE}covered-table-cell", f"{OFFICE}annotation"
_GROUPS = frozenset(f"{TABLE}table-{name}" for name in ("header-rows", "rows", "row-group"))
_READ = frozenset({f"{TEXT}p", f"{TEXT}h", f"{TEXT}list", _NOTE})
_KIND, _DATE, _STORED, _STORED_TEXT = (
    f"{OFFICE}{name}" for name in ("value-type", "date-value", "value", "string-value")
)
_TRUE, _TIME = f"{OFFICE}boolean-value", f"{OFFICE}time-value"
_DURATION = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
_FORMULA = f"{TABLE}formula"
_HIDDEN = frozenset({"collapse", "filter"})
_LETTER = re.compile(r"[^\W\d_]")
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


def write_sheet(table: etree._Element, maker: OdfPage, prose: Prose) -> None:
    """Write a sheet below its name; what is hidden is counted, and read with the others."""
    cells, notes, shapes = _cells(table, maker)
    drawn = Page()
    for shape in (*table.findall(f"{TABLE}shapes"), *shapes):
        drawn.write(maker.page(shape))
    said = [words for words in (*notes, canonical(drawn.prose.text)) if words]
    if write_named_sheet(table.get(f"{TABLE}name") or "", cells, [], said, prose):
        hidden = (table.get(f"{TABLE}style-name") or "") in maker.styles.hidden
        maker.counts["hidden sheets, read with the others"] += hidden


def _cells(table: etree._Element, maker: OdfPage) -> tuple[SheetCells, list[str], list[etree._Element]]:
    """The filled cells, their comments, and what is drawn in them."""
    found = SheetCells()
    notes: list[str] = []
    shapes: list[etree._Element] = []
    number = 0
    for row in _rows(table):
        filled = _row(row, number, maker, found.merged, notes, shapes)
        times = repeats(row, f"{TABLE}number-rows-repeated")
        for at in range(number, number + min(times, MOST_REPEATS) if filled else number):
            found.rows[at] = filled
        if filled and row.get(f"{TABLE}visibility") in _HIDDEN:
            maker.counts["hidden rows, read with the others"] += min(times, MOST_REPEATS)
        number += times
    maker.counts["hidden columns, read with the others"] += _hidden_columns(table, found)
    return found, notes, shapes


def _hidden_columns(table: etree._Element, cells: SheetCells) -> int:
    """How many columns, or runs of such, are hidden and not blank."""
    count, end = 0, 0
    for column in table.iter(f"{TABLE}table-column"):
        begin, end = end, end + repeats(column, _ACROSS)
        if column.get(f"{TABLE}visibility") in _HIDDEN:
            count += any(begin <= at < end for row in cells.rows.values() for at in row)
    return count


def _rows(part: etree._Element) -> Iterator[etree._Element]:
    """The rows of a sheet, not those of a chart in it."""
    for one in part:
        if one.tag == f"{TABLE}table-row":
            yield one
        elif one.tag in _GROUPS:
            yield from _rows(one)


def _row(  # noqa: PLR0917
    row: etree._Element,
    number: int,
    maker: OdfPage,
    merged: list[Area],
    notes: list[str],
    shapes: list[etree._Element],
) -> dict[int, CellValue]:
    """The filled cells of a row by column; its merged areas, comments and shapes are added to those of the sheet."""
    filled: dict[int, CellValue] = {}
    column = 0
    for cell in row:
        if (tag := cell.tag) != _CELL and tag != _COVERED:
            continue
        said = dict(cell.items())
        shown, remark = "", ""
        for part in cell:
            if (kind := part.tag) in _READ:
                words = one_line(_words(maker, part) if len(part) else part.text or "")
                if kind == _NOTE:
                    remark = words
                else:
                    shown = f"{shown} {words}" if shown else words
            elif isinstance(kind, str) and kind.startswith(DRAW):
                shapes.append(part)
        value = _value(said, shown, maker, empty=len(cell) > 0) if tag == _CELL else None
        if value:
            filled[column] = value
        if remark:
            notes.append(f"{value.text}: {remark}" if value else remark)
        if _DOWN in said or _WIDE in said:
            area = Area(number, column, number + repeats(said, _DOWN) - 1, column + repeats(said, _WIDE) - 1)
            merged += [area] if area.bottom > number or area.right > column else []
        if _ACROSS in said:
            across = repeats(said, _ACROSS)
            if value:
                filled.update(dict.fromkeys(range(column, column + min(across, MOST_REPEATS)), value))
            column += across - 1
        column += 1
    return filled


def _value(said: Mapping[str, str], text: str, maker: OdfPage, *, empty: bool) -> CellValue | None:
    """What a cell with these attributes and words shows; a date that is told in numbers alone in ISO 8601, as its order is a setting.

    `empty`: it has a paragraph in which nothing stands.
    """
    kind = _KINDS.get(said.get(_KIND, ""))
    if kind == "date" and (stored := said.get(_DATE)) and not _LETTER.search(text):
        text = iso_moment(stored)
    if not text and (text := said.get(_STORED) or said.get(_STORED_TEXT) or ""):
        maker.counts[UNSHOWN] += empty
    text = text or said.get(_TRUE, "").upper() or _DURATION.sub(r"\1:\2:\3", said.get(_TIME, ""))
    if text and maker.styles.letters(said.get(f"{TABLE}style-name", "")) == "s":
        maker.counts[STRUCK_OUT] += 1
        return None
    if not text and not empty and _STORED_TEXT not in said and (formula := said.get(_FORMULA)):
        maker.counts["formulas whose value was never stored, told as formulas"] += 1
        return CellValue(f"={formula.partition('=')[2]}", "number")
    return CellValue(text, kind) if text else None


def _words(maker: OdfPage, element: etree._Element) -> str:
    """The words of an element as a page writes them."""
    page = Page(prose=Prose(in_one_line=True))
    page.write(maker.page(element))
    return page.prose.text
