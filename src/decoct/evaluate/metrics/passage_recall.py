"""Passage recall at a budget: the share of the gold passages that the context holds at least half of, in tokens; and all_gold.

A gold passage is present when at least `share` (default one half) of its tokens are among the context's source
tokens. `all_gold` is 1 when every gold passage is present: what a multi-hop question needs. Unlike recall@k it sees what
packing, merging and pruning left.

Edge cases. No gold passage: None. A passage of which no token exists (blank text) cannot be gold: loaders refuse it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from decoct.data import Span
from decoct.evaluate.metrics.token_map import TokenMap, overlap, size


def passage_recall(
    context: Iterable[Span], passages: Sequence[Span], tokens: TokenMap, share: float = 0.5
) -> float | None:
    """Share of `passages` (the gold ones, whole, as spans) that are present; None without any."""
    if not passages:
        return None
    shown = tokens.ranges(context)
    return sum(_present(passage, shown, tokens, share) for passage in passages) / len(passages)


def all_gold(context: Iterable[Span], passages: Sequence[Span], tokens: TokenMap, share: float = 0.5) -> float | None:
    """1.0 if every gold passage is present, else 0.0; None without any."""
    recall = passage_recall(context, passages, tokens, share)
    return None if recall is None else float(recall == 1.0)


def _present(passage: Span, shown: dict[str, list[tuple[int, int]]], tokens: TokenMap, share: float) -> bool:
    wanted = tokens.ranges([passage])
    return overlap(shown, wanted) >= share * size(wanted) > 0
