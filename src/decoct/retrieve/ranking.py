"""What every retriever does with scores: put chunks in order, bring scores of different lists onto one scale, keep who found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from decoct.data import Floats, Keys, Ranking
from decoct.index.base import Mask

FoundBy = Mapping[str, Mapping[int, float]]

EMPTY = Ranking(np.empty(0, np.int64), np.empty(0, np.float32))


def ranked(keys: Keys, scores: Floats, k: int, found_by: FoundBy) -> Ranking:
    """The best `k` of the chunks, ties by key; `found_by` is cut down to them."""
    scores = scores.astype(np.float32)
    best = np.lexsort((keys, -scores))[: max(k, 0)]
    return Ranking(keys[best], scores[best], found_by_of(found_by, keys[best]))


def found_by_of(found_by: FoundBy, keys: Keys) -> dict[str, dict[int, float]]:
    """`found_by` for these chunks only; retrievers that found none of them are left out."""
    wanted: list[int] = keys.tolist()
    narrowed = {who: {key: scores[key] for key in wanted if key in scores} for who, scores in found_by.items()}
    return {who: scores for who, scores in narrowed.items() if scores}


def by_key(ranking: Ranking) -> dict[int, float]:
    """The ranking's scores by chunk."""
    return dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True))


def first_of(ranking: Ranking, k: int) -> Ranking:
    """The first `k` of a ranking."""
    if len(ranking) <= k:
        return ranking
    keys = ranking.keys[: max(k, 0)]
    return Ranking(keys, ranking.scores[: len(keys)], found_by_of(ranking.found_by, keys))


def continued(head: Ranking, lists: Sequence[Ranking], depth: int, k: int, found_by: FoundBy) -> Ranking:
    """The best `k` of `head`, which was worked out of the first `depth` chunks of each of `lists`, and under it what stands deeper.

    The deeper ones follow by their best place in any list, with scores that say how far beyond `depth` that is (-1, -2 …): so no place
    depends on how many are asked for. `head` must have no negative score; `found_by` tells of all chunks.
    """
    if k <= len(head):
        return first_of(head, k)
    seen = set(head.keys.tolist())
    places: dict[int, int] = {}
    for ranking in lists:
        for beyond, key in enumerate(ranking.keys[depth:].tolist(), start=1):
            if key not in seen:
                places[key] = min(beyond, places.get(key, beyond))
    below = sorted(places.items(), key=lambda item: (item[1], item[0]))[: k - len(head)]
    keys = np.concatenate([head.keys, np.array([key for key, _ in below], np.int64)])
    scores = np.concatenate([head.scores, np.array([-place for _, place in below], np.float32)])
    return Ranking(keys, scores, found_by_of(found_by, keys))


def min_max(scores: Floats) -> Floats:
    """Scores moved onto 0 to 1. Where all are equal each is 1: they were found, and none is worse than the best."""
    if len(scores) == 0:
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def places(keys: Keys, scores: Floats) -> Keys:
    """For each chunk how many stand before it, ties by key."""
    found = np.empty(len(keys), np.int64)
    found[np.lexsort((keys, -scores))] = np.arange(len(keys))
    return found


def better_places(one: Keys, other: Keys, head: int, stretch: float = 1.0) -> Floats:
    """The better of two places of each chunk; the first `head` of `one` stand before all (below 0). Two chunks may share a place.

    Behind the head a place of `one` counts as `stretch` times as far back: with 1.5 two chunks come by `one` for three by `other`.
    """
    return np.where(one < head, one - head, np.minimum(stretch * one, other))


def dealt(scores: Floats, order: Keys) -> Floats:
    """The scores dealt out anew: the highest to the chunk that stands first in `order`."""
    given = np.empty_like(scores)
    given[order] = np.sort(scores)[::-1]
    return given


FIRST = 5  # chunks that are looked at first


def with_kept(order: Keys, kept: Mask) -> Keys:
    """An order in which those that are `kept` (at most `FIRST`), a row a chunk, stand among the first `FIRST`; all else stays in turn."""
    own = kept[order]
    first = own | (np.cumsum(~own) <= FIRST - own.sum()) & ~own
    return np.concatenate([order[first], order[~first]])


def under(scores: Floats) -> Floats:
    """The scores of what was not judged, falling as they did, under all that was: the first gets -1."""
    return scores - scores[:1] - 1 if len(scores) else scores
