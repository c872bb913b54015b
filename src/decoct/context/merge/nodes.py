"""The passages being merged: what the tree's leaves are, and what is known of every node.

Retrieved quotes of one document that overlap or touch become one leaf first (contextual reranking without a budget): windows
that overlap would otherwise be merged with their own text. A leaf takes rank, score and title of its best member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from decoct.budget import Budget
from decoct.context.ranges import BETWEEN_TITLES
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
    for rank in sorted(single, key=lambda rank: _place(passages[rank], rank)):
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


def _place(passage: Passage, rank: int) -> tuple[str, int, int, int]:
    span = passage.support[0]
    return span.doc_id, span.start, span.end, rank


def titled(passage: Passage, titles: Mapping[str, str]) -> Passage:
    """The passage under the titles of the documents that it quotes, each once, in the order of its text."""
    names = dict.fromkeys(titles.get(span.doc_id, "") for span in passage.support)
    return replace(passage, title=BETWEEN_TITLES.join(name for name in names if name))
