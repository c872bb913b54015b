"""What a generator makes of a document, and what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from decoct.data import Document
from decoct.errors import DecoctError
from decoct.retrieve.cards.contributions import CardAsk


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
