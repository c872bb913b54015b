"""Where each chunk of a document stands: the path of headings above it, by which it is found beside its own words.

A chunk of a manual says "Set it to 0 to switch this off": of what it speaks is said by the headings. The path goes before the text in what
is embedded and in what words are searched in; it is never quoted, and no budget counts it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import replace

from decoct.data import Chunk, Document
from decoct.structure.headings import Heading, headings_of
from decoct.text.words import words

_MARKS = 16  # characters before a heading's words
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
    return len(text) <= _MARKS and not any(letter.isalnum() for letter in text)


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
