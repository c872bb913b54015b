"""LinearRAG's graph (Zhuang et al., ICLR 2026): names, sentences and passages without relations, at a cost linear in the text.

Edges: name and passage, how often the name stands in it as a share of all names in it; passages that follow each other in a document,
1. Which name stands in which sentence serves to spread activation. The authors' code finds names with a transformer of spaCy and asks
no model, and links passages by a number at the head of their text; ours are rules (`by_rules`), or a language model where there is one,
and the order of chunks in their document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from decoct.llm.base import LLM
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.graphs.ask_names import NamesAsked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, fingerprint_of, read_by
from decoct_lab.structure.graphs.catalogue import catalogued
from decoct_lab.structure.graphs.loaded import NAMES, STATEMENTS, save_adjacency
from decoct_lab.structure.graphs.pagerank import bipartite


@dataclass(frozen=True, slots=True)
class LinearGraph:
    """Reads names by rules, or by `llm`; `neighbours` is the weight of the edge between a document's consecutive chunks."""

    llm: LLM | None = None
    neighbours: float = 1.0

    @property
    def fingerprint(self) -> str:
        """See `StructureMethod.fingerprint`."""
        return f"linearrag-1:{fingerprint_of(self._taker)}:{self.neighbours}"

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return "" if self.llm is None else self.llm.fingerprint

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """One request a chunk where a model reads."""
        return estimated(self._taker, documents)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Names and sentences of each document."""
        return read_by(self._taker, documents)

    @property
    def _taker(self) -> NoteTaker | None:
        """None: rules take the notes."""
        return None if self.llm is None else NamesAsked(self.llm)

    def put_together(self, workshop: Workshop) -> None:
        """Vectors of names and sentences, and the edges."""
        catalogue, texts = catalogued(workshop.parts(), workshop.folder)
        workshop.vectors(NAMES, list(catalogue.names))
        workshop.vectors(STATEMENTS, texts)
        counts = catalogue.passage_names.astype(np.float64)
        sums = np.asarray(counts.sum(axis=1)).ravel()
        shares = counts.multiply(1 / np.maximum(sums, 1)[:, None]).tocsr()
        documents = catalogue.places[:, 0]
        follows = np.flatnonzero(documents[1:] == documents[:-1])
        nodes = follows + len(catalogue.names)
        edges = (nodes.tolist(), (nodes + 1).tolist(), [self.neighbours] * len(nodes))
        save_adjacency(bipartite(shares, edges), workshop.folder)
