"""A document's chunks, those of its matter (front matter, a table of contents) apart from those of its prose.

A chunk that begins with twenty lines of fields is embedded as what they say, and a question is answered out of them. So prose and matter
are cut for themselves: the chunker is given the text with white space in the place of its matter, which it leaves out, and each range of
matter is one chunk. Together they hold every character that is not white space, each at its place in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from decoct.chunking.base import Chunker
from decoct.chunking.cut import cut
from decoct.data import Chunk, Document
from decoct.documents.matter import blanked, matter
from decoct.text.words import words


def chunks_of(chunker: Chunker, document: Document) -> list[Chunk]:
    """The chunks of a document in text order."""
    ranges = _with_titles(document, matter(document.text))
    if not ranges:
        return chunker.chunk(document)
    prose = chunker.chunk(replace(document, text=blanked(document.text, ranges)))
    chunks = [*cut(document, ranges), *(part for chunk in prose for part in _parted(document, chunk, ranges))]
    return sorted(chunks, key=lambda chunk: chunk.span.start)


def _with_titles(document: Document, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges, each from the document's title on where nothing else stands before it: a chunk of its own would say nothing."""
    title = set(words(document.title))
    found: list[tuple[int, int]] = []
    for start, end in ranges:
        before = found[-1][1] if found else 0
        said = words(document.text[before:start])
        if said and title.issuperset(said):
            first = found.pop()[0] if found else 0
            found.append((first, end))
        else:
            found.append((start, end))
    return found


def _parted(document: Document, chunk: Chunk, ranges: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
    """A chunk of the prose, cut where matter lies in it, with the document's own characters."""
    at = chunk.span.start
    pieces: list[tuple[int, int]] = []
    for start, end in ranges:
        if at < end and start < chunk.span.end:
            pieces.append((at, max(at, start)))
            at = end
    pieces.append((at, max(at, chunk.span.end)))
    for piece in cut(document, pieces):
        yield replace(piece, title=chunk.title)
