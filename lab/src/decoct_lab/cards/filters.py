"""Which generated questions to keep.

- A paraphrase goes: a question whose cosine with an earlier one of the same document is over `paraphrase` adds a line and no reach.
- The round trip (doc2query--, Gospodinov et al., ECIR 2023): a question is kept only if asking it finds its own document among the first
  `round_trip` documents, by words or by vectors. What does not lead back was made up, or could be asked of any document.

Where nothing would be left, the questions stay as they were, and the trace counts `cards.round_trip_kept_all`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct import trace
from decoct.data import Document, Floats, Keys
from decoct.embed.base import Embedder
from decoct.errors import ConfigError
from decoct.index.base import Store
from decoct.library import Library
from decoct.retrieve.cards.contributions import CardAsk, CardMaterial, Generator, MaterialBatch, MaterialCost
from decoct_lab.cards.generate_llm import Asking

# Chunks asked for: enough that ten documents are among them where each has several.
_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Filtered:
    """`generator`, with its questions filtered; `round_trip` 0 and `paraphrase` above 1 switch a filter off."""

    generator: Generator
    library: Store
    embedder: Embedder
    paraphrase: float = 0.95
    round_trip: int = 0

    @property
    def fingerprint(self) -> str:
        """The generator's with the filters'."""
        return f"{self.generator.fingerprint}|filters-1:{self.paraphrase}:{self.round_trip}"

    def estimate(self, document: Document) -> MaterialCost:
        """The generator's own: filters ask no model."""
        return self.generator.estimate(document)

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        """The generator's outcomes with fewer questions."""
        batch = self.generator.generate(documents)
        outcomes = [
            replace(outcome, questions=self._kept(document, outcome.questions))
            if isinstance(outcome, CardMaterial)
            else outcome
            for document, outcome in zip(documents, batch.outcomes, strict=True)
        ]
        return replace(batch, outcomes=tuple(outcomes))

    def _kept(self, document: Document, questions: tuple[CardAsk, ...]) -> tuple[CardAsk, ...]:
        if not questions:
            return questions
        rows = self.embedder.embed([question.text for question in questions], "query")
        kept: list[int] = []
        for n in range(len(questions)):
            if not kept or float((rows[kept] @ rows[n]).max()) <= self.paraphrase:
                kept.append(n)
        if self.round_trip:
            back = [n for n in kept if self._returns(document.id, questions[n].text, rows[n])]
            if not back:
                trace.fallback("cards.round_trip_kept_all")
            kept = back or kept
        return tuple(questions[n] for n in kept)

    def _returns(self, doc_id: str, question: str, row: Floats) -> bool:
        lists = (self.library.lexical(question, _DEPTH), self.library.nearest(row, _DEPTH))
        return any(doc_id in self._documents(found.keys) for found in lists)

    def _documents(self, keys: Keys) -> list[str]:
        owners = dict.fromkeys(chunk.span.doc_id for chunk in self.library.chunks(keys))
        return list(owners)[: self.round_trip]


def generator_by_model(opened: Library, round_trip: int) -> Filtered:
    """What makes the cards of an open library with its language model; `round_trip` as in `Filtered`."""
    if opened.llm is None:
        raise ConfigError("cards by a language model need one: give --llm NAME")
    asking = Asking(opened.llm, opened.budget(1).tokenizer)
    return Filtered(asking, opened.store, opened.embedder, round_trip=round_trip)
