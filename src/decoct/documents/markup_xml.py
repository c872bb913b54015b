"""XML: DocBook, Mallard, JATS, TEI, DITA, and any other by its shape; markup is never stored as prose.

Elements are known by their local names, which these vocabularies share to a great part: titles become headings, paragraphs and items
blocks, cells stand between bars, listings keep their lines. What only describes the document (credits, licences, the header of TEI) is
passed over. In a vocabulary that is not known, an element that holds only text is a line `name: text`, as are attributes, so that records
of data can be asked about; elements among words are words.

Entities that a file declares are resolved before it is parsed, within limits (`entities`); nothing outside the file is read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from lxml import etree

from decoct.data import Document
from decoct.documents.base import Source, size
from decoct.documents.canonical import canonical, one_line
from decoct.documents.encoding import decoded
from decoct.documents.entities import resolved_entities
from decoct.documents.html import main_page, page_tree
from decoct.documents.html import parse as parse_page
from decoct.documents.markup_table import TABLES, table_grid, table_rows
from decoct.documents.prose import CELL, LINE, PARAGRAPH, Prose
from decoct.errors import ParseError

_DECLARED = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"'][^>]*\?>")
_PROLOG = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[(.*?)\]\s*)?>", re.DOTALL)
_NAMED = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)([A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9]*>|<(?:br|img|hr|p)\b[^<>]*>", re.IGNORECASE)
_PROSE = frozenset("p para simpara section sect1 chapter sec div page topic".split())
_TITLES = frozenset("title head article-title".split())
_SECTIONS = frozenset(
    "section sect1 sect2 sect3 sect4 sect5 chapter part appendix preface sec div topic article book refentry refsect1 refsect2".split()
)
_BLOCKS = _SECTIONS | frozenset(
    "p para simpara formalpara abstract quote-block blockquote note tip warning caution important table informaltable figure list "
    "itemizedlist orderedlist variablelist steps step procedure body text front back screen programlisting literallayout "
    "preformat codeblock code-block example glossary lg sp ab caption synopsis".split()
)
_LINES = frozenset(
    "item listitem li list-item row tr l term varlistentry def-item ref bibl biblioentry glossentry subtitle".split()
)
_CELLS = frozenset("entry td th cell".split())
_VERBATIM = frozenset("screen programlisting literallayout preformat codeblock synopsis".split())
_ITEMS = frozenset("item listitem li list-item".split())
_ABOUT = frozenset(
    "info articleinfo bookinfo sectioninfo chapterinfo teiheader journal-meta article-id article-categories permissions prolog "
    "indexterm remark processing-instruction".split()
)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an XML file."""
    data = source.read()
    if len(data) > source.limits.text_characters:  # as a tree in memory it is ten times as large
        raise ParseError(f"it is larger than the limit of {size(source.limits.text_characters)} for XML: split it")
    declared = _DECLARED.match(data[:300].decode("latin-1").lstrip("\ufeffï»¿"))
    text, notes = decoded(data, declared[1] if declared else "")
    root = _root(text)
    if _local(root) == "html":
        yield from parse_page(source)
        return
    writer = _Writer(known=any(_local(element) in _PROSE for element in root.iter(etree.Element)))
    writer.write(root, 0)
    prose = writer.prose
    yield source.document(canonical(prose.text), _title(root), notes, headings=prose.headings, levels=prose.levels)


def _root(text: str) -> etree._Element:
    text = _PROLOG.sub("", text)
    # A document has one: where it never ends, no other is looked for.
    kind = _DOCTYPE.match(text, max(0, text.find("<!DOCTYPE")))
    if kind:  # nothing can be declared any more
        text = text[: kind.start()] + resolved_entities(text[kind.end() :], kind[1] or "")
    text = _NAMED.sub(lambda found: html.unescape(found[0]).replace("&", "&amp;"), text)
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        return etree.fromstring(canonical(text).strip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ParseError(f"its XML is damaged at line {error.lineno}: save it again") from error


def _plain(words: str) -> str:
    """Words without the HTML that feeds and exports put into them."""
    return main_page(page_tree(words)).prose.text if _TAG.search(words) else words


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""


def _title(root: etree._Element) -> str:
    found = next((element for element in root.iter(etree.Element) if _local(element) in _TITLES), None)
    return one_line("".join(found.itertext()))[:300] if found is not None else ""


class _Writer:
    """Writes a tree; `known` says whether it is of prose, and not of data."""

    def __init__(self, *, known: bool) -> None:
        self.prose = Prose()
        self._known = known
        self._begun = False  # the dash of an item was written, and nothing behind it

    def write(self, element: etree._Element, depth: int) -> None:
        """Write an element and what it holds; `depth` counts the sections around it."""
        name = _local(element)
        if not name or (self._known and name in _ABOUT):
            self._titles_of(element, depth)
            return
        if self._known:
            self._write_prose(element, name, depth)
        else:
            self._write_data(element, name)

    def _titles_of(self, element: etree._Element, depth: int) -> None:
        """The title that stands among what describes a document, which its readers see."""
        for inner in element if isinstance(element.tag, str) else ():
            if _local(inner) in _TITLES:
                self._write_prose(inner, _local(inner), depth)

    def _write_prose(self, element: etree._Element, name: str, depth: int) -> None:
        gap = (
            PARAGRAPH
            if name in _BLOCKS or name in _TITLES
            else LINE
            if name in _LINES
            else CELL
            if name in _CELLS
            else ""
        )
        if not (self._begun and name in _BLOCKS):
            self.prose.gap(gap)
        if name in _VERBATIM:
            self.prose.verbatim("".join(element.itertext()))
            self.prose.gap(PARAGRAPH)
            return
        if name in _ITEMS:
            self.prose.say("- ")
        self._begun = name in _ITEMS
        if name in TABLES and (rows := table_rows(element)):
            self._write_table(element, rows)
            return
        mark = self.prose.mark()
        self._write_inside(element, depth + (name in _SECTIONS))
        if name in _TITLES:
            self.prose.heading(self.prose.since(mark), max(depth, 1))
        self.prose.gap(gap)

    def _write_inside(self, element: etree._Element, depth: int) -> None:
        if element.text and element.text.strip():
            self.prose.say(element.text)
            self._begun = False
        for inner in element:
            self.write(inner, depth)
            if inner.tail:
                self.prose.say(inner.tail)

    def _write_table(self, table: etree._Element, rows: list[etree._Element]) -> None:
        """A table, below what names it."""
        for inner in table.iter(etree.Element):
            if _local(inner) in (*_TITLES, "caption", "label") and not any(
                _local(one) in ("tr", "row") for one in inner.iterancestors()
            ):
                self.prose.gap(PARAGRAPH)
                self.prose.say("".join(inner.itertext()))
        table_grid(rows, self._in_one_line).write(self.prose)

    def _in_one_line(self, cell: etree._Element) -> str:
        inner = _Writer(known=True)
        inner.prose = Prose(in_one_line=True)
        inner._write_inside(cell, 0)
        return inner.prose.text

    def _write_data(self, element: etree._Element, name: str) -> None:
        words = element.text and element.text.strip()
        inside = [inner for inner in element if isinstance(inner.tag, str)]
        if inside:
            self.prose.gap(PARAGRAPH)
        for key, value in element.attrib.items():
            if value.strip() and not str(key).startswith("{http://www.w3.org/"):
                self.prose.gap(LINE)
                self.prose.say(f"{etree.QName(key).localname}: {value}")
        if not inside and words:
            self.prose.gap(LINE)
            self.prose.say(f"{etree.QName(element).localname}: {_plain(words)}")
        elif any((part or "").strip() for part in (element.text, *(inner.tail for inner in element))):
            self.prose.gap(PARAGRAPH)  # words with elements among them
            self.prose.say(_plain("".join(element.itertext())))
            self.prose.gap(PARAGRAPH)
        else:
            for inner in inside:
                self._write_data(inner, _local(inner))
            if inside:
                self.prose.gap(PARAGRAPH)
