"""Where each chunk of a document stands: the path of headings above it, by which it is found beside its own words.

A chunk of a manual says "Set it to 0 to switch this off": of what it speaks is said by the headings. The path goes before the text in what
is embedded and in what words are searched in; it is never quoted, and no budget counts it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from decoct.data import Chunk, Document
from decoct.text.words import words

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


_PLACE_MARKS = 16  # characters before a heading's words
BETWEEN = " › "
PLACES = "places"  # the setting of a library whose chunks have places, but for those that were stored before
UNPLACED = (
    "this library was filled before chunks were found by the headings above them; its older documents get them when they change, or all "
    "at once by `decoct ingest --rebuild`"
)
LONGEST = 200  # characters of a path, the innermost headings first: the bundled embedder reads 256 tokens, most of them the text's


def placed(document: Document, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks, each with the headings that it stands under, outermost first.

    A heading with which a chunk begins is its own text, so only what stands above that one counts; one whose words are all in the
    title ("3. Signals" under "Signals") is passed over, since every chunk has that.
    """
    headings = headings_of(document)
    if not headings:
        return tuple(chunks)
    paths = _paths(headings)
    starts = [heading.start for heading in headings]
    found = []
    for chunk in chunks:
        at = bisect_right(starts, chunk.span.start)
        if at < len(starts) and _is_marks(document.text[chunk.span.start : starts[at]]):
            at += 1
        found.append(replace(chunk, place=_path_above(paths[at - 1], chunk, document) if at else ""))
    return tuple(found)


def _is_marks(text: str) -> bool:
    """Whether nothing stands there but marks of a heading that follows (`## `)."""
    return len(text) <= _PLACE_MARKS and not any(letter.isalnum() for letter in text)


def search_text(chunk: Chunk) -> str:
    """What is embedded for a chunk: its document's title, unless the text begins with it, the headings above it, and its text."""
    titled = chunk.title and not chunk.text.startswith(chunk.title)
    return "\n".join([*([chunk.title] if titled else []), *([chunk.place] if chunk.place else []), chunk.text])


def _paths(headings: Sequence[Heading]) -> list[tuple[Heading, ...]]:
    """For each heading those that it stands under, and itself."""
    open_: list[Heading] = []
    found = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        open_.append(heading)
        found.append(tuple(open_))
    return found


def _is_said(heading: str, said: Set[str]) -> bool:
    """Whether a heading says no more than what is said already, but for its number."""
    own = words(heading)
    new = [word for word in own if word not in said]
    return len(new) < len(own) and all(word.isdigit() for word in new)


def _path_above(above: Sequence[Heading], chunk: Chunk, document: Document) -> str:
    said = set(words(f"{document.title} {chunk.title}"))
    path: list[str] = []
    room = LONGEST
    for heading in reversed(above):
        if heading.start >= chunk.span.start or _is_said(heading.words, said):
            continue
        room -= len(heading.words) + len(BETWEEN)
        if room < 0 and path:
            break
        path.append(heading.words)
    return BETWEEN.join(reversed(path))
