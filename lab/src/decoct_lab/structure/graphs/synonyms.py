"""Edges between names that mean the same: those whose vectors are near, as HippoRAG 2 and PropRAG have them.

Names of more than two letters or digits; cosine at least `least`; at most `most` a name, nearest first. Up to `EXACT` names all pairs are
compared, beyond that a name is compared with those of its neighbourhood (faiss IVF), which misses a few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from decoct.data import Floats
from decoct_lab.structure.graphs.catalogue import Numbers

EXACT = 60_000
_BLOCK = 2_048
_LETTERS = re.compile(r"[\W_]+")


def synonyms(
    names: Sequence[str], vectors: Floats, least: float, most: int, tell: Callable[[str, int, int], None]
) -> tuple[Numbers, Numbers, Floats]:
    """Pairs (a, b) with a < b and their cosines."""
    import faiss

    wide = np.array([len(_LETTERS.sub("", name)) > 2 for name in names], bool)
    able = np.flatnonzero(wide).astype(np.int32)
    if len(able) < 2 or most < 1:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
    rows = np.ascontiguousarray(vectors[able], np.float32)
    index: Any = faiss.IndexFlatIP(rows.shape[1])
    if len(able) > EXACT:
        index = faiss.IndexIVFFlat(index, rows.shape[1], int(4 * np.sqrt(len(able))), faiss.METRIC_INNER_PRODUCT)
        index.train(rows[:: max(1, len(able) // 100_000)])
        index.nprobe = 8
    index.add(rows)
    found: dict[tuple[int, int], float] = {}
    for at in range(0, len(able), _BLOCK):
        tell("names that mean the same", at, len(able))
        scores, near = index.search(rows[at : at + _BLOCK], min(most + 1, len(able)))
        here, place = np.nonzero((scores >= least) & (near >= 0))
        for row, column in zip(here.tolist(), place.tolist(), strict=True):
            a, b = int(able[at + row]), int(able[near[row, column]])
            if a != b:
                found[min(a, b), max(a, b)] = float(scores[row, column])
    pairs = sorted(found)
    return (
        np.array([a for a, _ in pairs], np.int32),
        np.array([b for _, b in pairs], np.int32),
        np.array([found[pair] for pair in pairs], np.float32),
    )
