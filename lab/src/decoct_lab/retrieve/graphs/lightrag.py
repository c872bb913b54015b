"""LightRAG (Guo et al., 2024): entities by what a question names, relations by what it asks, and the passages behind them.

1. *Local.* The `top` entities nearest to the low-level keywords (cosine at least `least`), and their relations, those of well-connected
   ends and of much weight first.
2. *Global.* The `top` relations nearest to the high-level keywords, and their ends.
3. *Passages.* Those in which the entities are named (what was found locally and the ends of what was found globally), and the others on
   which the relations rest, each list by cosine with the question, as the authors' code does unless it is told otherwise
   (`kg_chunk_pick_method`, VECTOR; their note: the order then tends to that of dense retrieval). `mix` adds the `chunks` nearest
   passages. The lists are taken in turn: the first of each, the second of each …; what none of them holds follows by cosine, so that a
   large budget is filled.

With `entity_tokens` and `relation_tokens` (6,000 and 8,000 in the authors' settings) the context begins with what was found, each
described in a line; without, as a rule, a context is chunks alone, so that systems are compared on the same text.

Nothing found: dense retrieval, counted (`lightrag.nothing_found`). `mode` is `local`, `global`, `hybrid` (both) or `mix`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Draft, Floats, Hit, Passage, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.retrieve.dense import Dense
from decoct.structure.library import Structures
from decoct_lab.retrieve.graphs.keywords import keywords
from decoct_lab.retrieve.graphs.nodes import dense_scores, ranked_passages
from decoct_lab.retrieve.graphs.tables import entity_rows, relation_rows, table, with_chunks
from decoct_lab.structure.graphs.loaded import Described, load_described

Mode = Literal["local", "global", "hybrid", "mix"]


@dataclass(frozen=True, slots=True)
class Nearby:
    """What a question found: entities and relations by number, best first."""

    entities: tuple[int, ...]
    relations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LightRAG:
    """Ranks the passages of the structure `structure`; the other settings are those of the steps above."""

    store: Store
    embedder: Embedder
    structures: Structures
    llm: LLM | None = None
    structure: str = "lightrag"
    mode: Mode = "mix"
    top: int = 40
    chunks: int = 20
    least: float = 0.2
    tokenizer: Tokenizer | None = None
    entity_tokens: int = 0
    relation_tokens: int = 0

    def __post_init__(self) -> None:
        if self.top < 1 or self.chunks < 1:
            raise ValueError("top and chunks are at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """The best `k` passages; scores fall by place (the methods' own lists have no common scale)."""
        with trace.stage("lightrag"):
            graph = self.structures.read(self.structure, load_described)
            (vector,) = self.embedder.embed([query.text], "query")
            local, wide = self.nearby(query.text, graph)
            trace.count(entities=len(local.entities) + len(wide.entities), relations=len(wide.relations))
            dense = dense_scores(self.store, vector, graph.catalogue, query)
            lists = _behind(
                graph,
                in_turn([local.entities, wide.entities]),
                in_turn([local.relations, wide.relations]),
                dense,
            )
            if not any(lists):
                trace.fallback("lightrag.nothing_found")
                return Dense(self.store, self.embedder).retrieve(query, k)
            order = np.lexsort((graph.catalogue.keys, -dense)).tolist()
            if self.mode == "mix":
                lists.insert(0, order[: self.chunks])
            scores = np.array(dense, np.float64)
            for place, passage in enumerate(in_turn(lists)):
                scores[passage] = 2 + 1 / (1 + place)  # above every cosine
            return ranked_passages(self.store, query, graph.catalogue, scores, k=k, name="lightrag")

    def passages(self, query: Query, hits: Sequence[Hit], k: int) -> Draft:
        """See `SupportsPassages`: entities, relations, then the chunks."""
        tables: list[Passage] = []
        if self.tokenizer is not None and self.entity_tokens + self.relation_tokens > 0:
            graph = self.structures.read(self.structure, load_described)
            local, wide = self.nearby(query.text, graph)
            entities = entity_rows(graph, in_turn([local.entities, wide.entities]))
            relations = relation_rows(graph, in_turn([local.relations[: self.top], wide.relations]))
            tables = table(graph, entities, self.store, query, tokenizer=self.tokenizer, tokens=self.entity_tokens)
            tables += table(graph, relations, self.store, query, tokenizer=self.tokenizer, tokens=self.relation_tokens)
        return with_chunks(tables, hits[:k])

    def nearby(self, question: str, graph: Described) -> tuple[Nearby, Nearby]:
        """What the low-level keywords find (entities and their relations), and the high-level ones (relations and their ends)."""
        asked = keywords(question, self.llm)
        local = wide = Nearby((), ())
        if self.mode != "global" and asked.low:
            entities = nearest(self._embedded(asked.low), graph.entity_vectors, self.top, self.least)
            local = Nearby(tuple(entities), tuple(_relations_of(graph, entities)))
        if self.mode != "local" and asked.high and graph.relation_vectors is not None:
            found = nearest(self._embedded(asked.high), graph.relation_vectors, self.top, self.least)
            wide = Nearby(_ends(graph, found), tuple(found))
        return local, wide

    def _embedded(self, text: str) -> Floats:
        found: Floats = self.embedder.embed([text], "query")[0]
        return found


def nearest(vector: Floats, vectors: Floats, top: int, least: float) -> list[int]:
    """The rows of the `top` largest cosines that are at least `least`, best first, ties by row."""
    cosines = np.asarray(vectors) @ vector
    best: list[int] = np.argsort(-cosines, kind="stable")[:top].tolist()
    return [row for row in best if cosines[row] >= least]


def in_turn(lists: Sequence[Sequence[int]]) -> list[int]:
    """The first of each list, the second of each …, none twice."""
    return list(dict.fromkeys(one for row in zip_longest(*lists) for one in row if one is not None))


def _relations_of(graph: Described, entities: Iterable[int]) -> list[int]:
    relations = graph.relations
    if relations is None:
        return []
    found = list(dict.fromkeys(one for name in entities for one in relations.of_name[name].indices.tolist()))
    rank = {one: int(relations.degrees[relations.pairs[one]].sum()) for one in found}
    return sorted(found, key=lambda one: (-rank[one], -float(relations.weights[one]), one))


def _ends(graph: Described, found: Sequence[int]) -> tuple[int, ...]:
    if graph.relations is None:
        return ()
    return tuple(dict.fromkeys(graph.relations.pairs[found].ravel().tolist())) if found else ()


def _behind(graph: Described, entities: Sequence[int], relations: Sequence[int], dense: Floats) -> list[list[int]]:
    """The passages that name the entities, and the others on which the relations rest; each list by cosine, ties by row."""
    names = graph.holders[list(entities)].indices if entities else []
    resting = [graph.relations.statements_of(one) for one in relations] if graph.relations is not None else []
    statements = [statement for own in resting for statement in own]
    naming = np.unique(np.asarray(names, np.int64))
    holding = np.setdiff1d(graph.catalogue.statements[statements, 0] if statements else [], naming).astype(np.int64)
    return [rows[np.argsort(-dense[rows], kind="stable")].tolist() for rows in (naming, holding)]
