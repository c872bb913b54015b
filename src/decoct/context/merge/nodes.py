"""The passages being merged: what the tree's leaves are, and what is known of every node.

Retrieved quotes of one document that overlap or touch become one leaf first (contextual reranking without a budget): windows
that overlap would otherwise be merged with their own text. A leaf takes rank, score and title of its best member.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Affinity
from decoct.context.quotes import BETWEEN_TITLES, Spread, pieces, quote_of, unshown
from decoct.data import Passage, Span


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A passage of the tree. `order` is its place among all nodes ever made: leaves by rank, then merges as they came."""

    id: str
    order: int
    passage: Passage
    score: float
    tokens: int

    @property
    def key(self) -> tuple[float, int, int]:
        """The weakest first; of equals the longer (merging it frees more), then the one made first."""
        return (self.score, -self.tokens, self.order)


def leaves(passages: Sequence[Passage], budget: Budget) -> list[MergeNode]:
    """A node for each passage that says something, best first; scores are those of the ranking."""
    given = [passage for passage in joined_neighbours(passages) if passage.text.strip()]
    tokens = budget.tokenizer.counts([passage.text for passage in given])
    found: list[MergeNode] = []
    taken: set[str] = set()
    for order, (passage, count) in enumerate(zip(given, tokens, strict=True)):
        first, last = passage.support[0], passage.support[-1]
        name = f"{first.doc_id}:{first.start}-{last.end}"
        name = name if name not in taken else f"{name}#{order}"
        taken.add(name)
        found.append(MergeNode(name, order, passage, passage.score, count))
    return found


def joined_neighbours(passages: Sequence[Passage]) -> list[Passage]:
    """Quotes of one span of the same document that overlap or touch, as one; all by the rank of the best member."""
    single = [rank for rank, passage in enumerate(passages) if len(passage.support) == 1 and passage.kind == "quote"]
    groups: list[tuple[int, Passage]] = [(rank, passages[rank]) for rank in set(range(len(passages))) - set(single)]
    open_: list[tuple[int, Passage]] = []
    for rank in sorted(single, key=lambda rank: (passages[rank].support[0], rank)):
        passage, (span,) = passages[rank], passages[rank].support
        if open_ and open_[-1][1].support[0].doc_id == span.doc_id and span.start <= open_[-1][1].support[0].end:
            best, last = open_[-1]
            (whole,) = last.support
            better = passage if rank < best else last
            more = passage.text[max(0, whole.end - span.start) :] if span.end > whole.end else ""
            wide = Span(span.doc_id, whole.start, max(whole.end, span.end))
            merged = replace(last, text=last.text + more, support=(wide,), score=better.score, title=better.title)
            open_[-1] = (min(rank, best), merged)
        else:
            open_.append((rank, passage))
    return [passage for _, passage in sorted(groups + open_, key=lambda item: item[0])]


def titled(passage: Passage, titles: Mapping[str, str]) -> Passage:
    """The passage under the titles of the documents that it quotes, each once, in the order of its text."""
    names = dict.fromkeys(titles.get(span.doc_id, "") for span in passage.support)
    return replace(passage, title=BETWEEN_TITLES.join(name for name in names if name))


def by_document(passages: Iterable[Passage], titles: Mapping[str, str]) -> tuple[Passage, ...]:
    """Quotes by document: each document once, where the best that quotes it stood and with its score, characters in their order.

    So a line of the context stands under the title of the one document that says it, and a citation names no other.
    """
    found: dict[str, list[tuple[Span, str]]] = {}
    scores: dict[str, float] = {}
    shown = Spread()
    for passage in passages:
        for at, span in pieces(passage):
            found.setdefault(span.doc_id, []).extend(unshown(passage, at, span, shown))
            scores[span.doc_id] = max(scores.get(span.doc_id, -math.inf), passage.score)
    told = []
    for name, parts in found.items():
        text, support = quote_of(sorted(parts, key=lambda part: part[0].start))
        told.append(Passage(text, support, "quote", scores[name], titles.get(name, "")))
    return tuple(told)


# Which passages are merged with which (MergeRAG, arXiv 2603.20286: Algorithms 1-4).
#
# Symmetric: the two lowest scores (the least sum over pairs is the two smallest), so any monotone change of the scores changes nothing. A
# layer goes on with the next two, and so on; of an odd number the best is left.
#
# Asymmetric: the lowest score is the source; its anchor is the passage that predicts it best, least NLL(source | anchor). A layer repeats
# this on what is left. Only the row of each source is asked for: n-1, n-3, … cells a layer of n, N(N-1)/2 in all one by one.
#
# Ties: the lower score, then the longer passage, then the one made first. An affinity that is no number counts as the worst.


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
