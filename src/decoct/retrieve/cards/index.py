"""How cards are stored: a small library of their own, with one document a card.

The stored text is the card's Markdown and, after a form feed (which no card holds), the document's own text, so that words find a document
by all that it says, and most by what its card repeats. Id, title, source and metadata are those of the document it stands for, so that
filters work. The first chunk is all of this, with the card's vector. The second is all its questions, with theirs (the paper's namespaces
"paper-card" and "main research questions"), where there are any; with question-level vectors, a chunk a question follows. Each question is
a link from its line to `start-end`, the characters of the document that answer it. Cards are never handed out as chunks of the library:
they cannot be quoted.

A card's digest is "SHAPE.DIGEST": how it was made, and the digest in the library of the text it speaks of, so that a card of an older text
is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from decoct.data import Document, Floats, Ranking, Span
from decoct.embed.base import Embedder
from decoct.index.base import ChunkPlace, Store, Where
from decoct.index.resolve import stored_settings
from decoct.retrieve.cards.card import Card
from decoct.retrieve.cards.contributions import CardMaterial, contributions
from decoct.retrieve.cards.sections import sections

# Raised when what a card or its vectors are made of changes: cards of another format are made anew.
FORMAT = "5"
# What a chunk of a card is, by its place among the card's chunks: from FIRST_QUESTION on one question each.
WHOLE, QUESTIONS, FIRST_QUESTION = 0, 1, 2
# Between a card and its document's text.
TEXT = "\f\n"


@dataclass(frozen=True, slots=True)
class CardQuestion:
    """A question on a card: its words, its characters there, and the characters of the document that answer it."""

    text: str
    start: int
    end: int
    answer: Span


def card_questions(card: Document) -> list[CardQuestion]:
    """The questions of a stored card, in order."""
    found = []
    for link in card.links:
        start, _, end = link.target.partition("-")
        text = card.text[link.start : link.end].partition(": ")[2]
        found.append(CardQuestion(text, link.start, link.end, Span(card.id, int(start), int(end))))
    return found


def card_alone(stored: Document) -> Document:
    """The card of what is stored, without the document's text behind it."""
    return replace(stored, text=stored.text.partition(TEXT)[0])


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the cards reach: documents of the library that have none, and the most chunks that a card has on average."""

    missing: int
    chunks: int


@dataclass(frozen=True)
class OpenCards:
    """The cards `cards` of the library `library`, both open. Equal where both stores are the same."""

    library: Store
    cards: Store

    def opened(self) -> OpenCards:
        """Themselves: open cards can be handed to a search."""
        return self

    def nearest(self, vector: Floats, k: int, where: Where | None = None) -> list[tuple[ChunkPlace, float]]:
        """Chunks of cards by their vectors, best first: the document, what of its card the chunk is, and the score."""
        return self._placed(self.cards.nearest(vector, k, where))

    def lexical(self, text: str, k: int, where: Where | None = None) -> list[tuple[ChunkPlace, float]]:
        """Chunks of cards by their words, best first."""
        return self._placed(self.cards.lexical(text, k, where))

    def card(self, doc_id: str) -> Document:
        """The card of a document, without the document's text; `CorpusError` where it has none."""
        return card_alone(self.cards.document(doc_id))

    def has(self, doc_id: str) -> bool:
        """Whether the document has a card."""
        return bool(len(self.cards.chunk_keys(doc_id)))

    def vector(self, doc_id: str) -> Floats:
        """The vector of the whole card."""
        row: Floats = self.cards.vectors(self.cards.chunk_keys(doc_id)[: WHOLE + 1])[0]
        return row

    def answered_from(self, doc_id: str, place: int) -> int:
        """The character of the document at which the answer begins to the question that is chunk `place` of its card."""
        return card_questions(self.card(doc_id))[place - FIRST_QUESTION].answer.start

    def outdated(self, doc_ids: Sequence[str]) -> list[str]:
        """Those of `doc_ids` whose card speaks of a text that the library has replaced since."""
        living, made = self.library.digests(doc_ids), self.cards.digests(doc_ids)
        return [doc_id for doc_id in living if doc_id in made and made[doc_id].partition(".")[2] != living[doc_id]]

    @cached_property
    def coverage(self) -> Coverage:
        """How far they reach, counted once."""
        library, own = self.library.status(), self.cards.status()
        return Coverage(max(0, library.documents - own.documents), max(2, -(-own.chunks // max(own.documents, 1))))

    def storage(self, location: str) -> dict[str, dict[str, int]]:
        """Vectors and bytes of the cards, and of the library's chunks without those at `location` (texts and indexes included)."""
        library, own = self.library.status(), self.cards.status()
        inside = own.bytes if stored_settings(location) else 0
        return {
            "cards": {"documents": own.documents, "vectors": own.chunks, "bytes": own.bytes},
            "chunks": {"documents": library.documents, "vectors": library.chunks, "bytes": library.bytes - inside},
        }

    def _placed(self, found: Ranking) -> list[tuple[ChunkPlace, float]]:
        places = self.cards.places(found.keys)
        return [(place, score) for place, score in zip(places, found.scores.tolist(), strict=True) if place is not None]


# The one or two vectors that stand for a document.
#
# `paper` (its Equation 2): v_Q = norm(E(questions joined with " - ")) and v_C = norm(E(card)). An embedder reads about 200 words, so that
# most of a card is cut off, and one text has one view of the document.
#
# `pooled` (ours, the default) costs no more room. With o(d) the title and the document's opening, e(d) its closing (what stands before
# the references), K the first keywords, s the best contribution sentences, E(.) of length 1 and "mean" scaled to length 1,
#
#     v_Q = norm( E(questions joined) + mean of E(question) )
#     v_C = norm( E(o(d)) + E(e(d)) + E(K) + mean of E(s) )
#
# Each view errs in its own way; their sum is nearer to what a question about the document is near to (lab/docs/cards.md has the figures).
Vectors: TypeAlias = Literal["pooled", "paper"]

# What an embedder reads of a text: about 256 tokens.
_OPENING = 1500
_SENTENCES = 20
_KEYWORDS = 40


@dataclass(frozen=True, slots=True)
class Views:
    """The texts whose vectors are pooled for one document."""

    opening: str
    closing: str
    joined: str
    keywords: str
    sentences: tuple[str, ...]
    questions: tuple[str, ...]

    @property
    def single(self) -> tuple[str, str, str, str]:
        """Those that are one text: opening, closing, questions joined, keywords."""
        return self.opening, self.closing, self.joined, self.keywords


def views(document: Document, generated: CardMaterial) -> Views:
    """The views of a document and what was generated from it; texts that there are none of are empty."""
    parts = sections(document)
    # The abstract, or where it is short what comes after it too.
    start = parts[0].start if parts else len(document.text)
    end = max((part.end for part in parts if part.kind != "back"), default=start)
    found = sorted(contributions(document, parts), key=lambda c: (-c.score, c.start))[:_SENTENCES]
    return Views(
        opening=f"{document.title}\n{document.text[start : start + _OPENING]}",
        # A text that the opening holds has no closing of its own.
        closing=document.text[max(start, end - _OPENING) : end] if end > start + _OPENING else "",
        joined=" ".join(question.text for question in generated.questions),
        keywords=", ".join(generated.keywords[:_KEYWORDS]),
        sentences=tuple(c.text for c in found),
        questions=tuple(question.text for question in generated.questions),
    )


def pooled(documents: Sequence[Document], generated: Sequence[CardMaterial], embedder: Embedder) -> list[Floats]:
    """v_C and v_Q of each document, shape (2, dimension), or (1, dimension) without questions; one call of the embedder for all.

    All generated questions count, also those that the card has no room for.
    """
    seen = [views(document, one) for document, one in zip(documents, generated, strict=True)]
    texts = dict.fromkeys(t for v in seen for t in (*v.single, *v.sentences, *v.questions) if t)
    rows = dict(zip(texts, embedder.embed(list(texts), "passage"), strict=True)) if texts else {}
    found = []
    for view in seen:
        opening, closing, joined, keywords = ([rows[t]] if t else [] for t in view.single)
        card = [*opening, *closing, *keywords, *_mean([rows[t] for t in view.sentences])]
        questions = [*joined, *_mean([rows[t] for t in view.questions])]
        found.append(np.stack([_unit(np.sum(each, axis=0)) for each in (card, questions) if each]))
    return found


def paper(cards: Sequence[Card], embedder: Embedder) -> list[Floats]:
    """The paper's v_C and v_Q of each card, shape (2, dimension), or (1, dimension) without questions."""
    texts = [
        [card.markdown(), " - ".join(q.text for q in card.questions)][: 1 + bool(card.questions)] for card in cards
    ]
    rows = embedder.embed([text for pair in texts for text in pair], "passage")
    ends = np.cumsum([len(pair) for pair in texts])
    return np.split(rows, ends[:-1])


def _mean(rows: Sequence[Floats]) -> list[Floats]:
    return [_unit(np.mean(rows, axis=0))] if rows else []


def _unit(row: Floats) -> Floats:
    length = float(np.linalg.norm(row))
    # Views that cancel out exactly: none is better than the other, so the first direction stands (a vector must have length 1).
    if length < 1e-6:
        row, length = np.eye(1, len(row), dtype=np.float32)[0], 1.0
    return (row / length).astype(np.float32)
