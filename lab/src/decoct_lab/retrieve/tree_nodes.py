"""What retrievers over trees share: which nodes may be shown, the chunks that a list of nodes stands for, and passages of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoct.data import Draft, Floats, Passage, Query, Ranking
from decoct.index.abilities import SupportsNames
from decoct.retrieve.ranking import ranked
from decoct_lab.structure.stored_tree import StoredTree
from decoct_lab.structure.tree import Node

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """For each row of a tree: whether the node may be `shown` (all leaves below it pass), and walked through (one of them does)."""

    shown: Mask
    open: Mask


def allowed_nodes(tree: StoredTree, store: SupportsNames, query: Query) -> Allowed:
    """What the question's filter, and the documents that the library still holds, leave of the tree."""
    passing = store.passing(tree.chunk_keys(), query.where)
    if passing.all():
        every = np.ones(len(tree.nodes), bool)
        return Allowed(every, every)
    shown = np.array([bool(passing[rows].all()) for rows in tree.below], bool)
    return Allowed(shown, np.array([bool(passing[rows].any()) for rows in tree.below], bool))


def chunks_of(tree: StoredTree, rows: Iterable[int], scores: Floats, ok: Allowed, k: int, *, who: str) -> Ranking:
    """The best `k` chunks for nodes that come best first; a chunk has the score of the node that brought it.

    A leaf brings the chunks that hold it; a summary the best leaf below it that is not listed yet: a reader sees as much of both.
    """
    found: dict[int, float] = {}
    listed = np.zeros(len(tree.nodes), bool)
    least = -np.inf
    for row in rows:
        score = float(scores[row])
        if len(found) >= k and score < least:
            break
        leaf = row if tree.nodes[row].layer == 0 else _best_below(tree, row, scores, listed | ~ok.shown)
        if leaf is None or listed[leaf]:
            continue
        listed[leaf] = True
        for key in tree.nodes[leaf].chunks:
            if found.setdefault(key, score) == score:
                least = score
    keys = np.array(list(found), np.int64)
    return ranked(keys, np.array(list(found.values()), np.float32), k, {who: found})


def _best_below(tree: StoredTree, row: int, scores: Floats, passed: Mask) -> int | None:
    left = tree.below[row][~passed[tree.below[row]]]
    return int(left[np.argmax(scores[left])]) if len(left) else None


def distinct_rows(tree: StoredTree, rows: Iterable[int], most: int) -> list[int]:
    """The first `most` rows of different texts: a cluster of one node is summarised by its own words."""
    found: dict[str, int] = {}
    for row in rows:
        if len(found) == most:
            break
        found.setdefault(" ".join(tree.nodes[row].text.casefold().split()), row)
    return list(found.values())


def draft_of_nodes(nodes: Iterable[tuple[Node, float]]) -> Draft:
    """The nodes as passages."""
    return Draft(tuple(Passage(node.text, node.spans, node.kind, score, node.title) for node, score in nodes))


def best_first(scores: Floats, mask: Mask) -> list[int]:
    """The rows that `mask` allows, best first, ties by row."""
    rows = np.flatnonzero(mask)
    order: list[int] = rows[np.argsort(-scores[rows], kind="stable")].tolist()
    return order


def while_they_fit(tree: StoredTree, rows: Sequence[int], counts: Iterable[int], limit: int) -> Iterator[int]:
    """The rows before the first that does not fit into what is left of `limit` tokens: what the authors of RAPTOR do."""
    for row, tokens in zip(rows, counts, strict=True):
        limit -= tokens
        if limit < 0:
            return
        yield row
