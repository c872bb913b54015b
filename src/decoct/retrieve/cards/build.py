"""Build the cards of a library: of each document that is new or changed, a card and its vectors; cards of removed documents go.

A card's digest is that of its document with that of the generator, the kind of vectors and the format, so that a run passes over what is
done: the work is that of the changed documents only. Documents go in batches, each one transaction in the card library: an interrupted
run keeps every batch that was stored and is resumed by running it again. A document whose generation fails gets no card (an old one is
removed: it would speak of another text), is named in the report, and is tried again by the next run.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice

from decoct.data import Chunk, Document, Floats, Link, Span
from decoct.embed.base import Embedder
from decoct.index.abilities import caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.retrieve.cards import vectors as made
from decoct.retrieve.cards.card import Card, card_within_size
from decoct.retrieve.cards.index import FORMAT, TEXT
from decoct.retrieve.cards.material import CardMaterial, Generator, MaterialCost

# Enough for full batches of the embedder and of a model's slots, few enough to commit every few seconds.
BATCH = 16
PAGE = 500


@dataclass(slots=True)
class Built:
    """What a build did. `failed` names each document without a card, and why."""

    made: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    cost: MaterialCost = field(default_factory=MaterialCost)
    seconds: float = 0.0

    def as_dict(self) -> dict[str, object]:
        """The report as JSON-ready data."""
        cost = {one.name: getattr(self.cost, one.name) for one in fields(MaterialCost) if one.name != "documents"}
        return {
            "made": self.made,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "failed": len(self.failed),
            "failures": [{"document": doc_id, "reason": reason} for doc_id, reason in self.failed.items()],
            "seconds": round(self.seconds, 1),
            **cost,
        }


@dataclass(frozen=True, slots=True)
class Build:
    """The way from a library to its cards. `question_vectors` adds a vector a question (max-pooled, and linked to the passage).

    `full_text` has words find a card by its document's whole text, and by the card alone in the chunk of its questions; without it by the
    card, and by its questions, alone, as in the paper.
    """

    library: Store
    cards: Store
    embedder: Embedder
    generator: Generator
    vectors: made.Vectors = "pooled"
    question_vectors: bool = False
    full_text: bool = True

    def estimate(self) -> MaterialCost:
        """What `run` will cost at most: every document whose card is missing or out of date, read but not generated from."""
        return cost_of(self.library, self.generator, (doc_id for page in self._pages() for doc_id in self._stale(page)))

    def run(self, progress: Callable[[Built], None] | None = None) -> Built:
        """Make what is missing, remove what is left over; `progress` is called after every batch."""
        with session_of(self.cards):
            return self._run(progress)

    def _run(self, progress: Callable[[Built], None] | None) -> Built:
        report, start = Built(), time.monotonic()
        living: set[str] = set()
        for page in self._pages():
            living.update(page)
            stale = self._stale(page)
            report.unchanged += len(page) - len(stale)
            for at in range(0, len(stale), BATCH):
                self._make(stale[at : at + BATCH], report)
                report.seconds = time.monotonic() - start
                if progress is not None:
                    progress(report)
        report.removed = self.cards.delete([card.id for card in self.cards.documents() if card.id not in living])
        caught_up(self.cards)
        report.seconds = time.monotonic() - start
        return report

    def _make(self, doc_ids: Sequence[str], report: Built) -> None:
        documents = [self.library.document(doc_id) for doc_id in doc_ids]
        batch = self.generator.generate(documents)
        report.cost = sum_of_costs(report.cost, batch.cost)
        good: list[tuple[Document, Card]] = []
        generated: list[CardMaterial] = []
        for document, outcome in zip(documents, batch.outcomes, strict=True):
            if isinstance(outcome, CardMaterial):
                generated.append(outcome)
                good.append(
                    (document, card_within_size(document, outcome.questions, outcome.summary, outcome.keywords))
                )
            else:
                report.failed[document.id] = str(outcome)
        self.cards.delete([document.id for document in documents if document.id in report.failed])
        if good:
            digests = self._digests([document.id for document, _ in good])
            self.cards.put(
                [
                    self._entry(document, card, rows, digests[document.id])
                    for (document, card), rows in zip(good, self._vectors(good, generated), strict=True)
                ]
            )
        report.made += len(good)

    def _vectors(self, good: Sequence[tuple[Document, Card]], generated: Sequence[CardMaterial]) -> list[Floats]:
        documents, cards = [document for document, _ in good], [card for _, card in good]
        if self.vectors == "paper":
            return made.paper(cards, self.embedder)
        return made.pooled(documents, generated, self.embedder)

    def _entry(self, document: Document, card: Card, rows: Floats, digest: str) -> Entry:
        import numpy as np

        text, joined = card.markdown(), card.joined()
        whole = f"{text}{TEXT}{document.text}" if self.full_text else text
        spans = [(0, len(whole))]
        links = []
        if joined:
            at = text.index(f"\n{card.heading}\n{joined}") + len(card.heading) + 2
            spans.append((0, len(text)) if self.full_text else (at, at + len(joined)))
            for question, line in zip(card.questions, card.lines(), strict=True):
                end = at + len(line)
                links.append(Link(at, end, f"{question.answer.start}-{question.answer.end}"))
                at = end + 1
        if self.question_vectors and links:
            spans += [(link.start, link.end) for link in links]
            rows = np.concatenate([rows, self.embedder.embed([q.text for q in card.questions], "passage")])
        stored = Document(
            document.id, whole, document.title, document.source, metadata=document.metadata, links=tuple(links)
        )
        chunks = tuple(Chunk(Span(document.id, a, b), whole[a:b]) for a, b in spans)
        return Entry(stored, chunks, rows, digest)

    def _pages(self) -> Iterator[list[str]]:
        ids = (info.id for info in self.library.documents())
        while page := list(islice(ids, PAGE)):
            yield page

    def _stale(self, doc_ids: Sequence[str]) -> list[str]:
        wanted, stored = self._digests(doc_ids), self.cards.digests(doc_ids)
        return [doc_id for doc_id in doc_ids if doc_id in wanted and stored.get(doc_id) != wanted[doc_id]]

    def _digests(self, doc_ids: Sequence[str]) -> dict[str, str]:
        return {doc_id: f"{self.shape}.{digest}" for doc_id, digest in self.library.digests(doc_ids).items()}

    @property
    def shape(self) -> str:
        """What tells cards made in another way."""
        shape = [self.generator.fingerprint, self.vectors, self.question_vectors, self.full_text, FORMAT]
        return hashlib.blake2b(json.dumps(shape).encode(), digest_size=10).hexdigest()


def cost_of(library: Store, generator: Generator, doc_ids: Iterable[str]) -> MaterialCost:
    """What making the cards of these documents will cost at most."""
    cost = MaterialCost()
    for doc_id in doc_ids:
        cost = sum_of_costs(cost, generator.estimate(library.document(doc_id)))
    return cost


def sum_of_costs(a: MaterialCost, b: MaterialCost) -> MaterialCost:
    """Both together."""
    return MaterialCost(*(getattr(a, one.name) + getattr(b, one.name) for one in fields(MaterialCost)))
