"""HyperGraphRAG (Luo et al., 2025): entities and hyperedges by vector, expanded to each other, and the passages behind them.

1. The question is read as a passage is: a language model lists its entities and segments; without one its names, and the question
   itself.
2. The `top` entities nearest to the entities (together, as the authors' code joins them), and the `top` hyperedges nearest to the
   segments.
3. *Passages.* Of a hyperedge, the one it rests on; of an entity, those that name it, in the order of hyperedges and entities; of one
   entity those first on which more of its hyperedges rest. The hyperedges' come before the entities', as the authors' code combines
   them; what neither holds follows by cosine, so that a large budget is filled.

With `entity_tokens` and `relation_tokens` (4,000 each in the authors' settings) the context begins with the entities and hyperedges
that were found; without, as a rule, a context is chunks alone, so that systems are compared on the same text.

The authors' code fails on a question without an entity; here its hyperedges are used alone, counted (`hypergraphrag.no_names`). Nothing
found: dense retrieval, counted (`hypergraphrag.nothing_found`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Draft, Floats, Hit, Passage, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.retrieve.dense import Dense
from decoct.structure.library import Structures
from decoct.text.names import question_runs
from decoct_lab.retrieve.graphs.lightrag import nearest
from decoct_lab.retrieve.graphs.nodes import dense_scores, ranked_passages
from decoct_lab.retrieve.graphs.tables import entity_rows, hyperedge_rows, table, with_chunks
from decoct_lab.structure.graphs.ask_segments import segments_request
from decoct_lab.structure.graphs.by_model import checked_replies
from decoct_lab.structure.graphs.loaded import Described, load_described

_QUESTION_REPLY = 300  # tokens: the one or two segments of a question with their entities; of a longer reply what was complete is kept


@dataclass(frozen=True, slots=True)
class HyperGraphRAG:
    """Ranks the passages of the structure `structure`; `top` entities and as many hyperedges, of a cosine of at least `least`."""

    store: Store
    embedder: Embedder
    structures: Structures
    llm: LLM | None = None
    structure: str = "hypergraphrag"
    top: int = 60
    least: float = 0.2
    tokenizer: Tokenizer | None = None
    entity_tokens: int = 0
    relation_tokens: int = 0

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ValueError("top is at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores fall by place."""
        with trace.stage("hypergraphrag"):
            graph = self.structures.read(self.structure, load_described)
            (vector,) = self.embedder.embed([query.text], "query")
            entities, hyperedges = self.nearby(query.text, graph)
            trace.count(entities=len(entities), hyperedges=len(hyperedges))
            if not entities and not hyperedges:
                trace.fallback("hypergraphrag.nothing_found")
                return Dense(self.store, self.embedder).retrieve(query, k)
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            passages = [int(graph.catalogue.statements[one, 0]) for one in hyperedges]
            passages += [one for entity in entities for one in _of_entity(graph, entity, dense)]
            scores = np.array(dense, np.float64)
            for place, passage in enumerate(dict.fromkeys(passages)):
                scores[passage] = 2 + 1 / (1 + place)  # above every cosine
            return ranked_passages(self.store, query, graph.catalogue, scores, k=k, name="hypergraphrag")

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`: entities, hyperedges, then the chunks."""
        tables: list[Passage] = []
        if self.tokenizer is not None and self.entity_tokens + self.relation_tokens > 0:
            graph = self.structures.read(self.structure, load_described)
            entities, hyperedges = self.nearby(query.text, graph)
            tables = table(
                graph,
                entity_rows(graph, entities),
                self.store,
                query,
                tokenizer=self.tokenizer,
                tokens=self.entity_tokens,
            ) + table(
                graph,
                hyperedge_rows(graph, hyperedges),
                self.store,
                query,
                tokenizer=self.tokenizer,
                tokens=self.relation_tokens,
            )
        return with_chunks(tables, hits[:k])

    def nearby(self, question: str, graph: Described) -> tuple[list[int], list[int]]:
        """The entities and hyperedges (statements) by number, best first."""
        names, segments = self._read(question)
        entities = hyperedges = list[int]()
        if names:
            entities = nearest(self._embedded(", ".join(names)), graph.entity_vectors, self.top, self.least)
        else:
            trace.fallback("hypergraphrag.no_names")
        if segments:
            hyperedges = nearest(self._embedded(", ".join(segments)), graph.statement_vectors, self.top, self.least)
        return entities, hyperedges

    def _read(self, question: str) -> tuple[Sequence[str], Sequence[str]]:
        if self.llm is not None:
            (reply,) = checked_replies(self.llm, [segments_request("", question, _QUESTION_REPLY)])
            if isinstance(reply, dict):
                segments = reply["segments"]
                names = dict.fromkeys(one["name"] for segment in segments for one in segment["entities"])
                return tuple(names), tuple(segment["text"] for segment in segments) or (question,)
            trace.fallback("hypergraphrag.question_not_read")
        return question_runs(question), (question,)

    def _embedded(self, text: str) -> Floats:
        found: Floats = self.embedder.embed([text], "query")[0]
        return found


def _of_entity(graph: Described, entity: int, dense: Floats) -> list[int]:
    """The passages that name an entity: those first on which most of its hyperedges rest, then by cosine."""
    by_name, holders = graph.catalogue.name_statements, graph.holders
    hyperedges = by_name.indices[by_name.indptr[entity] : by_name.indptr[entity + 1]]
    resting = Counter(graph.catalogue.statements[hyperedges, 0].tolist())
    rows = holders.indices[holders.indptr[entity] : holders.indptr[entity + 1]].tolist()
    return sorted(rows, key=lambda row: (-resting[row], -float(dense[row]), row))
