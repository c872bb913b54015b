"""What LightRAG and HyperGraphRAG show beside chunks: tables of what they found, each within its own number of tokens.

A row is a passage with the statements' spans as its support. It is shown only where every document that it rests on is still in the
library and passes the filter. A table ends with the first row that does not fit, as the authors' code cuts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from decoct.budget import Tokenizer
from decoct.data import Draft, Hit, Passage, Query
from decoct.index.base import Store
from decoct_lab.retrieve.graphs.nodes import passing_rows
from decoct_lab.structure.graphs.loaded import Described

# Statements that a row names as its support: a name that is everywhere has thousands.
_MOST = 8


def entity_rows(graph: Described, entities: Iterable[int]) -> list[tuple[str, str, list[int]]]:
    """Title, text and statements of each entity that some statement speaks of."""
    by_name = graph.catalogue.name_statements
    rows = []
    for one in entities:
        statements = by_name.indices[by_name.indptr[one] : by_name.indptr[one + 1]][:_MOST].tolist()
        if statements:
            name, kind, about = graph.catalogue.names[one], graph.entities.kinds[one], graph.entities.about[one]
            rows.append(("Entity", f"{name}{f' ({kind})' if kind else ''}: {about}", statements))
    return rows


def relation_rows(graph: Described, found: Iterable[int]) -> list[tuple[str, str, list[int]]]:
    """Title, text and statements of each relation; without a model its text is its first statements'."""
    rows = []
    for one in found if graph.relations is not None else ():
        assert graph.relations is not None
        statements = graph.relations.statements_of(one)[:_MOST]
        a, b = (graph.catalogue.names[name] for name in graph.relations.pairs[one].tolist())
        told = graph.relations.about[one] or " ".join(graph.catalogue.text_of(other) for other in statements[:2])
        keywords = graph.relations.keywords[one]
        rows.append(("Relation", f"{a}, {b}{f' ({keywords})' if keywords else ''}: {told}", statements))
    return rows


def hyperedge_rows(graph: Described, found: Iterable[int]) -> list[tuple[str, str, list[int]]]:
    """Title, text and statement of each hyperedge, with the entities that it connects."""
    names = graph.catalogue.names
    return [
        (
            "Relation",
            f"{graph.catalogue.text_of(one)} ({', '.join(names[n] for n in graph.catalogue.names_of(one).tolist())})",
            [one],
        )
        for one in found
    ]


def table(
    graph: Described,
    rows: Sequence[tuple[str, str, list[int]]],
    store: Store,
    query: Query,
    *,
    tokenizer: Tokenizer,
    tokens: int,
) -> list[Passage]:
    """The first rows that may be shown, as passages, while they fit into `tokens`."""
    if not rows or tokens <= 0:
        return []
    statements = sorted({one for _, _, some in rows for one in some})
    passages = graph.catalogue.statements[statements, 0].astype(np.int64)
    able = dict(zip(statements, passing_rows(store, graph.catalogue, passages, query).tolist(), strict=True))
    shown: list[Passage] = []
    counts = tokenizer.counts([text for _, text, _ in rows])
    for (title, text, some), count in zip(rows, counts, strict=True):
        if not all(able[one] for one in some):
            continue
        tokens -= count
        if tokens < 0:
            break
        spans = tuple(dict.fromkeys(graph.catalogue.span_of(one) for one in some))
        shown.append(Passage(text, spans, "rewrite", 0.0, title))
    return shown


def with_chunks(tables: Sequence[Passage], hits: Sequence[Hit]) -> Draft:
    """The tables' rows, then the chunks, each text once, in its best place."""
    chunks: dict[str, Passage] = {}
    for hit in hits:
        chunk = hit.chunk
        chunks.setdefault(chunk.text, Passage(chunk.text, (chunk.span,), "quote", hit.score, chunk.title, chunk.place))
    return Draft((*tables, *chunks.values()))
