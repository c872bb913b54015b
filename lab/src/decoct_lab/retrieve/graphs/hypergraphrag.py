"""HyperGraphRAG (Luo et al., 2025): entities and hyperedges by vector, expanded to each other, and the passages behind them.

1. The question is read as a passage is: a language model lists its entities and segments; without one its names, and the question
   itself.
2. The `top` entities nearest to the entities (together, as the authors' code joins them), and the `top` hyperedges nearest to the
   segments.
3. *Passages.* Of a hyperedge, the one it rests on; of an entity, those that name it, in the order of hyperedges and entities; of one
   entity those first on which more of its hyperedges rest. The hyperedges' come before the entities', as the authors' code combines
   them; what neither holds follows by cosine, so that a large budget is filled.

With `entity_tokens` and `relation_tokens` (4,000 each in the authors' settings) the context begins with two tables: the entities that
the hyperedges found connect, then those found; the hyperedges found, then those that connect the entities found. Each of the four lists
is cut at its tokens, as the authors' code cuts it before it combines them. Without, as a rule, a context is chunks alone, so that systems
are compared on the same text.

Differs: a model is not asked again for what it missed (the authors glean twice; their prompts for it are not sent here).

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
            connected, resting = entities_of(graph, hyperedges), hyperedges_of(graph, entities)
            trace.count(
                expanded_entities=len({*entities, *connected}), expanded_hyperedges=len({*hyperedges, *resting})
            )
            for first, second, make, tokens in (
                (connected, entities, entity_rows, self.entity_tokens),
                (hyperedges, resting, hyperedge_rows, self.relation_tokens),
            ):
                for rows in (first, [one for one in second if one not in first]):
                    shown = make(graph, rows)
                    tables += table(graph, shown, self.store, query, tokenizer=self.tokenizer, tokens=tokens)
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


def entities_of(graph: Described, hyperedges: Sequence[int]) -> list[int]:
    """The entities that hyperedges connect, each once, in the order of the hyperedges."""
    return list(dict.fromkeys(name for one in hyperedges for name in graph.catalogue.names_of(one).tolist()))


def hyperedges_of(graph: Described, entities: Sequence[int]) -> list[int]:
    """The hyperedges that connect entities, each once: those first whose two ends have most edges together, then by weight.

    An edge of the authors' graph leads from an entity to a hyperedge; its degree is that of both.
    """
    by_name = graph.catalogue.name_statements
    degrees: dict[int, int] = {}
    for entity in entities:
        own = by_name.indices[by_name.indptr[entity] : by_name.indptr[entity + 1]].tolist()
        for one in own:
            degrees[one] = max(degrees.get(one, 0), len(own) + len(graph.catalogue.names_of(one)))
    return sorted(degrees, key=lambda one: (-degrees[one], -float(graph.catalogue.weights[one]), one))


def _of_entity(graph: Described, entity: int, dense: Floats) -> list[int]:
    """The passages that name an entity: those first on which most of its hyperedges rest, then by cosine."""
    by_name, holders = graph.catalogue.name_statements, graph.holders
    hyperedges = by_name.indices[by_name.indptr[entity] : by_name.indptr[entity + 1]]
    resting = Counter(graph.catalogue.statements[hyperedges, 0].tolist())
    rows = holders.indices[holders.indptr[entity] : holders.indptr[entity + 1]].tolist()
    return sorted(rows, key=lambda row: (-resting[row], -float(dense[row]), row))
