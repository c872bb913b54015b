"""What a card is found by beside summary and keywords: questions that a model wrote, or the document's own sentences, their anchors.

A question made from a sentence by a template is no English that a person would write, and finds nothing that the sentence does not; so
cards by rules show the sentence itself. Each points at the characters of the document that answer it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from decoct.data import Span
from decoct.retrieve.cards.contributions import Contribution, Role

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
