"""HippoRAG 2's graph (Gutiérrez et al., ICML 2025): phrases and passages, with edges of facts, of containment, and between synonyms.

Edges: subject and object of a fact, 1 for each time they stand so together, counted in both directions as the authors' code does (so 2 a
fact); phrase and passage, 1; phrases whose vectors have a cosine of at least `synonym`, twice that cosine (each finds the other, and both
edges count). Where a model reads, phrases are the ends of facts: a name that none connects to another is no node. A fact is found by the
vector of its text. With a language model facts are triples; by rules a sentence is a fact of its subject with each other name in it, and
its text is the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from decoct.llm.base import LLM
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.graphs.ask_triples import triples_asked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, fingerprint_of, read_by
from decoct_lab.structure.graphs.catalogue import Catalogue, catalogued
from decoct_lab.structure.graphs.loaded import NAMES, STATEMENTS, save_adjacency
from decoct_lab.structure.graphs.pagerank import bipartite
from decoct_lab.structure.graphs.synonyms import synonyms


@dataclass(frozen=True, slots=True)
class HippoGraph:
    """Reads names and facts by rules, or by `llm` in two requests a chunk; at most `most_synonyms` edges of that kind a name."""

    llm: LLM | None = None
    synonym: float = 0.8
    most_synonyms: int = 100

    def __post_init__(self) -> None:
        if not 0 < self.synonym <= 1 or self.most_synonyms < 0:
            raise ValueError("synonym is a cosine above 0 and at most 1, most_synonyms not negative")

    @property
    def fingerprint(self) -> str:
        """See `StructureMethod.fingerprint`."""
        return f"hipporag2-2:{fingerprint_of(self._taker)}:{self.synonym}:{self.most_synonyms}"

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return "" if self.llm is None else self.llm.fingerprint

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """Two requests a chunk where a model reads."""
        return estimated(self._taker, documents)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Names and facts of each document."""
        return read_by(self._taker, documents)

    @property
    def _taker(self) -> NoteTaker | None:
        """None: rules take the notes."""
        return None if self.llm is None else triples_asked(self.llm)

    def put_together(self, workshop: Workshop) -> None:
        """Vectors of names and facts, synonyms, and the edges."""
        catalogue, texts = catalogued(workshop.parts(), workshop.folder)
        vectors = workshop.vectors(NAMES, list(catalogue.names))
        workshop.vectors(STATEMENTS, texts)
        first, second, cosines = synonyms(catalogue.names, vectors, self.synonym, self.most_synonyms, workshop.tell)
        subjects, objects = stars(catalogue)
        contained = catalogue.passage_names.copy()
        contained.data = np.ones_like(contained.data)
        if self.llm is not None:
            ends = np.zeros(contained.shape[1], bool)
            ends[[*subjects, *objects]] = True
            contained.data *= ends[contained.indices]
            contained.eliminate_zeros()
            both = ends[first] & ends[second]
            first, second, cosines = first[both], second[both], cosines[both]
        adjacency = bipartite(contained, (subjects, objects, [2.0] * len(subjects)), (first, second, 2 * cosines))
        save_adjacency(adjacency, workshop.folder)


def stars(catalogue: Catalogue) -> tuple[list[int], list[int]]:
    """The edges of statements: from the subject to each other name, once a statement."""
    subjects: list[int] = []
    objects: list[int] = []
    for statement in range(len(catalogue.statements)):
        subject, *others = catalogue.names_of(statement).tolist() or [0]
        subjects.extend([subject] * len(others))
        objects.extend(others)
    return subjects, objects
