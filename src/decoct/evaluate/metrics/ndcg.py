"""nDCG@k (Järvelin and Kekäläinen, 2002), with linear gains as in trec_eval's ndcg_cut.

DCG@k = sum over ranks i ≤ k of grade_i / log2(i + 1); nDCG = DCG / DCG of the best order of all judged items. Without grades
every gold item has grade 1. Negative grades count as 0, unjudged items too.

Edge cases. No item with a positive grade: None. An item twice in the ranking is an error.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from decoct.evaluate.metrics.recall_at_k import first_k


def ndcg_at_k(
    ranking: Sequence[Hashable], gold: Collection[Hashable] | Mapping[Hashable, float], k: int
) -> float | None:
    """In 0..1; `gold` is a collection of items, or grades by item; None without a positive one."""
    grades = (
        {item: max(grade, 0.0) for item, grade in gold.items()}
        if isinstance(gold, Mapping)
        else dict.fromkeys(gold, 1.0)
    )
    best = _dcg(sorted(grades.values(), reverse=True)[:k])
    return _dcg(grades.get(item, 0.0) for item in first_k(ranking, k)) / best if best else None


def _dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
