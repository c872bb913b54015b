"""DOCX: paragraphs, headings, tables and hyperlinks of the body, in order, by python-docx.

The package is checked first (`package`). XML entities are not expanded (python-docx's parser is set so, and lxml bounds depth), and nothing
outside the file is fetched.

Inserted text of tracked changes is read, deleted text is not. Headers, footers, notes, comments and the second copy of text boxes
are left out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from decoct.data import Document, Link, Scalar
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.formulas import DOWN, UP, scripted
from decoct.documents.package import damaged_package
from decoct.documents.prose import CELL, LINE, PARAGRAPH, SPACE, Prose, leads_elsewhere

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_LEFT_OUT = frozenset(
    {
        f"{_W}{tag}"
        for tag in ("del", "moveFrom", "pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "sdtPr", "instrText")
    }
    | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)
_GAPS = {
    f"{_W}p": LINE,
    f"{_W}tbl": PARAGRAPH,
    f"{_W}tr": LINE,
    f"{_W}tc": CELL,
    f"{_W}br": LINE,
    f"{_W}cr": LINE,
    f"{_W}tab": SPACE,
}
_SCRIPTS = {"superscript": UP, "subscript": DOWN}
_HEADING = re.compile(r"(heading|title)\b(?:\s*([1-9])\b)?", re.I)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a DOCX."""
    body = _Body(_open(source))
    body.write()
    title = one_line(body.property("title")) or (
        one_line(body.prose.text[slice(*body.prose.headings[0])]) if body.prose.headings else ""
    )
    author = one_line(body.property("author"))
    metadata: dict[str, Scalar] = {**source.metadata, **({"author": author} if author else {})}
    yield Document(
        source.name,
        checked(body.prose.text, source.limits.text_characters),
        title=title,
        source=source.origin,
        metadata=metadata,
        headings=tuple(body.prose.headings),
        levels=body.prose.levels,
        links=tuple(body.prose.links),
    )


def _open(source: Source) -> Any:  # noqa: ANN401 - python-docx has few types
    import docx

    try:
        document = docx.Document(io.BytesIO(source.read()))
        found = document.element.body is not None  # a root of another name has no body at all
    except Exception as error:  # a damaged package makes python-docx raise nearly anything
        raise damaged_package(source) from error
    if not found:
        raise damaged_package(source)
    return document


class _Body:
    """Walks the XML of the body without recursion, writing as it goes."""

    def __init__(self, document: Any) -> None:  # noqa: ANN401
        self.prose = Prose()
        self._document = document
        self._styles = _heading_styles(document)
        self._targets = {key: str(link.target_ref) for key, link in document.part.rels.items() if link.is_external}
        self._marks: list[int] = []
        self._tables = 0
        self._raised: tuple[str | None, int] = (None, -1)

    def property(self, name: str) -> str:
        """A core property, or the empty string."""
        try:
            return str(getattr(self._document.core_properties, name) or "")
        except (ValueError, KeyError, AttributeError):  # a damaged docProps/core.xml is no reason to lose the text
            return ""

    def write(self) -> None:
        """Write the whole body."""
        from lxml import etree

        walk = etree.iterwalk(self._document.element.body, events=("start", "end"))
        skipped = None
        for event, element in walk:
            if event == "start" and element.tag in _LEFT_OUT:
                skipped = element
                walk.skip_subtree()
            elif event == "start":
                self._start(element)
            elif element is not skipped:
                self._end(element)

    def _start(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        self._gap(tag)
        if tag == f"{_W}t":
            self.prose.say(self._said(element))
        elif tag == f"{_W}tbl":
            self._tables += 1
        if tag in (f"{_W}p", f"{_W}hyperlink"):
            self._marks.append(self.prose.mark())

    def _said(self, element: Any) -> str:  # noqa: ANN401
        text = canonical(element.text or "")
        found = element.getparent().find(f"{_W}rPr/{_W}vertAlign")
        sign = _SCRIPTS.get(found.get(f"{_W}val", "")) if found is not None else None
        if sign and self._raised == (sign, self.prose.length):  # the same script goes on in another run
            self._raised = (sign, self.prose.length + len(text))
            return text
        said = scripted(sign, text, self.prose.last, starts=self.prose.starts) if sign else text
        self._raised = (sign, self.prose.length + len(said))
        return said

    def _end(self, element: Any) -> None:  # noqa: ANN401
        tag = element.tag
        if tag in (f"{_W}p", f"{_W}hyperlink"):
            found = self.prose.since(self._marks.pop())
            if found and tag == f"{_W}hyperlink":
                target = one_line(self._targets.get(element.get(f"{_R}id"), ""))
                if leads_elsewhere(target):
                    self.prose.links.append(Link(*found, target))
            elif level := self._level(element):
                self.prose.heading(found, level)
        elif tag == f"{_W}tbl":
            self._tables -= 1
        self._gap(tag)

    def _gap(self, tag: str) -> None:
        if gap := _GAPS.get(tag, ""):
            # In a table a cell's only paragraph must not break the row.
            self.prose.gap(SPACE if tag == f"{_W}p" and self._tables else PARAGRAPH if tag == f"{_W}p" else gap)

    def _level(self, paragraph: Any) -> int:  # noqa: ANN401
        """The level of a heading, from 1; 0 for a paragraph that is none."""
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return 0
        style = properties.find(f"{_W}pStyle")
        own = _outlined(properties.find(f"{_W}outlineLvl"))
        return own or (self._styles.get(style.get(f"{_W}val"), 0) if style is not None else 0)


def _heading_styles(document: Any) -> dict[str, int]:  # noqa: ANN401
    """Levels of the styles named as headings (the name is English in every edition of Word) or with an outline level, by their ids."""
    try:
        styles = document.styles.element
    except (KeyError, ValueError, AttributeError):  # no styles part: no headings
        return {}
    found = {}
    for style in styles.iterchildren(f"{_W}style"):
        name = style.find(f"{_W}name")
        named = _HEADING.match(name.get(f"{_W}val", "")) if name is not None else None
        outlined = _outlined(style.find(f"{_W}pPr/{_W}outlineLvl"))
        if named or outlined:
            found[style.get(f"{_W}styleId", "")] = int(named[2]) if named and named[2] else outlined or 1
    return found


def _outlined(mark: Any) -> int:  # noqa: ANN401
    """The level that a mark of the outline gives, from 1; 0 for none. Word counts from 0, and 9 is the text's own."""
    said = mark.get(f"{_W}val", "") if mark is not None else ""
    return int(said) + 1 if said.isdigit() and int(said) < 9 else 1 if mark is not None and not said.isdigit() else 0
