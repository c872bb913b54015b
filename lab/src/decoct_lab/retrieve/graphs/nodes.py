"""From a question to a graph's nodes, and from nodes back to chunks: what all graph retrievers do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Query, Ranking
from decoct.embed.base import Embedder
from decoct.index.abilities import SupportsNames
from decoct.index.base import Store
from decoct.retrieve.ranking import by_key
from decoct.text.names import longest_mentions, normal, question_names, question_runs
from decoct_lab.structure.graphs.catalogue import Catalogue
from decoct_lab.structure.graphs.loaded import Graph

Doubles = NDArray[np.float64]
Rows = NDArray[np.int64]
# Chunks looked at beyond those asked for, in case some are gone or filtered out.
_SPARE = 32


def seeds(question: str, graph: Graph, embedder: Embedder, least: float) -> dict[int, float]:
    """The names that the question names, by number, each with how surely: 1 where it stands there, else a cosine of at least `least`.

    Names of the graph that stand in the question come first, the longest where they overlap, in any case. Only what the question writes
    as a name and the graph does not know is matched to the name whose vector is nearest.
    """
    numbers = graph.catalogue.numbers
    stand = longest_mentions(one for one in question_names(question) if one.name in numbers)
    found = {numbers[one.name]: 1.0 for one in stand}
    covered = " ".join(one.name for one in stand)
    unknown = [run for run in question_runs(question) if normal(run) and normal(run) not in covered]
    if unknown and graph.names:
        vectors = embedder.embed(unknown, "query")
        cosines = vectors @ np.asarray(graph.name_vectors).T
        for row in cosines:
            best = int(np.argmax(row))
            if row[best] >= least:
                found[best] = max(found.get(best, 0.0), float(row[best]))
    return found


def dense_scores(store: Store, vector: Floats, catalogue: Catalogue, query: Query) -> Floats:
    """The cosine of each passage with the question, moved onto 0 to 1 (the least for passages that the store did not return)."""
    if not len(catalogue.keys):
        return np.empty(0, np.float32)
    found = store.nearest(vector, len(catalogue.keys))
    order = np.argsort(catalogue.keys)
    places = np.searchsorted(catalogue.keys[order], found.keys).clip(max=len(order) - 1)
    rows = order[places]
    known = catalogue.keys[rows] == found.keys
    low, high = (float(found.scores.min()), float(found.scores.max())) if len(found) else (0.0, 0.0)
    scores = np.zeros(len(catalogue.keys), np.float32)
    if high > low:
        scores[rows[known]] = (found.scores[known] - low) / (high - low)
    else:
        scores[rows[known]] = 1
    return scores


def ranked_passages(store: Store, query: Query, catalogue: Catalogue, scores: Doubles, *, k: int, name: str) -> Ranking:
    """The best `k` passages that the library still has and the filter lets through, ties by key."""
    single = scores.astype(np.float32)
    order: Rows = np.lexsort((catalogue.keys, -single))
    kept: list[Rows] = []
    have, at = 0, 0
    while have < k and at < len(order):
        block = order[at : at + (k - have) + _SPARE]
        at += len(block)
        some = block[passing_rows(store, catalogue, block, query)]
        kept.append(some)
        have += len(some)
    best = np.concatenate(kept)[:k] if kept else np.empty(0, np.int64)
    found = Ranking(catalogue.keys[best], single[best])
    return Ranking(found.keys, found.scores, {name: by_key(found)})


def passing_rows(store: Store, catalogue: Catalogue, rows: Rows, query: Query) -> NDArray[np.bool_]:
    """Which of the passages the library has and the filter lets through."""
    keys = catalogue.keys[rows]
    if isinstance(store, SupportsNames):
        return store.passing(keys, query.where)
    there = {chunk.key for chunk in store.chunks(keys)}
    living = np.array([key in there for key in keys.tolist()], bool)
    if query.where:
        let = {info.id for info in store.documents(query.where)}
        living &= np.array([catalogue.documents[row] in let for row in catalogue.places[rows, 0].tolist()], bool)
    return living
