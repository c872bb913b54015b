"""A document's headings with their levels: the parser's, else as the text shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from decoct.data import Document

_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s")
_MARKS = re.compile(r"[ \t]*(#{1,6})[ \t]*")
_UNDERLINE = re.compile(r"[^\n]*\n[ \t]*([=\-~^\"'`*+#:.<>_])\1{2,}[ \t]*(?=\n|\Z)")
_LONGEST = 100  # characters of a heading's words: they are embedded with everything below it


@dataclass(frozen=True, slots=True)
class Heading:
    """Characters `start` to `end` of a document, the words there without marks, and the level, from 1."""

    start: int
    end: int
    level: int
    words: str


def headings_of(document: Document) -> list[Heading]:
    """The document's headings, in order, none without words.

    A heading's level is what the parser says; else its marks (`##`), its underline (in the order in which their characters come), or its
    number (`2.1`) do; else it is 1.
    """
    found: list[Heading] = []
    underlines: list[str] = []
    levels = document.levels or (0,) * len(document.headings)
    for (start, end), level in sorted(zip(document.headings, levels, strict=True)):
        words = " ".join(document.text[start:end].strip(" \t\n#=*").split())[:_LONGEST]
        if words:
            found.append(Heading(start, end, level or _level(document.text, start, end, underlines), words))
    return found


def _level(text: str, start: int, end: int, underlines: list[str]) -> int:
    line = text.rfind("\n", 0, start) + 1
    if (marks := _MARKS.match(text, line)) is not None:
        return len(marks[1])
    if (under := _UNDERLINE.match(text, max(line, start))) is not None:
        if under[1] not in underlines:
            underlines.append(under[1])
        return underlines.index(under[1]) + 1
    number = _NUMBERED.match(text, start, end + 1)
    return number[1].count(".") + 1 if number is not None else 1
