"""The one or two vectors that stand for a document.

`paper` (its Equation 2): v_Q = norm(E(questions joined with " - ")) and v_C = norm(E(card)). An embedder reads about 200 words, so that
most of a card is cut off, and one text has one view of the document.

`pooled` (ours, the default) costs no more room. With o(d) the title and the document's opening, e(d) its closing (what stands before
the references), K the first keywords, s the best contribution sentences, E(.) of length 1 and "mean" scaled to length 1,

    v_Q = norm( E(questions joined) + mean of E(question) )
    v_C = norm( E(o(d)) + E(e(d)) + E(K) + mean of E(s) )

Each view errs in its own way; their sum is nearer to what a question about the document is near to (lab/docs/cards.md has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from decoct.data import Document, Floats
from decoct.embed.base import Embedder
from decoct.retrieve.cards.card import Card
from decoct.retrieve.cards.contributions import contributions
from decoct.retrieve.cards.material import CardMaterial
from decoct.retrieve.cards.sections import sections

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
