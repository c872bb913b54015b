"""LightRAG's graph (Guo et al., 2024): entities and relations, each with a description and a vector, merged over all passages.

A language model writes typed entities and relations of each chunk (`gleaning` more rounds for what it left out), as the paper does of
chunks of 1,200 tokens and ours of the library's own chunks, so that all systems read the same text. Without a model a relation is two
names of one sentence, and descriptions are sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from decoct.llm.base import LLM
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.graphs.ask_relations import RelationsAsked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, fingerprint_of, read_by
from decoct_lab.structure.graphs.catalogue import catalogued
from decoct_lab.structure.graphs.entities import write_entities
from decoct_lab.structure.graphs.loaded import NAMES, STATEMENTS
from decoct_lab.structure.graphs.relations import write_relations


@dataclass(frozen=True, slots=True)
class LightGraph:
    """Reads entities and relations by rules, or by `llm` in 1 + `gleaning` requests a chunk."""

    llm: LLM | None = None
    gleaning: int = 1

    def __post_init__(self) -> None:
        if self.gleaning < 0:
            raise ValueError("gleaning must not be negative")

    @property
    def fingerprint(self) -> str:
        """See `StructureMethod.fingerprint`."""
        return f"lightrag-1:{fingerprint_of(self._taker)}"

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return "" if self.llm is None else self.llm.fingerprint

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """What extraction costs; writing long descriptions anew comes on top, and is told after."""
        return estimated(self._taker, documents)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Entities and relations of each document."""
        return read_by(self._taker, documents)

    @property
    def _taker(self) -> NoteTaker | None:
        """None: rules take the notes."""
        return None if self.llm is None else RelationsAsked(self.llm, self.gleaning)

    def put_together(self, workshop: Workshop) -> None:
        """Merged descriptions, and vectors of entities and relations."""
        catalogue, texts = catalogued(workshop.parts(), workshop.folder)
        names = workshop.vectors(NAMES, list(catalogue.names))
        statements = workshop.vectors(STATEMENTS, texts)
        write_entities(workshop, catalogue, self.llm, names, statements)
        write_relations(workshop, catalogue, self.llm, statements)
