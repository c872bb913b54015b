"""The sections of one document, as ranges of its chunks: from its headings, or from where neighbouring chunks are least alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from decoct.data import Chunk, Document
from decoct.structure.place import headings_of
from decoct.text.analysis import stems


@dataclass(frozen=True, slots=True)
class ChunkSection:
    """Chunks `first` to `past` (exclusive) under a heading of a level from 1; without a `title` it is only a part of what is above it."""

    title: str
    level: int
    first: int
    past: int


def from_headings(document: Document, chunks: Sequence[Chunk], depth: int) -> list[ChunkSection]:
    """The sections that the document's headings make of its chunks, in order, none empty; deeper levels than `depth` count as it.

    A chunk belongs to the section in which it begins.
    """
    starts = [chunk.span.start for chunk in chunks]
    found = headings_of(document)
    # A chunk that begins with the heading may begin with its marks, before the heading's own first character.
    firsts = [int(np.searchsorted(starts, document.text.rfind("\n", 0, one.start) + 1)) for one in found]
    sections = []
    for number, one in enumerate(found):
        later = range(number + 1, len(found))
        past = next((firsts[other] for other in later if found[other].level <= one.level), len(chunks))
        if firsts[number] < past:
            sections.append(ChunkSection(one.words, min(one.level, depth), firsts[number], past))
    return sections


def from_similarity(texts: Sequence[str], depth: int, few: int) -> list[ChunkSection]:
    """Sections of chunks that are cut where neighbours are least alike, `depth` deep; at most `few` chunks are one section.

    n chunks with d levels left become about n^(1/(d + 1)) parts. Alike are texts whose stems, weighted by tf-idf within the document,
    point in the same direction (after Hearst's TextTiling, 1997).
    """
    if len(texts) <= few:
        return []
    try:
        rows = TfidfVectorizer(analyzer=stems).fit_transform(texts)
    except ValueError:  # no word in any of them
        return []
    alike = np.round(np.asarray(rows[:-1].multiply(rows[1:]).sum(axis=1)).ravel(), 6)
    found: list[ChunkSection] = []

    def cut(first: int, past: int, level: int) -> None:
        if past - first <= few or level > depth:
            return
        parts = max(2, round((past - first) ** (1 / (depth - level + 2))))
        weakest = np.argsort(alike[first : past - 1], kind="stable")[: parts - 1]
        borders = sorted(first + 1 + int(at) for at in weakest)
        for start, end in zip([first, *borders], [*borders, past], strict=True):
            if end - start > 1:
                found.append(ChunkSection("", level, start, end))
                cut(start, end, level + 1)

    cut(0, len(texts), 1)
    return found
