"""What was noted of a chunk: the names that stand in it, and statements that connect names; each with its characters in the document.

All graph systems are built of this, whoever took the notes (rules or a model). A statement is a sentence, a triple, a relation, a
hyperedge or a proposition: a text, the names that it connects (the subject first), and what it says of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

_HIGHEST = 10.0  # the end of the scale on which a model is asked to weigh a statement


@dataclass(frozen=True, slots=True)
class Noted:
    """A name in a chunk: normalised `name` and as written (`shown`), its first place `start`..`end` in the document, and its `count`.

    `kind` and `about` are what a model says it is.
    """

    name: str
    shown: str
    start: int
    end: int
    count: int = 1
    kind: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """`text` with the characters of the document that it rests on, its normalised `names`, what `relation` they have, and its `weight`."""

    text: str
    start: int
    end: int
    names: tuple[str, ...]
    relation: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ChunkNotes:
    """The notes of the chunk `key`, which is characters `start`..`end` of its document."""

    key: int
    start: int
    end: int
    names: tuple[Noted, ...]
    statements: tuple[Statement, ...]


def statement_weight(score: float) -> float:
    """A statement's weight by a model's score of it, which may go beyond the scale that it was told; 1 for none."""
    return min(float(score), _HIGHEST) or 1.0


def packed(notes: Sequence[ChunkNotes]) -> bytes:
    """A document's notes as a part's body."""
    return json.dumps(
        [
            [
                one.key,
                one.start,
                one.end,
                [[n.name, n.shown, n.start, n.end, n.count, n.kind, n.about] for n in one.names],
                [[s.text, s.start, s.end, s.names, s.relation, s.weight] for s in one.statements],
            ]
            for one in notes
        ]
    ).encode()


def unpacked(body: bytes) -> list[ChunkNotes]:
    """The notes in a part's body."""
    return [
        ChunkNotes(
            key,
            start,
            end,
            tuple(Noted(*name) for name in names),
            tuple(Statement(text, a, b, tuple(named), rel, weight) for text, a, b, named, rel, weight in statements),
        )
        for key, start, end, names, statements in json.loads(body)
    ]
