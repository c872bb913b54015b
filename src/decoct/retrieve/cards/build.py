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
from decoct.errors import StaleIndexError
from decoct.index.abilities import SupportsCompanions, caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.index.resolve import open_store, stored_settings
from decoct.retrieve.cards.card import Card, card_within_size
from decoct.retrieve.cards.contributions import CardMaterial, Generator, MaterialCost
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.index import FORMAT, TEXT, Vectors, paper, pooled
from decoct.retrieve.cards.of_library import LibraryCards

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
    vectors: Vectors = "pooled"
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
            return paper(cards, self.embedder)
        return pooled(documents, generated, self.embedder)

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


# Take a library's cards along when it is built anew.
#
# A card speaks of a text, not of its chunks: with the same embedder every card is copied, and only its digest is brought up to date, so
# that nothing a language model was paid for is lost. Vectors of another embedder must be made anew, from more than a card holds
# (`index`): cards by rules are, those by a model cannot be without that model.
_KINDS: tuple[Vectors, ...] = ("pooled", "paper")


def carry_cards(source: Store, target: Store, embedder: Embedder) -> None:
    """Give `target`, which holds the documents of `source`, its cards, with vectors of `embedder`; none where it has none.

    `StaleIndexError`, saying what to run, where they cannot be made without a model. What an interrupted call copied is passed over.
    """
    if not isinstance(source, SupportsCompanions):
        return
    kept, wanted = LibraryCards(source, embedder), LibraryCards(target, embedder)
    if not stored_settings(kept.location):
        return
    cards = open_store(kept.location, {}, create=False)
    try:
        if next(cards.documents(), None) is None:
            return
        if kept.usable():
            made = wanted.writable().cards
            try:
                ids = (info.id for info in cards.documents())
                while page := list(islice(ids, PAGE)):
                    made.put(_brought_up_to_date(source, target, cards, made, page))
            finally:
                made.close()
        elif (build := _by_rules(source, target, cards, wanted, embedder)) is not None:
            try:
                build.run()
            finally:
                build.cards.close()
        else:
            raise StaleIndexError(
                "the cards could not be taken along: they hold vectors of another embedder or of an older Decoct; run `decoct cards build` "
                "(with the --llm that wrote them: its replies are on disk)"
            )
    finally:
        cards.close()


def _brought_up_to_date(source: Store, target: Store, cards: Store, made: Store, page: Sequence[str]) -> list[Entry]:
    old, new, done = source.digests(page), target.digests(page), made.digests(page)
    entries = []
    for doc_id, digest in cards.digests(page).items():
        shape, _, text = digest.partition(".")
        # A card of an older text stays one.
        wanted = f"{shape}.{new[doc_id]}" if doc_id in new and text == old.get(doc_id) else digest
        if done.get(doc_id) != wanted:
            keys = cards.chunk_keys(doc_id)
            entries.append(Entry(cards.document(doc_id), tuple(cards.chunks(keys)), cards.vectors(keys), wanted))
    return entries


def _by_rules(source: Store, target: Store, cards: Store, wanted: LibraryCards, embedder: Embedder) -> Build | None:
    """The build that made `cards`, over `target`; None where it was not one by rules with the usual settings."""
    first = next(cards.documents())
    shape = cards.digests([first.id])[first.id].partition(".")[0]
    for kind in _KINDS:
        for question_vectors in (False, True):
            build = Build(source, cards, embedder, Rules(), kind, question_vectors)
            if build.shape == shape:
                return Build(target, wanted.writable().cards, embedder, Rules(), kind, question_vectors)
    return None
