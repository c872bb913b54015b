"""Which passages are merged with which (MergeRAG, arXiv 2603.20286: Algorithms 1-4).

Symmetric: the two lowest scores (the least sum over pairs is the two smallest), so any monotone change of the scores changes nothing. A
layer goes on with the next two, and so on; of an odd number the best is left.

Asymmetric: the lowest score is the source; its anchor is the passage that predicts it best, least NLL(source | anchor). A layer repeats
this on what is left. Only the row of each source is asked for: n-1, n-3, … cells a layer of n, N(N-1)/2 in all one by one.

Ties: the lower score, then the longer passage, then the one made first. An affinity that is no number counts as the worst.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from decoct import trace
from decoct.context.base import Affinity
from decoct.context.merge.nodes import MergeNode


@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes to merge; in asymmetric merging `first` is the anchor. `affinity` is NLL(second | first), None without one."""

    first: MergeNode
    second: MergeNode
    affinity: float | None = None


def symmetric(nodes: Sequence[MergeNode], most: int, better_first: bool = True) -> list[Pair]:
    """At most `most` pairs from the weakest up; the better one stands first, or the weaker."""
    ranked = sorted(nodes, key=lambda node: node.key)
    found = [(ranked[at + 1], ranked[at]) for at in range(0, len(ranked) - 1, 2)][:most]
    return [Pair(better, weaker) if better_first else Pair(weaker, better) for better, weaker in found]


def asymmetric(nodes: Sequence[MergeNode], most: int, affinity: Affinity, texts: Sequence[str]) -> list[Pair]:
    """At most `most` pairs, the weakest passage first served; `texts` are what the affinity reads of the nodes."""
    read = {node.order: text for node, text in zip(nodes, texts, strict=True)}
    left = sorted(nodes, key=lambda node: node.key)
    found: list[Pair] = []
    while len(left) > 1 and len(found) < most:
        source, *anchors = left
        (row,) = affinity.affinity([read[source.order]], [read[anchor.order] for anchor in anchors])
        trace.count(affinity_cells=len(row))
        values = [math.inf if math.isnan(value) else value for value in row]
        at = min(range(len(anchors)), key=lambda index: (values[index], index))
        found.append(Pair(anchors[at], source, values[at] if math.isfinite(values[at]) else None))
        left = [anchor for index, anchor in enumerate(anchors) if index != at]
    return found
