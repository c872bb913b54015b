"""OpenDocument: texts (`.odt`), sheets (`.ods`) and presentations (`.odp`), read from their `content.xml` (OASIS, version 1.3).

Headings by their outline level, items of lists by a dash, cells between bars with repeated and covered ones kept, notes in brackets where
they stand, a form feed between slides. Deleted text of tracked changes, comments and hidden text are not read. The title and author are
those of `meta.xml`.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from lxml import etree

from decoct.data import Document, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import one_line
from decoct.documents.prose import LINE, PARAGRAPH, SPACE, Prose, document_of_pages
from decoct.errors import ParseError

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _TABLE, _DRAW = (f"{{{_NAMESPACE}{name}:1.0}}" for name in ("text", "table", "drawing"))
_OFFICE = f"{{{_NAMESPACE}office:1.0}}"
_META, _DC = f"{{{_NAMESPACE}meta:1.0}}", "{http://purl.org/dc/elements/1.1/}"
_SKIPPED = frozenset(
    {
        f"{_TEXT}tracked-changes",
        f"{_OFFICE}annotation",
        f"{_TEXT}hidden-text",
        f"{_TEXT}sequence-decls",
        f"{_OFFICE}forms",
        f"{_TEXT}note-citation",
    }
)
_MOST_REPEATS = 1_000  # of a cell or row; spreadsheets fill themselves to the last column with empty ones


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an OpenDocument file."""
    data = source.read()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            content = etree.fromstring(package.read("content.xml"), _parser())
            about = package.read("meta.xml") if "meta.xml" in package.namelist() else b""
    except (zipfile.BadZipFile, KeyError, etree.XMLSyntaxError, OSError, RuntimeError, ValueError) as error:
        raise ParseError("its OpenDocument data is damaged or encrypted: save it again, without a password") from error
    body = content.find(f"{_OFFICE}body")
    if body is None:
        raise ParseError("its OpenDocument data is damaged: save it again")
    title, author = _about(about)
    slides = list(body.iter(f"{_DRAW}page"))
    metadata: dict[str, MetadataValue] = {"author": author} if author else {}
    if slides:
        metadata["pages"] = len(slides)
    yield document_of_pages(source, [_written(part) for part in slides or [body]], title, metadata)


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)


def _about(data: bytes) -> tuple[str, str]:
    """The title and the author, each empty where none is told."""
    try:
        tree = etree.fromstring(data, _parser()) if data else None
    except etree.XMLSyntaxError:
        return "", ""
    if tree is None:
        return "", ""
    title, author = tree.findtext(f".//{_DC}title"), tree.findtext(f".//{_META}initial-creator")
    return one_line(title or ""), one_line(author or tree.findtext(f".//{_DC}creator") or "")


def _written(part: Any) -> Prose:  # noqa: ANN401 - lxml has no types
    writer = _Writer()
    writer.write(part)
    return writer.prose


class _Writer:
    """Writes a body; `prose` is what was written."""

    def __init__(self) -> None:
        self.prose = Prose()
        self._begun = False  # the dash of an item was written, and nothing behind it

    def write(self, element: Any) -> None:  # noqa: ANN401 - lxml has no types
        """Write an element, with what it holds and without what follows it."""
        tag = element.tag
        if not isinstance(tag, str) or tag in _SKIPPED:
            return
        if tag in (f"{_TEXT}h", f"{_TEXT}p"):
            self._paragraph(element, int(element.get(f"{_TEXT}outline-level") or 1) if tag.endswith("}h") else 0)
        elif tag == f"{_TABLE}table":
            self._table(element)
        elif tag == f"{_TEXT}list-item":
            self.prose.gap(LINE)
            self.prose.say("- ")
            self._begun = True
            self._inside(element)
        else:
            self._inside(element)

    def _inside(self, element: Any) -> None:  # noqa: ANN401
        for inner in element:
            self.write(inner)

    def _paragraph(self, element: Any, level: int) -> None:  # noqa: ANN401
        listed = next(element.iterancestors(f"{_TEXT}list-item", f"{_TABLE}table-cell"), None) is not None
        if not self._begun:
            self.prose.gap(LINE if listed else PARAGRAPH)
        self._begun = False
        mark = self.prose.mark()
        self._run(element)
        if level:
            self.prose.heading(self.prose.since(mark), level)
        self.prose.gap(LINE if listed else PARAGRAPH)

    def _run(self, element: Any) -> None:  # noqa: ANN401
        """Write the words of a paragraph or a part of one."""
        if element.text:
            self.prose.say(element.text)
        for inner in element:
            tag = inner.tag
            if tag in {f"{_TEXT}s", f"{_TEXT}tab"}:
                self.prose.gap(SPACE)
            elif tag == f"{_TEXT}line-break":
                self.prose.gap(LINE)
            elif tag == f"{_TEXT}note":
                self.prose.say(f" ({one_line(_words(inner))})")
            elif isinstance(tag, str) and tag not in _SKIPPED:
                if tag.startswith((_DRAW, _TABLE)):
                    self._inside(inner)
                else:
                    self._run(inner)
            if inner.tail:
                self.prose.say(inner.tail)

    def _table(self, table: Any) -> None:  # noqa: ANN401
        name = table.get(f"{_TABLE}name") or ""
        if table.getparent().tag == f"{_OFFICE}spreadsheet" and name:
            self.prose.title(name, 1)
        self.prose.gap(PARAGRAPH)
        for row in table.iter(f"{_TABLE}table-row"):
            if next(row.iterancestors(f"{_TABLE}table")) is not table:
                continue
            cells = _cells(row)
            for _ in range(_repeats(row, "rows") if any(cells) else 0):
                self.prose.gap(LINE)
                self.prose.verbatim(" | ".join(cells))
        self.prose.gap(PARAGRAPH)


def _cells(row: Any) -> list[str]:  # noqa: ANN401
    """The words of a row's cells, without empty ones at its end."""
    cells: list[str] = []
    for cell in row:
        if cell.tag in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            cells += [one_line(_words(cell))] * _repeats(cell, "columns")
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _repeats(element: Any, what: str) -> int:  # noqa: ANN401
    said = element.get(f"{_TABLE}number-{what}-repeated") or "1"
    return min(int(said), _MOST_REPEATS) if said.isdecimal() else 1


def _words(element: Any) -> str:  # noqa: ANN401
    """All words in an element, those of different paragraphs set apart."""
    if not isinstance(element.tag, str) or element.tag in _SKIPPED:
        return ""
    if element.tag in (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
        return " "
    inside = "".join(_words(inner) + (inner.tail or "") for inner in element)
    ends = " " if element.tag in (f"{_TEXT}p", f"{_TEXT}h") else ""
    return f"{element.text or ''}{inside}{ends}"
