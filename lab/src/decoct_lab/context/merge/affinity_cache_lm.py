"""NLL(source | anchor) without a model: a cache language model that has read the anchor (after Kuhn and De Mori, 1990).

Ours (lab/docs/methods.md, affinity). Each word of the source is predicted by

    P(w | before, anchor) = .35 bigram(w | before; anchor) + .45 unigram(w; anchor) + .20 background(w)

with the anchor's unigrams smoothed by the background (Dirichlet, mu = 200: passages have a hundred words or so, and what they say must not
be drowned) and the background taken from all passages at hand, one added to each count. The mean over the source's words of -log P
is in nats a word: its own scale, so only its order is comparable with a language model's.

Words are counted once a call; a row is a few array look-ups, so a layer of 20 passages costs about a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_BIGRAM, _UNIGRAM, _BACKGROUND = 0.35, 0.45, 0.20
_MU = 200.0  # what the background weighs in the anchor's unigrams


@dataclass(frozen=True, slots=True)
class CacheLM:
    """An affinity by word counts."""

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        """Mean -log P of a source's words given each anchor; inf for a source or an anchor without words."""
        ids: dict[str, int] = {}
        read = [
            [ids.setdefault(word.casefold(), len(ids)) for word in _WORD.findall(text)] for text in (*sources, *anchors)
        ]
        given, hosts = read[: len(sources)], read[len(sources) :]
        if not ids or not hosts:
            return [[float("inf")] * len(hosts) for _ in given]
        total = np.ones(len(ids))
        for words in read:
            np.add.at(total, words, 1.0)
        common = total / total.sum()
        single = np.zeros((len(hosts), len(ids)))
        for row, words in zip(single, hosts, strict=True):
            np.add.at(row, words, 1.0)
        lengths = single.sum(axis=1, keepdims=True)
        smooth = (single + _MU * common) / (lengths + _MU)
        double = [_bigrams(words) for words in hosts]
        return [self._row(words, common, single, smooth, double) for words in given]

    def _row(
        self,
        words: list[int],
        common: NDArray[np.float64],
        single: NDArray[np.float64],
        smooth: NDArray[np.float64],
        double: Sequence[dict[tuple[int, int], int]],
    ) -> list[float]:
        if not words:
            return [float("inf")] * len(double)
        follows = np.zeros((len(double), len(words)))
        steps = list(pairwise(words))
        for anchor, pairs in enumerate(double):
            for at, step in enumerate(steps, 1):
                if step in pairs:
                    follows[anchor, at] = pairs[step] / single[anchor, step[0]]
        chance = _BIGRAM * follows + _UNIGRAM * smooth[:, words] + _BACKGROUND * common[words]
        values = -np.log(chance).mean(axis=1)
        return [float(value) if single[n].any() else float("inf") for n, value in enumerate(values)]


def _bigrams(words: Sequence[int]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for pair in pairwise(words):
        found[pair] = found.get(pair, 0) + 1
    return found
