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

The paper's numbers are `k_docs` 5 and `piece_tokens` 50. `depth` is how much of each list is looked at, for fusing and for what a reranker
takes. `windows` says that the method is meant for chunks that overlap, as the paper's do (`--chunker fixed`): over others it works too, and
counts `feedback.other_windows`. Ours, each off unless set: fusing the lists (`second_pass = "rrf"`) and the drift guards (see `guards`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, cast

import numpy as np

from decoct import trace
from decoct.budget import SupportsOffsets
from decoct.data import Keys, Query, Ranking, Span
from decoct.embed.base import Embedder
from decoct.embed.remember import Memory
from decoct.errors import CorpusError
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.fusion import rrf
from decoct.retrieve.ranking import by_key, first_of, found_by_of

# Guards against drift: feedback that leads away from the question instead of to its next step.
#
# Shallow feedback with the question weighing most works best (Li et al., arXiv 2108.11044); what these guards have in common is that they
# fall back on the list found without feedback. Each is an option of a feedback retriever and is off there unless it is set.
#
# Results compared to see whether the second list went elsewhere: about what a reader gets to see.
COMPARED = 10


def overlap(first: Ranking, second: Ranking) -> float:
    """The share of the first list's best 10 that are among the second's best 10 (1 if the first is empty)."""
    best = set(first.keys[:COMPARED].tolist())
    return len(best & set(second.keys[:COMPARED].tolist())) / len(best) if best else 1.0


def anchored_ranking(first: Ranking, second: Ranking, n: int) -> Ranking:
    """`second` with the best `n` of `first` put before all others, in their order; their scores are just above its best."""
    anchors = first.keys[:n]
    rest = ~np.isin(second.keys, anchors)
    top = second.scores.max(initial=np.float32(0))
    scores = []
    for _ in anchors:
        top = np.nextafter(top, np.float32(np.inf))
        scores.append(top)
    keys = np.concatenate([anchors, second.keys[rest]])
    found_by = {
        who: {**first.found_by.get(who, {}), **second.found_by.get(who, {})}
        for who in {**first.found_by, **second.found_by}
    }
    return Ranking(
        keys, np.concatenate([np.array(scores[::-1], np.float32), second.scores[rest]]), found_by_of(found_by, keys)
    )


# Feedback pieces: documents cut on their own grid of `size` tokens.
#
# The grid starts at the document's first token, not at each chunk's: chunks overlap, and a grid of each chunk's own would cut the same
# sentences twice at different places. So a piece has one identity, (document, start), however many chunks led to it, and other questions
# that are led to the same document meet the same pieces: their vectors are remembered.
MOST = 20_000
"""Remembered vectors: 30 MB of 384 numbers each. Embedding its pieces is most of what feedback costs a question."""


@cache
def memory_of_pieces(fingerprint: str) -> Memory:
    """The vectors of one embedder's pieces, for every feedback of this process: the grid is the document's, whatever the chunker."""
    return Memory(MOST)


def cut_pieces(store: Store, keys: Keys, tokenizer: SupportsOffsets, size: int) -> dict[Span, str]:
    """The pieces that share a character with one of the chunks, and their texts.

    Documents come in the order of `keys`, pieces in text order, none twice.
    """
    spans: dict[str, list[Span]] = {}
    for chunk in store.chunks(keys):
        spans.setdefault(chunk.span.doc_id, []).append(chunk.span)
    pieces = {}
    for doc_id, wanted in spans.items():
        try:
            text = store.document(doc_id).text
        except CorpusError:  # another process has deleted it since it was found
            trace.fallback("feedback.document_gone")
            continue
        for start, end in _grid_of(cast("Hashable", tokenizer), text, size):
            if any(start < span.end and span.start < end for span in wanted):
                pieces[Span(doc_id, start, end)] = text[start:end]
    return pieces


@lru_cache(
    maxsize=32
)  # documents, as many as a question is led to; tokenising a novel takes longer than searching a million chunks
def _grid_of(tokenizer: Hashable, text: str, size: int) -> list[tuple[int, int]]:
    return grid(cast("SupportsOffsets", tokenizer).offsets(text), size)


def grid(tokens: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Character ranges of `size` tokens each, side by side; the last may be shorter."""
    return [(tokens[at][0], tokens[min(at + size, len(tokens)) - 1][1]) for at in range(0, len(tokens), size)]


@dataclass(frozen=True, slots=True)
class Feedback:
    """Searches again with the question and the best pieces of what it found.

    Guards: where the last list holds less than `min_overlap` of the first list's ten, the first is the result; the first list's best
    `keep_first` stay on top.
    """

    retriever: Retriever
    store: Store
    embedder: Embedder
    tokenizer: SupportsOffsets
    k_docs: int = 5
    m: int = 1
    piece_tokens: int = 50
    query_tokens: int = (
        254  # the default embedder reads 256, two of them its own marks; give 8000 or so for a hosted one
    )
    passes: int = 1
    second_pass: Literal["replace", "rrf"] = "replace"  # noqa: S105 - no password
    depth: int = 100
    min_overlap: float = 0.0
    keep_first: int = 0
    windows: bool = False

    def __post_init__(self) -> None:
        if min(self.k_docs, self.m, self.piece_tokens, self.passes) < 1:
            raise ValueError("k_docs, m, piece_tokens and passes must be at least 1")

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` has the first pass's scores and, as "feedback", the last pass's."""
        with trace.stage("feedback"):
            depth = max(k, self.k_docs, self.depth)
            lists = [self.retriever.retrieve(query, depth)]
            if self.windows and not self._in_windows(lists[0]):
                trace.fallback("feedback.other_windows")
            question, added = query.text, set[Span]()
            for _ in range(self.passes):
                found = self._best_pieces(question, lists[-1], added)
                added.update(found)
                expanded = self._expanded(question, list(found.values()))
                if expanded == question.strip():
                    trace.fallback("feedback.nothing_to_add")
                    break
                lists.append(self.retriever.retrieve(Query(expanded, query.where), depth))
                question = expanded
            return self._settle(lists, k)

    def _in_windows(self, found: Ranking) -> bool:
        """Whether chunks overlap the next of their document, told by the first document found that has two."""
        places = self.store.places(found.keys[: self.k_docs])
        for doc_id in dict.fromkeys(place.doc_id for place in places if place is not None):
            pair = self.store.chunks(self.store.chunk_keys(doc_id)[:2])
            if len(pair) == 2:
                return pair[1].span.start < pair[0].span.end
        return True

    def _best_pieces(self, question: str, found: Ranking, added: Set[Span]) -> dict[Span, str]:
        """The best `m` pieces of the best chunks that are not in the question yet, by falling score."""
        keys = found.keys[: self.k_docs]
        grid = cut_pieces(self.store, keys, self.tokenizer, self.piece_tokens)
        pieces = [(span, text) for span, text in grid.items() if span not in added]
        if not pieces:
            return {}
        vectors = memory_of_pieces(self.embedder.fingerprint).of([text for _, text in pieces], self.embedder, "passage")
        scores = vectors @ self.embedder.embed([question], "query")[0]
        rows = np.argsort(-scores, kind="stable")[: self.m]
        trace.fact("feedback.pieces", [_shown(pieces[row][0], float(scores[row])) for row in rows])
        return dict(pieces[row] for row in rows)

    def _expanded(self, question: str, pieces: list[str]) -> str:
        """q', cut after `query_tokens` tokens but never within q."""
        expanded = f"{question}\n{' '.join(pieces)}"
        tokens = self.tokenizer.offsets(expanded)
        if len(tokens) > self.query_tokens:
            expanded = expanded[: max(tokens[self.query_tokens - 1][1], len(question))]
        return expanded.strip()

    def _settle(self, lists: list[Ranking], k: int) -> Ranking:
        first, last = lists[0], lists[-1]
        if len(lists) == 1:
            return first_of(first, k)
        shared = overlap(first, last)
        trace.fact("feedback.overlap", round(shared, 4))
        if shared < self.min_overlap:
            trace.fallback("feedback.drift")
            return first_of(first, k)
        result = last
        if self.second_pass == "rrf":  # noqa: S105
            result = rrf(lists, [1.0] * len(lists), max(k, self.depth))
        result = Ranking(result.keys, result.scores, {**first.found_by, "feedback": by_key(last)})
        if self.keep_first:
            result = anchored_ranking(first, result, self.keep_first)
        result = first_of(result, k)
        return Ranking(result.keys, result.scores, found_by_of(result.found_by, result.keys))


def _shown(span: Span, score: float) -> dict[str, object]:
    return {"doc_id": span.doc_id, "start": span.start, "end": span.end, "score": round(score, 4)}
