"""HyperGraphRAG's graph (Luo et al., 2025): knowledge segments as hyperedges over the entities in them.

A language model divides each chunk into segments with their entities; without one a sentence is a segment and its names are its
entities. Both have vectors: an entity of its name and description, a segment of its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from decoct.llm.base import LLM
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.graphs.ask_segments import SegmentsAsked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, fingerprint_of, read_by
from decoct_lab.structure.graphs.catalogue import catalogued
from decoct_lab.structure.graphs.entities import write_entities
from decoct_lab.structure.graphs.loaded import NAMES, STATEMENTS


@dataclass(frozen=True, slots=True)
class HyperGraph:
    """Reads segments and their entities by rules, or by `llm` in one request a chunk."""

    llm: LLM | None = None

    @property
    def fingerprint(self) -> str:
        """See `StructureMethod.fingerprint`."""
        return f"hypergraphrag-1:{fingerprint_of(self._taker)}"

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return "" if self.llm is None else self.llm.fingerprint

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """What extraction costs; writing long descriptions anew comes on top, and is told after."""
        return estimated(self._taker, documents)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Segments and entities of each document."""
        return read_by(self._taker, documents)

    @property
    def _taker(self) -> NoteTaker | None:
        """None: rules take the notes."""
        return None if self.llm is None else SegmentsAsked(self.llm)

    def put_together(self, workshop: Workshop) -> None:
        """Merged descriptions, and vectors of entities and segments."""
        catalogue, texts = catalogued(workshop.parts(), workshop.folder)
        names = workshop.vectors(NAMES, list(catalogue.names))
        statements = workshop.vectors(STATEMENTS, texts)
        write_entities(workshop, catalogue, self.llm, names, statements)
