"""Guards against drift: feedback that leads away from the question instead of to its next step.

Shallow feedback with the question weighing most works best (Li et al., arXiv 2108.11044); what these guards have in common is that they
fall back on the list found without feedback. Each is an option of a feedback retriever and is off there unless it is set.
"""

from __future__ import annotations

import numpy as np

from decoct.data import Ranking
from decoct.retrieve.ranking import found_by_of

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
