"""Recall@k and hit@k of a ranking: R@k = |top k ∩ G| / |G|, hit@k = 1 if the top k hold any of G, all_gold@k = 1 if they hold all.

Items are document ids (passage recall) or chunk spans (chunk recall, with G the chunks that overlap gold:
`chunks_with_gold`). A ranking of chunks is turned into one of documents by `without_repeats`, keeping each document's best
rank; question compression's "Acc@k" is hit@k on documents.

Edge cases. G empty: None. Fewer than k items: all of them. An item twice in the ranking is an error (it would take two places).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from decoct.data import Span
from decoct.errors import EvaluationError

Item = TypeVar("Item", bound=Hashable)


def without_repeats(items: Iterable[Item]) -> list[Item]:
    """`items` in order, each at its first place only."""
    return list(dict.fromkeys(items))


def recall_at_k(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """Share of `gold` among the first `k`; None without gold."""
    wanted = set(gold)
    return len(wanted & set(first_k(ranking, k))) / len(wanted) if wanted else None


def hit_at_k(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """1.0 if one of `gold` is among the first `k`; None without gold."""
    return float(bool(set(gold) & set(first_k(ranking, k)))) if gold else None


def all_gold_at_k(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """1.0 if all of `gold` is among the first `k`; None without gold. With |gold| > k it cannot be reached."""
    return float(set(gold) <= set(first_k(ranking, k))) if gold else None


def first_k(ranking: Sequence[Item], k: int) -> Sequence[Item]:
    """The first `k`; refuses k < 1 and a ranking that names an item twice."""
    if k < 1:
        raise EvaluationError(f"k must be at least 1, not {k}")
    if len(set(ranking)) < len(ranking):
        raise EvaluationError("a ranking names an item twice; reduce chunks to documents with unique() first")
    return ranking[:k]


def chunks_with_gold(chunks: Iterable[Span], gold: Iterable[Span]) -> set[Span]:
    """The chunks that overlap a gold span."""
    wanted = by_document(gold)
    return {chunk for chunk in chunks if any(map(chunk.overlaps, wanted.get(chunk.doc_id, ())))}


def by_document(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """The spans of each document, in their order."""
    grouped: dict[str, list[Span]] = {}
    for span in spans:
        grouped.setdefault(span.doc_id, []).append(span)
    return grouped


# Reciprocal rank at k: 1 / the rank (from 1) of the first gold item among the top k, 0 if there is none; its mean is MRR@k.
#
# Edge cases as in `recall_at_k`: no gold gives None, an item twice is an error.
def reciprocal_rank(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """In 0..1; None without gold."""
    if not gold:
        return None
    wanted = set(gold)
    return next((1 / rank for rank, item in enumerate(first_k(ranking, k), start=1) if item in wanted), 0.0)


# nDCG@k (Järvelin and Kekäläinen, 2002), every gold item with the gain 1.
#
# DCG@k = sum over the ranks i ≤ k of gold items of 1 / log2(i + 1); nDCG = DCG / DCG of the best order.
#
# Edge cases. No gold: None. An item twice in the ranking is an error.
def ndcg_at_k(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """In 0..1; None without gold."""
    wanted = set(gold)
    found = [item in wanted for item in first_k(ranking, k)]
    return _dcg(found) / _dcg([True] * min(len(wanted), k)) if wanted else None


def _dcg(found: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, there in enumerate(found, start=1) if there)
