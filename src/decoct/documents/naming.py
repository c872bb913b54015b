"""How much a document may be called: titles and names are told with every passage, so a long one would crowd out all evidence.

The limits leave room for what real documents are called; what is cut is cut at a word and ends in "…".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from decoct.data import Document

TITLE: Final = 200
NAMES: Final = 100


def named_in_bounds(document: Document) -> Document:
    """The document with its title and names on one line each, of at most `TITLE` characters, and at most `NAMES` names."""
    title = _cut(document.title)
    names = tuple(dict.fromkeys(name for given in document.names[:NAMES] if (name := _cut(given))))
    if title == document.title and names == document.names:
        return document
    return replace(document, title=title, names=names)


def _cut(name: str) -> str:
    line = " ".join(name.split())
    if len(line) <= TITLE:
        return line
    return line[: TITLE - 1].rsplit(" ", 1)[0][: TITLE - 1] + "…"
