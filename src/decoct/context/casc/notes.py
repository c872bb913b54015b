"""What a context tells of its facts and conflicts: the notes `context.facts` and `context.conflicts`, and their JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from decoct.context.as_json import support_as_json
from decoct.context.casc.claims import Action, ConflictType
from decoct.context.layouts import harmless_lines
from decoct.data import Draft, Passage, ShortAnswer, Span

FactStatus: TypeAlias = Literal["agreed", "stated", "not compared"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the sources say and none denies.

    `status` says no more than is known: "agreed" where two independent sources that were surely read say the same value, "stated" where one
    does, "not compared" for a value that was not surely read or that nothing could be compared with, and for sentences without a value.

    `sources` are the ids of its documents; copies of one text are listed, but `independent` counts them once. `value` is what answers part
    `part` of the question; empty for a sentence that only bears on it. `said` are its words with the probability that they are right.
    `why` tells, in an audit, why it was compared with no other value.
    """

    text: str
    support: tuple[Span, ...]
    sources: tuple[str, ...]
    confidence: float
    value: str = ""
    independent: int = 1
    part: int = 0
    status: FactStatus = "stated"
    line: int | None = None
    said: ShortAnswer | None = None
    why: str = ""

    def on_its_line(self, passages: Sequence[Passage]) -> Fact:
        """The fact with the number of the line that tells it."""
        return replace(self, line=line_of(self.support, passages))

    def as_dict(self) -> dict[str, Any]:
        """The fact as JSON-ready data."""
        return {
            "text": self.text,
            "support": support_as_json(self.support),
            "sources": list(self.sources),
            "confidence": self.confidence,
            "value": self.value,
            "status": self.status,
        }


@dataclass(frozen=True, slots=True)
class Option:
    """One side of a conflict: the value as its best source writes it and where it stands.

    `described` and `kinds` are words on its sources with and without labels, `quote` the sentence that says it best, `word` the "yes" or
    "no" that it says, and `said` its words with the probability that they are right.
    """

    value: str
    support: tuple[Span, ...]
    described: str = ""
    kinds: str = ""
    quote: str = ""
    word: str = ""
    said: ShortAnswer | None = None

    def as_dict(self) -> dict[str, Any]:
        """The side as JSON-ready data."""
        return {"value": self.value, "support": support_as_json(self.support)}


@dataclass(frozen=True, slots=True)
class Conflict:
    """Sides that exclude each other. `chosen` is the value preferred by `rule`, None where the conflict is only flagged.

    `sure` says whether the preferred side, or all sides of an undecided conflict, were surely read.
    """

    about: str
    type: ConflictType
    sides: tuple[Option, ...]
    action: Action
    rule: str
    chosen: str | None
    confidence: float
    reason: str
    part: int = 0
    line: int | None = None
    sure: bool = True

    def on_its_line(self, passages: Sequence[Passage]) -> Conflict:
        """The conflict with the number of the line that tells it."""
        return replace(self, line=line_of([span for side in self.sides for span in side.support], passages))

    def as_dict(self) -> dict[str, Any]:
        """The conflict as JSON-ready data."""
        return {
            "about": self.about,
            "type": self.type,
            "sides": [side.as_dict() for side in self.sides],
            "action": self.action,
            "rule": self.rule,
            "chosen": self.chosen,
            "confidence": self.confidence,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A passage that was read to make the context: what a reader without notes would have been shown."""

    passage: Passage

    def as_dict(self) -> dict[str, Any]:
        """Its title and its places."""
        return {"title": self.passage.title, "support": support_as_json(self.passage.support)}


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of the question on which the sources say nothing."""

    text: str

    def as_dict(self) -> dict[str, Any]:
        """The gap as JSON-ready data."""
        return {"text": self.text}


def line_of(support: Sequence[Span], passages: Sequence[Passage]) -> int | None:
    """The number (from 1) of the first passage that carries all of these spans, else any of them; None where the budget left them out."""
    wanted = set(support)
    carried = [wanted & set(passage.support) for passage in passages]
    whole = [number for number, found in enumerate(carried, 1) if found == wanted]
    some = [number for number, found in enumerate(carried, 1) if found]
    return next(iter([*whole, *some]), None)


# The layout of a CASC context: lines under the headings of their sections, numbered for citation, then what was not found.


@dataclass(frozen=True, slots=True)
class Sections:
    """A passage's title is the heading it stands under, written once for passages in a row; `[n]` counts through all of them.

    A document's own words stand on one line, so that none of them can pose as a line or heading (`harmless_lines`).
    """

    def render(self, draft: Draft) -> str:
        """The context text; gaps (note `gaps`) come last, and alone where there is no passage."""
        parts: list[str] = []
        heading = ""
        for number, passage in enumerate(draft.passages, 1):
            if passage.title and passage.title != heading:
                heading = passage.title
                parts.append(heading)
            parts.append(self.block(number, passage))
        parts += [f"NOT FOUND: {gap.text}" for gap in draft.notes.get("gaps", ()) if isinstance(gap, Gap)]
        return "\n".join(parts)

    def block(self, number: int, passage: Passage) -> str:
        """Line `number`."""
        text = " ".join(passage.text.split()) if passage.kind == "quote" else passage.text
        return f"[{number}] {harmless_lines(text)}"
