"""PropRAG's graph (Wang and Han, EMNLP 2025): names and passages; propositions connect names and are found by their vectors.

Edges, as in the authors' code: two names of one proposition, 1 for each proposition; name and passage, 1; names whose vectors have a
cosine of at least `synonym`, that cosine. A language model writes the propositions; by rules they are the sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from decoct.llm.base import LLM
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.graphs.ask_propositions import propositions_asked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, fingerprint_of, read_by
from decoct_lab.structure.graphs.catalogue import Catalogue, catalogued
from decoct_lab.structure.graphs.loaded import NAMES, STATEMENTS, save_adjacency, save_same
from decoct_lab.structure.graphs.pagerank import bipartite
from decoct_lab.structure.graphs.synonyms import synonyms

# Names of one statement that are connected with each other: a list of forty names would be 780 edges that say little.
_MOST = 12


@dataclass(frozen=True, slots=True)
class PropositionGraph:
    """Reads names and propositions by rules, or by `llm` in two requests a chunk; at most `most_synonyms` edges of that kind a name."""

    llm: LLM | None = None
    synonym: float = 0.8
    most_synonyms: int = 100

    def __post_init__(self) -> None:
        if not 0 < self.synonym <= 1 or self.most_synonyms < 0:
            raise ValueError("synonym is a cosine above 0 and at most 1, most_synonyms not negative")

    @property
    def fingerprint(self) -> str:
        """See `StructureMethod.fingerprint`."""
        return f"proprag-1:{fingerprint_of(self._taker)}:{self.synonym}:{self.most_synonyms}"

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return "" if self.llm is None else self.llm.fingerprint

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """Two requests a chunk where a model reads."""
        return estimated(self._taker, documents)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Names and propositions of each document."""
        return read_by(self._taker, documents)

    @property
    def _taker(self) -> NoteTaker | None:
        """None: rules take the notes."""
        return None if self.llm is None else propositions_asked(self.llm)

    def put_together(self, workshop: Workshop) -> None:
        """Vectors of names and propositions, synonyms, and the edges."""
        catalogue, texts = catalogued(workshop.parts(), workshop.folder)
        vectors = workshop.vectors(NAMES, list(catalogue.names))
        workshop.vectors(STATEMENTS, texts)
        same = synonyms(catalogue.names, vectors, self.synonym, self.most_synonyms, workshop.tell)
        save_same(len(catalogue.names), same[0], same[1], workshop.folder)
        first, second = _pairs(catalogue)
        contained = catalogue.passage_names.copy()
        contained.data = np.ones_like(contained.data)
        save_adjacency(bipartite(contained, (first, second, [1.0] * len(first)), same), workshop.folder)


def _pairs(catalogue: Catalogue) -> tuple[list[int], list[int]]:
    """The edges of propositions: every two names of one, once a proposition."""
    first: list[int] = []
    second: list[int] = []
    for statement in range(len(catalogue.statements)):
        for a, b in combinations(catalogue.names_of(statement).tolist()[:_MOST], 2):
            first.append(a)
            second.append(b)
    return first, second
