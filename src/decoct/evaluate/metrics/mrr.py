"""Reciprocal rank at k: 1 / the rank (from 1) of the first gold item among the top k, 0 if there is none; its mean is MRR@k.

Edge cases as in `recall_at_k`: no gold gives None, an item twice is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from decoct.evaluate.metrics.recall_at_k import first_k


def reciprocal_rank(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float | None:
    """In 0..1; None without gold."""
    if not gold:
        return None
    wanted = set(gold)
    return next((1 / rank for rank, item in enumerate(first_k(ranking, k), start=1) if item in wanted), 0.0)
