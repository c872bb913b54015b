"""How candidates and the links between them become scores, in arrays alone: what `links` ranks by, and what its numbers are chosen with.

`LinkWeights` are chosen by `benchmarks/fit_fusion.py`, which leaves each set out once; see there and `links` for the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys
from decoct.retrieve.link_edges import Edges
from decoct.retrieve.ranking import better_places, dealt, places
from decoct.structure.traits import covered_share

HEAD = 8  # so many chunks stand by their score alone


@dataclass(frozen=True, slots=True)
class LinkWeights:
    """The shares of the formulas of `links`."""

    cosine: float = 6.9
    words: float = 8.1
    named: float = 1.5
    residual: float = 10.5
    joint: float = 6.4
    credit: float = 14.2
    lift: float = 0.14


WEIGHTS = LinkWeights()


class Candidacy(Protocol):
    """What is known of each candidate, as `link_candidates` has it: arrays over `keys`, ascending; `weights` over the question's stems."""

    keys: Keys
    cosine: Floats
    words: Floats
    named: Floats
    covered: NDArray[np.bool_]
    weights: Floats


def direct_scores(found: Candidacy, weights: LinkWeights = WEIGHTS) -> Floats:
    """How directly each candidate answers."""
    scores: Floats = weights.cosine * found.cosine + weights.words * found.words + weights.named * found.named
    return scores


def linked_scores(found: Candidacy, links: Edges, weights: LinkWeights = WEIGHTS) -> tuple[Floats, dict[int, float]]:
    """The scores, and for each chunk that links brought nearer the weight of its best bridge; links end at candidates."""
    source, target = np.searchsorted(found.keys, links.sources), np.searchsorted(found.keys, links.targets)
    covered = found.covered
    both = covered_share(covered[target] | covered[source], found.weights)
    bridge = (
        links.weights
        + weights.residual * (both - covered_share(covered[source], found.weights))
        + weights.joint * both
        - weights.credit * found.words[target]
    )
    leaving, leading = np.zeros((2, len(found.keys)), dtype=np.float32)
    np.maximum.at(leaving, source, bridge)
    np.maximum.at(leading, target, bridge)
    first = direct_scores(found, weights) + weights.lift * leaving
    gap = first.max() - first
    nearer = (gap > 0) & (leading > 0)
    scores = first.copy()
    scores[nearer] += gap[nearer] * (leading[nearer] / (gap[nearer] + leading[nearer]))
    # Rounding may close a narrow gap altogether; the best chunk stays alone in front.
    scores[nearer] = np.minimum(scores[nearer], np.nextafter(first.max(), np.float32(-np.inf)))
    linked = np.flatnonzero(nearer)
    return scores, dict(zip(found.keys[linked].tolist(), leading[linked].tolist(), strict=True))


def by_better_place(found: Candidacy, scores: Floats, weights: LinkWeights = WEIGHTS) -> Floats:
    """The scores dealt out anew, so that behind the first `HEAD` a chunk stands by the better of its places by score and by directness."""
    by_score, by_direct = places(found.keys, scores), places(found.keys, direct_scores(found, weights))
    return dealt(scores, np.lexsort((by_direct, better_places(by_score, by_direct, HEAD))))
