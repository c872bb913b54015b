"""EPUB: the chapters of a book in reading order, each read as a page (`html`).

The package is opened by its own map (container, then package document, then spine); XML entities are never expanded, nothing outside the
file is fetched, and paths that leave the package lead nowhere. Title and author are the book's. The table of contents is not text, and
what is encrypted (a book with copy protection) is refused.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from urllib.parse import unquote

from lxml import etree

from decoct.data import Document
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.encoding import decoded
from decoct.documents.markup.boilerplate import Around
from decoct.documents.markup.html import Page, charset, page_tree
from decoct.documents.office.package_xml import xml_root
from decoct.documents.package import BROKEN, damaged_package
from decoct.documents.prose import PARAGRAPH, Prose
from decoct.errors import ParseError

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a book."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.read())) as archive:
            book = _Book(archive)
            prose = book.text()
    except ParseError:
        raise
    except (*BROKEN, etree.LxmlError) as error:
        raise damaged_package(source) from error
    author = book.said("creator")
    yield prose.document(
        source, book.said("title"), {**({"author": author} if author else {}), **left_out(book.left_out)}
    )


class _Book:
    """A package: its package document, and what is encrypted in it."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.left_out: Counter[str] = Counter()
        self._names = frozenset(archive.namelist())
        root = xml_root(archive.read("META-INF/container.xml")).find(".//{*}rootfile")
        self._path = unquote(root.get("full-path", "")) if root is not None else ""
        self._package = xml_root(archive.read(self._path))
        self._locked = frozenset[str]()
        if "META-INF/encryption.xml" in self._names:
            locked = xml_root(archive.read("META-INF/encryption.xml"))
            self._locked = frozenset(unquote(part.get("URI", "")) for part in locked.iter("{*}CipherReference"))

    def said(self, name: str) -> str:
        """A field of the book's metadata, or the empty string."""
        return one_line(self._package.findtext(f".//{{http://purl.org/dc/elements/1.1/}}{name}") or "")

    def text(self) -> Prose:
        """All chapters, set off as paragraphs."""
        prose = Prose()
        for path in self._chapters():
            if path in self._locked:
                raise ParseError("it is copy-protected (its chapters are encrypted): it cannot be read")
            data = self._archive.read(path)
            try:
                tree = page_tree(canonical(decoded(data, charset(data)).text), partial(self._sheet, path))
            except ParseError as error:
                if "no text" in str(error) or "empty" in str(error):  # a page that is a picture
                    continue
                raise
            body = tree.find(".//body")
            prose.gap(PARAGRAPH)
            page = Page(Around(tree), prose=prose)
            page.write(tree if body is None else body)
            self.left_out += page.left_out
        return prose

    def _sheet(self, page: str, address: str) -> str:
        """A style sheet of the book; empty where there is none."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(address)))
        return self._archive.read(path).decode(errors="replace") if path in self._names - self._locked else ""

    def _chapters(self) -> Iterator[str]:
        items = {item.get("id"): item for item in self._package.iter("{*}item")}
        folder = posixpath.dirname(self._path)
        seen = set()
        for reference in self._package.iter("{*}itemref"):
            item = items.get(reference.get("idref"))
            if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
                continue
            path = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
            if path in self._names and path not in seen:
                seen.add(path)
                yield path
