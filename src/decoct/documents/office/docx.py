"""DOCX: the body in order, with its headings, lists, tables and hyperlinks, by python-docx.

The package is checked first (`package`). XML entities are not expanded (python-docx's parser is set so, and lxml bounds depth), and nothing
outside the file is fetched.

Inserted text of tracked changes is read, deleted text is not. Notes and comments follow the paragraph or table that refers to them;
headers and footers, each once, stand at the end. What was left out is told in the metadata (`leftout`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import one_line
from decoct.documents.leftout import left_out
from decoct.documents.office.docx_story import Story, parts_of_document
from decoct.documents.package import damaged_package
from decoct.documents.titles import told_title, unnumbered


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a DOCX."""
    document = _open(source)
    parts = parts_of_document(document)
    story = Story(parts)
    story.write(document.element.body)
    prose = story.prose
    for text in parts.around() if prose.length else ():
        prose.paragraph(text)
    title = told_title(_property(document, "title")) or unnumbered(prose.first_heading)
    author = _property(document, "author")
    yield prose.document(source, title, {**({"author": author} if author else {}), **left_out(parts.left_out)})


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


def _property(document: Any, name: str) -> str:  # noqa: ANN401
    """A core property, or the empty string."""
    try:
        return one_line(str(getattr(document.core_properties, name) or ""))
    except (ValueError, KeyError, AttributeError):  # a damaged docProps/core.xml is no reason to lose the text
        return ""
