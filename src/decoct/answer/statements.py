"""The likeliest statements of passages that were read.

An answer that holds is one whose quoted statement says it, so statements are what is ranked, whether or not the first reader marked words
in them. Each has the reader's relevance; the first `_COMPARED` by that, by their passage's relevance and rank and by the question's words
in and over them also have the cosine of the question with the statement under what stands over it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from decoct.answer.quoted import ReadPassage
from decoct.data import Passage
from decoct.documents.matter import without_matter
from decoct.embed.base import Embedder, cosines
from decoct.text.overlap import rarities
from decoct.text.quotable import PlacedStatement, statements
from decoct.text.words import content_stems

_COMPARED = 64
# Beside the words: rounded weights of a fit on two organisations of development.
_RELEVANCE, _OF_PASSAGE, _RANKED = 1 / 3, 1 / 2, 1 / 6


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement of a passage: the reader's relevance of it (`likely`), and its cosine with the question (`near`; 0 if not compared)."""

    read: ReadPassage
    statement: PlacedStatement
    likely: float
    near: float = 0.0


def name_of(passage: Passage) -> str:
    """Its title; of a passage without one the words of its file's name ("fault-codes.xlsx": "fault codes"), where it comes from a file."""
    if passage.title:
        return passage.title
    file = PurePosixPath(passage.support[0].doc_id.partition("#")[0])
    return " ".join(re.findall(r"\w+", file.stem.replace("_", " "))) if file.suffix else ""


def spoken_rarities(question: str, passages: Sequence[Passage]) -> Mapping[str, float]:
    """How rare each of the question's words is among the passages, as shares."""
    asked = content_stems(question)
    texts = [content_stems(f"{one.title}\n{one.text}") for one in passages]
    return rarities(sorted(asked), texts) if asked and texts else {}


def near_statements(question: str, read: Sequence[ReadPassage], embedder: Embedder) -> list[ReadStatement]:
    """The first statements of the passages, in no order."""
    rare = spoken_rarities(question, [one.passage for one in read])
    weighed: list[tuple[float, ReadStatement]] = []
    for one in read:
        text = one.passage.text
        relevance = {place.start: place.relevance for place in one.reading.sentences}
        for found in statements(without_matter(text), name_of(one.passage), one.passage.place):
            start, end = found.place
            likely = max((value for at, value in relevance.items() if start <= at < end), default=0.0)
            said = _stems(found.over) | content_stems(text[start:end])
            spoken = sum(weight for word, weight in rare.items() if word in said)
            read_as = _RELEVANCE * likely + _OF_PASSAGE * one.reading.relevance - _RANKED * math.log1p(one.rank)
            weighed.append((spoken + read_as, ReadStatement(one, found, likely)))
    weighed.sort(key=lambda pair: -pair[0])
    first = [one for _, one in weighed[:_COMPARED]]
    if not first:
        return []
    texts = [f"{one.statement.over}\n{one.read.passage.text[slice(*one.statement.place)]}" for one in first]
    near = cosines(embedder, question, texts).tolist()
    return [replace(one, near=float(value)) for one, value in zip(first, near, strict=True)]


@lru_cache(maxsize=2048)
def _stems(text: str) -> frozenset[str]:
    return content_stems(text)
