"""Pseudo-relevance feedback in text: "Recall-oriented RAG" ("Rethinking Retrieval in RAG", ACL submission), its query expansion.

1. The given retriever finds chunks for the question q (in recipe `recall` that is dense retrieval, as in the paper).
2. The documents of its best `k_docs` chunks are cut into pieces of 50 tokens; those that touch these chunks are scored by the cosine of the
   embedder with q, and the best `m` are kept.
3. q' = q, a line break, and the pieces by falling score. Pieces are cut to fit `query_tokens`, never q.
4. The retriever finds chunks for q'; this second list is the result. `passes = 2` repeats all of it with q' in the place of q ("double"),
   with pieces that q' does not hold yet: those that it holds would be the nearest to it.

Kept from the paper: steps 1 to 4, pieces of 50 tokens, single and double. Settled by us where it says nothing: pieces lie on the document's
grid (see `pieces`), m (chosen on contexts: benchmarks/feedback_sweep.py), the form of q', "replace" as the meaning of its second pass.
With nothing to add there is no further pass (`feedback.nothing_to_add`). Five pieces fill what the default embedder reads: with m = 5 a
second pass adds nothing, so two passes want m <= 2 there, or an embedder that reads more and `query_tokens` to match.

Ours, each off unless set: fusing the lists (`second_pass = "rrf"`), searching with q and each piece by itself and fusing those lists
(`search = "each"`, the best form in Li et al., arXiv 2108.11044), and the drift guards (see `guards`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

import numpy as np

from decoct import trace
from decoct.budget import SupportsOffsets
from decoct.data import Query, Ranking, Span
from decoct.embed.base import Embedder
from decoct.index.base import Store, Where
from decoct.retrieve.base import Retriever
from decoct.retrieve.fusion import rrf
from decoct.retrieve.guards import anchored_ranking, diverse_rows, new_terms, overlap
from decoct.retrieve.pieces import cut_pieces, memory_of_pieces
from decoct.retrieve.ranking import by_key, first_of, found_by_of


@dataclass(frozen=True, slots=True)
class Feedback:
    """Searches again with the question and the best pieces of what it found.

    Guards on the pieces: `quantile` keeps those at or above that quantile of all their scores; `min_new_terms` is the least share of
    words that a piece must add to the question's; `mmr` below 1 trades their score against their likeness to each other. Guard on q':
    `min_cosine` is its least cosine with q. Guards on the lists: the share of the first list's ten that the last one holds must lie
    between `min_overlap` and `max_overlap`, else the last list gives way as `on_drift` says; the first list's best `keep_first` stay
    on top.
    """

    retriever: Retriever
    store: Store
    embedder: Embedder
    tokenizer: SupportsOffsets
    k_docs: int = 5
    m: int = 1
    piece_tokens: int = 50
    stride: int = 50
    query_tokens: int = (
        254  # the default embedder reads 256, two of them its own marks; give 8000 or so for a hosted one
    )
    passes: int = 1
    search: Literal["joined", "each"] = "joined"
    second_pass: Literal["replace", "rrf"] = "replace"  # noqa: S105 - no password
    depth: int = 100
    quantile: float = 0.0
    min_new_terms: float = 0.0
    mmr: float = 1.0
    min_cosine: float = -1.0
    min_overlap: float = 0.0
    max_overlap: float = 1.0
    on_drift: Literal["first", "rrf"] = "first"
    keep_first: int = 0

    def __post_init__(self) -> None:
        if min(self.k_docs, self.m, self.piece_tokens, self.stride, self.passes) < 1:
            raise ValueError("k_docs, m, piece_tokens, stride and passes must be at least 1")
        if self.stride > self.piece_tokens:
            raise ValueError("a stride longer than a piece would leave text out")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` has the first pass's scores and, as "feedback", the last pass's."""
        with trace.stage("feedback"):
            depth = max(k, self.k_docs, self.depth)
            lists = [self.retriever.retrieve(query, depth)]
            question, added = query.text, set[Span]()
            for _ in range(self.passes):
                found = self._best_pieces(question, lists[-1], added)
                pieces = list(found.values())
                added.update(found)
                if not (expanded := self._expansions(question, pieces)):
                    trace.fallback("feedback.nothing_to_add")
                    break
                lists.append(self._search(expanded, query.where, depth))
                question = expanded[0] if self.search == "joined" else self._join(question, pieces)
            return self._settle(lists, k)

    def _best_pieces(self, question: str, found: Ranking, added: Set[Span]) -> dict[Span, str]:
        """The best `m` pieces of the best chunks that are not in the question yet, by falling score."""
        keys = found.keys[: self.k_docs]
        grid = cut_pieces(self.store, keys, self.tokenizer, self.piece_tokens, self.stride)
        pieces = [
            (span, text)
            for span, text in grid.items()
            if span not in added and new_terms(question, text) >= self.min_new_terms
        ]
        if not pieces:
            return {}
        vectors = memory_of_pieces(self.embedder.fingerprint).of([text for _, text in pieces], self.embedder, "passage")
        scores = vectors @ self.embedder.embed([question], "query")[0]
        able = np.flatnonzero(scores >= np.quantile(scores, self.quantile))
        rows = able[diverse_rows(scores[able], vectors[able], self.m, self.mmr)]
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        trace.fact("feedback.pieces", [_shown(pieces[row][0], float(scores[row])) for row in rows])
        return dict(pieces[row] for row in rows)

    def _join(self, question: str, pieces: list[str]) -> str:
        """q', cut after `query_tokens` tokens but never within q."""
        expanded = f"{question}\n{' '.join(pieces)}"
        tokens = self.tokenizer.offsets(expanded)
        if len(tokens) > self.query_tokens:
            expanded = expanded[: max(tokens[self.query_tokens - 1][1], len(question))]
        return expanded.strip()

    def _expansions(self, question: str, pieces: list[str]) -> list[str]:
        groups = [pieces] if self.search == "joined" else [[piece] for piece in pieces]
        expanded = [text for group in groups if (text := self._join(question, group)) != question.strip()]
        if self.min_cosine <= -1 or not expanded:
            return expanded
        cosines = self.embedder.embed(expanded, "query") @ self.embedder.embed([question], "query")[0]
        trace.fact("feedback.cosines", [round(float(cosine), 4) for cosine in cosines])
        near = [text for text, cosine in zip(expanded, cosines, strict=True) if cosine >= self.min_cosine]
        if len(near) < len(expanded):
            trace.fallback("feedback.far_from_question", len(expanded) - len(near))
        return near

    def _search(self, expanded: list[str], where: Where, depth: int) -> Ranking:
        found = [self.retriever.retrieve(Query(text, where), depth) for text in expanded]
        return found[0] if len(found) == 1 else rrf(found, [1.0] * len(found), depth)

    def _settle(self, lists: list[Ranking], k: int) -> Ranking:
        first, last = lists[0], lists[-1]
        if len(lists) == 1:
            return first_of(first, k)
        shared = overlap(first, last)
        trace.fact("feedback.overlap", round(shared, 4))
        fuse = self.second_pass == "rrf"  # noqa: S105
        if not self.min_overlap <= shared <= self.max_overlap:
            trace.fallback("feedback.drift")
            if self.on_drift == "first":
                return first_of(first, k)
            fuse = True
        result = rrf(lists, [1.0] * len(lists), max(k, self.depth)) if fuse else last
        result = Ranking(result.keys, result.scores, {**first.found_by, "feedback": by_key(last)})
        if self.keep_first:
            result = anchored_ranking(first, result, self.keep_first)
        result = first_of(result, k)
        return Ranking(result.keys, result.scores, found_by_of(result.found_by, result.keys))


def _shown(span: Span, score: float) -> dict[str, object]:
    return {"doc_id": span.doc_id, "start": span.start, "end": span.end, "score": round(score, 4)}
