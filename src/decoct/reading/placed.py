"""Reading a passage by its parts, each under what stands over it: a sentence below the heading "E-1402" is about E-1402.

A passage is cut where other headings or items stand over its lines (`decoct.text.outline`); each part is read as a text of its own, titled
"Title: heading: item". What is found is told at its place in the passage, whose characters it stays. The passage answers, and is evidence,
as much as its best part; its verdict is that part's. A sentence that holds an identifier of the question ("X-771") is also read alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from decoct.reading.base import (
    NOTHING_READ,
    AnswerPlaces,
    AnswerSpan,
    PassageReader,
    Readable,
    Reading,
    ReadsParts,
    SentenceRelevance,
    TitledText,
    one_each,
    place_of,
)
from decoct.text.identifiers import Identifier, identifiers, labels
from decoct.text.outline import PlacedPart, outline
from decoct.text.sentences import sentences
from decoct.text.wholes import ITEM_MARK

_LONGEST_TITLE = 120  # characters that the small reader takes of a title
_MOST_SPANS = 6
_MOST_NAMING = 4  # sentences of a passage that are also read alone


def read_by_parts(reader: PassageReader, question: str, passages: Sequence[Readable]) -> list[Reading]:
    """One reading a passage, in their order; offsets count characters of the passage's text.

    `reader` reads parts where one costs it no more than its length (`ReadsParts`), else whole passages.
    """
    if not isinstance(reader, ReadsParts):
        return one_each(reader.read(question, passages), passages, reader)
    named = (*identifiers(question), *labels(question))
    cut = [[*(parts := read_parts(passage.text)), *_naming(named, passage.text, parts)] for passage in passages]
    titled = [
        TitledText(title_of_part(passage.title, (place_of(passage), *part.above)), passage.text[part.start : part.end])
        for passage, parts in zip(passages, cut, strict=True)
        for part in parts
    ]
    readings = iter(one_each(reader.read(question, titled), titled, reader))
    return [_reading_of_parts([(part.start, next(readings)) for part in parts]) for parts in cut]


def read_parts(text: str) -> list[PlacedPart]:
    """The parts of `text` that are read: an item that only names what is below it is read with that, as its title."""
    parts = outline(text)
    return [
        part
        for number, part in enumerate(parts)
        if number + 1 == len(parts) or not _only_names(text[part.start : part.end], part, parts[number + 1])
    ]


def title_of_part(title: str, above: Sequence[str]) -> str:
    """The title and what stands over a part, each once, the nearest whole: "Fees: Children"."""
    names = list(dict.fromkeys(name for name in (title, *above) if name))
    while len(names) > 1 and len(": ".join(names)) > _LONGEST_TITLE:
        del names[1 if len(names) > 2 else 0]
    return ": ".join(names)


def _naming(named: Sequence[Identifier], text: str, parts: Sequence[PlacedPart]) -> list[PlacedPart]:
    """The sentences beside others of their part that hold what is `named`: among its rivals the reader hardly tells it."""
    found: list[PlacedPart] = []
    for part in parts if named else ():
        places = sentences(text[part.start : part.end])
        for start, end in places if len(places) > 1 else ():
            said = text[part.start + start : part.start + end]
            held = (*identifiers(said), *labels(said))
            if any(one.is_same(other) for one in named for other in held):
                found.append(PlacedPart(part.start + start, part.start + end, part.above))
    return found[:_MOST_NAMING]


def _only_names(text: str, part: PlacedPart, below: PlacedPart) -> bool:
    mark = ITEM_MARK.match(text)
    bare = text[mark.end() :].strip().rstrip(":") if mark else ""
    return bool(bare) and below.above == (*part.above, bare)


def _reading_of_parts(read: Sequence[tuple[int, Reading]]) -> Reading:
    """The readings of parts that begin at the given characters as one of the whole."""
    if not read:
        return NOTHING_READ
    best = max((reading for _, reading in read), key=lambda reading: reading.answers)
    spans = [
        replace(span, start=span.start + at, end=span.end + at, answers=reading.answers, relevance=reading.relevance)
        for at, reading in read
        for span in reading.spans
    ]
    spans.sort(key=lambda span: (-span.score, span.start))
    apart: list[AnswerSpan] = []
    for span in spans:
        if not any(span.start < other.end and other.start < span.end for other in apart):
            apart.append(span)
    return Reading(
        spans=tuple(apart[:_MOST_SPANS]),
        answers=best.answers,
        relevance=max(reading.relevance for _, reading in read),
        sentences=_sentences(read),
        verdict=best.verdict,
        places=_places(read),
    )


def _sentences(read: Sequence[tuple[int, Reading]]) -> tuple[SentenceRelevance, ...]:
    """The sentences in order, each as relevant as its best reading says."""
    moved = [replace(one, start=one.start + at, end=one.end + at) for at, reading in read for one in reading.sentences]
    best: dict[int, SentenceRelevance] = {}
    for one in moved:
        if one.start not in best or one.relevance > best[one.start].relevance:
            best[one.start] = one
    return tuple(best[start] for start in sorted(best))


def _places(read: Sequence[tuple[int, Reading]]) -> AnswerPlaces | None:
    known = [(at, reading.places) for at, reading in read if reading.places is not None]
    if not known:
        return None
    return AnswerPlaces(
        np.concatenate([places.begins + at for at, places in known]),
        np.concatenate([places.stops + at for at, places in known]),
        np.concatenate([places.starts for _, places in known]),
        np.concatenate([places.ends for _, places in known]),
    )
