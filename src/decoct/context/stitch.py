"""Contextual reranking of the paper "Recall-oriented RAG": chunks that touch or overlap are read as one passage.

Passages are taken by rank. Each brings only the characters that no better one has brought already, so an overlap is paid for once
(`count="post_merge"`, ours; `"pre_merge"` pays for the whole chunk, the paper's conservative reading n = L/s). At the first that is over
the budget, `overflow` says what happens: `truncate_last` adds the sentences that fit and stops (the paper's n = ceil(L/s)); `skip`
goes on to smaller ones, at most `max_skips` times. Then the accepted characters of each document are joined where they touch: a group
takes the rank, score and title of its best member, groups stand by rank, their text in document order.

With a store, white space between two neighbours never keeps them apart, and `bridge_gap` (ours) also fills a gap of up to that many
characters of text between an accepted passage and its neighbours, as long as the budget allows.

Tokens are estimated as the sum over the new pieces and the groups' heads; only `assemble` is exact. The step counts the tokens of the text
it accepts once: linear in the budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Layout
from decoct.context.layouts import Numbered
from decoct.context.quotes import Spread, quote_of, touches, whole_sentences
from decoct.data import Draft, Hit, Passage, Query, Span
from decoct.errors import ConfigError
from decoct.index.base import Store

_WHITE = 8  # a gap of at most so many characters may be white space between chunks: worth a look into the store


@dataclass(frozen=True, slots=True)
class Stitch:
    """Joins neighbouring quotes under the budget; rewrites and quotes of several spans pass as they are, at their rank."""

    count: Literal["post_merge", "pre_merge"] = "post_merge"
    overflow: Literal["truncate_last", "skip"] = "truncate_last"
    max_skips: int = 5
    bridge_gap: int = 0
    layout: Layout = field(default_factory=Numbered)
    store: Store | None = None

    def __post_init__(self) -> None:
        if self.bridge_gap < 0 or self.max_skips < 0:
            raise ConfigError("stitch: bridge_gap and max_skips must not be negative")
        if self.bridge_gap and self.store is None:
            raise ConfigError("stitch: bridge_gap needs the library's store to read the gaps from")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The accepted passages, joined, by rank; all as they are where not one sentence fits."""
        taken = _Taken(self, draft.passages, budget)
        skips = 0
        for rank in range(len(draft.passages)):
            if taken.take(rank):
                continue
            skips += 1
            if self.overflow == "truncate_last":
                taken.take_part(rank)
                if taken.is_empty:
                    continue  # not even its first sentence fits: the next passage may
                break
            if skips > self.max_skips:
                break
        if taken.is_empty:
            return draft  # nothing fits: `assemble` says how much room it takes
        passages = taken.groups()
        trace.count(joined=taken.members - len(passages), bridged=taken.bridged)
        return replace(draft, passages=passages)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text that the passage of `rank` was the first to bring."""

    span: Span
    text: str
    rank: int


class _Taken:
    """What has been accepted so far, and the room that is left for more."""

    def __init__(self, step: Stitch, passages: tuple[Passage, ...], budget: Budget) -> None:
        self.step, self.passages, self.budget = step, passages, budget
        self.room = budget.limit
        self.members = self.bridged = 0
        self._spread = Spread()
        self._pieces: list[_Piece] = []
        self._apart: list[int] = []  # ranks of passages that are not joined with others
        self._heads: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been accepted yet."""
        return not self._pieces and not self._apart

    def take(self, rank: int) -> bool:
        """Accept the whole passage if its cost is within the room; then bridge to its neighbours what still fits."""
        passage = self.passages[rank]
        span = _only_span(passage)
        if span is None:
            cost = self.budget.count(self.step.layout.block(len(self.passages), passage))
            fresh = []
        else:
            fresh = self._fresh(span, passage, rank)
            cost = self._cost(fresh, span, passage)
        if cost > self.room:
            return False
        self.room -= cost
        self.members += 1
        if span is None:
            self._apart.append(rank)
        else:
            self._accept(fresh, span)
            self._bridge(span, passage, rank)
        return True

    def take_part(self, rank: int) -> None:
        """Accept as many of the passage's new sentences, in text order, as there is room for."""
        passage = self.passages[rank]
        span = _only_span(passage)
        if span is None:
            self._apart.append(rank)  # it stands last, where `assemble` cuts it exactly
            self.members += 1
            return
        runs, before = self._spread.touched(span), len(self._pieces)
        for piece in self._fresh(span, passage, rank):
            left = any(end == piece.span.start for _, end in runs)
            right = any(start == piece.span.end for start, _ in runs)
            cost = self.budget.count(piece.text) + (1 - left - right) * self._head(passage)
            if cost <= self.room:
                self.room -= cost
                self._accept([piece], piece.span)
                continue
            self._accept_prefix(piece, self.room - (0 if left else self._head(passage)))
            break
        self.members += len(self._pieces) > before

    def _accept_prefix(self, piece: _Piece, room: int) -> None:
        end = whole_sentences(piece.text, lambda end: self.budget.count(piece.text[:end]) <= room)
        if end:
            span = Span(piece.span.doc_id, piece.span.start, piece.span.start + end)
            self._accept([_Piece(span, piece.text[:end], piece.rank)], span)

    def groups(self) -> tuple[Passage, ...]:
        """The accepted text as passages: pieces joined where they touch, by the rank of the best member."""
        ranked = [(rank, self.passages[rank]) for rank in self._apart]
        self._pieces.sort(key=lambda piece: (piece.span.doc_id, piece.span.start, piece.span.end))
        at = 0
        while at < len(self._pieces):
            end = at + 1
            while end < len(self._pieces) and touches(self._pieces[end - 1].span, self._pieces[end].span):
                end += 1
            members = self._pieces[at:end]
            rank = min(piece.rank for piece in members)
            text, support = quote_of([(piece.span, piece.text) for piece in members])
            best = self.passages[rank]
            place = self.passages[members[0].rank].place
            ranked.append((rank, Passage(text, support, best.kind, best.score, best.title, place)))
            at = end
        return tuple(passage for _, passage in sorted(ranked, key=lambda item: item[0]))

    def _fresh(self, span: Span, passage: Passage, rank: int) -> list[_Piece]:
        return [
            _Piece(part, passage.text[part.start - span.start : part.end - span.start], rank)
            for part in self._spread.missing(span)
        ]

    def _cost(self, fresh: Sequence[_Piece], span: Span, passage: Passage) -> int:
        """Tokens of the new text, and of one more head or of the heads that joining saves."""
        if self.step.count == "pre_merge":
            return self.budget.count(passage.text) + self._head(passage)
        text = sum(self.budget.tokenizer.counts([piece.text for piece in fresh]))
        return text + (1 - len(self._spread.touched(span))) * self._head(passage)

    def _head(self, passage: Passage) -> int:
        """Tokens of a block beside its text: number (as wide as any), title and the blank line after it."""
        if passage.title not in self._heads:
            bare = Passage("", passage.support, "rewrite", passage.score, passage.title)
            self._heads[passage.title] = self.budget.count(self.step.layout.block(len(self.passages), bare) + "\n\n")
        return self._heads[passage.title]

    def _accept(self, pieces: Sequence[_Piece], span: Span) -> None:
        self._pieces.extend(pieces)
        self._spread.add(span)

    def _bridge(self, span: Span, passage: Passage, rank: int) -> None:
        if self.step.store is None:
            return
        for gap in self._spread.gaps(span, max(_WHITE, self.step.bridge_gap)):
            text = self.step.store.text(gap)
            if text.strip() and len(text) > self.step.bridge_gap:
                continue
            saved = self._head(passage) if self.step.count == "post_merge" else 0
            cost = self.budget.count(text) - saved
            if cost <= self.room:
                self.room -= cost
                self.bridged += bool(text.strip())
                self._accept([_Piece(gap, text, rank)], gap)


def _only_span(passage: Passage) -> Span | None:
    return passage.support[0] if passage.kind == "quote" and len(passage.support) == 1 else None


# Hits to passages: the same text is read once, however many documents hold it.
#
# A text that occurs in two documents (mirrors, boilerplate, licence heads) is kept at its better rank; white space and case do not make it
# another text. Chunks of one document that overlap in their spans are not duplicates: stitching joins them.
def draft_of(hits: Sequence[Hit]) -> Draft:
    """A draft of the hits in their order, each text once."""
    # Equal texts have equal ends; few others do, so few texts are normalised as a whole.
    ends = [_ends(hit.chunk.text) for hit in hits]
    often = Counter(ends)
    seen: set[str] = set()
    passages: list[Passage] = []
    for hit, both in zip(hits, ends, strict=True):
        identity = _plain(hit.chunk.text) if often[both] > 1 else ""
        if both and identity not in seen:
            passages.append(
                Passage(hit.chunk.text, (hit.chunk.span,), "quote", hit.score, hit.chunk.title, hit.chunk.place)
            )
        if identity:
            seen.add(identity)
    return Draft(tuple(passages))


def _ends(text: str) -> tuple[str, ...]:
    """The first and the last word without case; empty for a text without words."""
    first = text.split(maxsplit=1)
    return (first[0].casefold(), text.rsplit(maxsplit=1)[-1].casefold()) if first else ()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
