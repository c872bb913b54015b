"""Notes without a model: names are runs of capitalised words (`decoct.text.names`), statements are the sentences that hold them.

What a document is called counts as a name in each of its sentences: prose says "he" and "the film" of what its title names. The title
is the subject of a sentence that does not begin with another name, and stands before the sentence's text where that does not hold it,
so that the text says by itself what it is about. This is our form for machines without a language model; the papers' figures are not of
it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from decoct.data import Chunk
from decoct.text.names import is_common, normal, runs, title_without_brackets
from decoct.text.sentences import sentences
from decoct_lab.structure.base import Chunked
from decoct_lab.structure.graphs.notes import ChunkNotes, Noted, Statement

# A name that begins within so many characters of a sentence is what the sentence speaks of.
_OPENING = 4


def notes_by_rules(document: Chunked) -> list[ChunkNotes]:
    """The notes of each chunk, in order."""
    return [_of_chunk(chunk) for chunk in document.chunks]


def title_name(title: str) -> str:
    """The normalised name that a title gives; empty where it is no name."""
    name = normal(title_without_brackets(title))
    return "" if len(name) < 2 or is_common(name) else name


def self_contained(text: str, title: str, *, named: bool) -> str:
    """A sentence with its document's title before it, unless it names it (`named`)."""
    return text if named or not title else f"{title_without_brackets(title)}: {text}"


def _of_chunk(chunk: Chunk) -> ChunkNotes:
    text, base = chunk.text, chunk.span.start
    ranges = sentences(text)
    starts = [start for start, _ in ranges]
    found: dict[str, Noted] = {}
    within: list[list[tuple[int, str]]] = [[] for _ in ranges]
    for name, start, end in runs(text):
        if is_common(name):
            continue
        if (before := found.get(name)) is None:
            found[name] = Noted(name, text[start:end], base + start, base + end)
        else:
            found[name] = Noted(name, before.shown, before.start, before.end, before.count + 1)
        if ranges:
            within[max(bisect_right(starts, start) - 1, 0)].append((start, name))
    title = title_name(chunk.title)
    if title and title not in found:
        # It names the chunk without standing in it: its place is the chunk's first sentence.
        first = ranges[0] if ranges else (0, len(text))
        found[title] = Noted(title, title_without_brackets(chunk.title), base + first[0], base + first[1])
    statements = [
        statement
        for (start, end), names in zip(ranges, within, strict=True)
        if (statement := _statement(chunk, start, end, names, title)) is not None
    ]
    return ChunkNotes(chunk.key, base, chunk.span.end, tuple(found.values()), tuple(statements))


def _statement(chunk: Chunk, start: int, end: int, names: Sequence[tuple[int, str]], title: str) -> Statement | None:
    inside = list(dict.fromkeys(name for _, name in names))
    opening = [name for at, name in names if at - start <= _OPENING]
    ordered = [*opening, title, *inside]
    connected = tuple(dict.fromkeys(name for name in ordered if name))
    if not connected:
        return None
    text = self_contained(chunk.text[start:end], chunk.title, named=title in inside)
    base = chunk.span.start
    return Statement(text, base + start, base + end, connected)
