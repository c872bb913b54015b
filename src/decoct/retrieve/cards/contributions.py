"""The sentences in which a document says what it is for, how it goes about it, and what came out.

Authors say it in the abstract and the conclusion first, so the section tells what a sentence is worth, and its role: `problem`, `aim`,
`method` or `result`. Sentences of fewer than 6 or more than 70 words, with mostly symbols, or from the back matter are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from decoct.data import Document, Span
from decoct.errors import DecoctError
from decoct.retrieve.cards.sections import Kind, Section
from decoct.text.sentences import sentences

Role: TypeAlias = Literal["problem", "aim", "method", "result"]

FEWEST_WORDS, MOST_WORDS = 6, 70
# Abstracts and conclusions are made of such sentences, introductions hold some, related work speaks of others.
PLACE: Mapping[Kind, float] = {
    "abstract": 3.0,
    "introduction": 1.5,
    "conclusion": 2.0,
    "results": 1.0,
    "body": 0.6,
    "related": 0.2,
    "back": 0.0,
}
_ROLES: Mapping[Kind, Role] = {
    "abstract": "aim",
    "introduction": "problem",
    "related": "problem",
    "results": "result",
    "conclusion": "result",
}
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Contribution:
    """A sentence of a document: its text with single spaces, its role, its score (higher says more), where it stands."""

    text: str
    role: Role
    score: float
    start: int
    end: int


def contributions(document: Document, parts: Sequence[Section]) -> list[Contribution]:
    """All sentences of prose in `parts` but for the back matter, in text order."""
    found = []
    for part in parts:
        if PLACE[part.kind] == 0:
            continue
        role = _ROLES.get(part.kind, "method")
        for first, past in sentences(document.text[part.start : part.end]):
            start, end = part.start + first, part.start + past
            text = " ".join(document.text[start:end].split())
            if _is_prose(text):
                found.append(Contribution(text, role, PLACE[part.kind], start, end))
    return found


def _is_prose(text: str) -> bool:
    words = _WORD.findall(text)
    letters = sum(len(word) for word in words)
    # Tables, trees and formulas that were flattened into lines are made of capitals and symbols, captions begin as such.
    plain = sum(map(str.islower, words)) >= 0.6 * len(words) and letters >= 0.6 * len(text.replace(" ", ""))
    return plain and FEWEST_WORDS <= len(words) <= MOST_WORDS and not text.startswith(("Table ", "Figure ", "Fig."))


# What a card is found by beside summary and keywords: questions that a model wrote, or the document's own sentences, their anchors.
#
# A question made from a sentence by a template is no English that a person would write, and finds nothing that the sentence does not; so
# cards by rules show the sentence itself. Each points at the characters of the document that answer it.
LONGEST_ANCHOR = 300  # characters: two or three lines on a card; a longer sentence is passed over, never cut
_OPENS = re.compile(r"[\"'“‘(\[]?[^\W_a-z]")
_CLOSES = re.compile(r"[.!?…。！？][\"'”’)\]]?\Z")
# A sign within a word that joins no words: two columns or lines ran into each other when the text was read.
_RUN_TOGETHER = re.compile(r"[^\W\d_][^\w\s'’.,:;/&+*()\[\]\"“”‐-―-]+[^\W\d_]|[a-z][.,;:][A-Z][a-z]")


@dataclass(frozen=True, slots=True)
class CardAsk:
    """A question or an anchor, the role of what it tells (problem: why, aim and method: how, result: what), and where that stands."""

    text: str
    role: Role
    answer: Span

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return self.text.endswith("?")


def anchors(doc_id: str, found: Sequence[Contribution]) -> list[CardAsk]:
    """The whole sentences among `found` as their authors wrote them, in the order given."""
    return [CardAsk(c.text, c.role, Span(doc_id, c.start, c.end)) for c in found if is_whole(c.text)]


def is_whole(sentence: str) -> bool:
    """Whether `sentence` reads as written: begins and ends as sentences do, its brackets pair, nothing ran together, and it is short."""
    pairs = all(sentence.count(a) == sentence.count(b) for a, b in ("()", "[]"))
    whole = _OPENS.match(sentence) is not None and _CLOSES.search(sentence) is not None
    return pairs and whole and len(sentence) <= LONGEST_ANCHOR and _RUN_TOGETHER.search(sentence) is None


@dataclass(frozen=True, slots=True)
class CardMaterial:
    """Questions best first (a card may not have room for all), a summary of at most 700 characters, keywords best first."""

    questions: tuple[CardAsk, ...]
    summary: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MaterialCost:
    """What a build costs, estimated or spent: documents, model calls (of which `cached` cost nothing), tokens."""

    documents: int = 0
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class MaterialBatch:
    """The outcome for each document, in order (one that failed is its error), and what it cost."""

    outcomes: tuple[CardMaterial | DecoctError, ...]
    cost: MaterialCost = field(default_factory=MaterialCost)


class Generator(Protocol):
    """Makes questions, summary and keywords of documents. Deterministic for a fingerprint, so that unchanged documents are passed over."""

    @property
    def fingerprint(self) -> str:
        """Names everything that shapes what is generated: rules or prompts, model, options."""

    def estimate(self, document: Document) -> MaterialCost:
        """What generating for this document will cost at most, without doing it."""

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        """One outcome a document, in order."""
