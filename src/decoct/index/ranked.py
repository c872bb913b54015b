"""Rows of keys and scores, best first, as a ranking: what stores on servers hand out of a search by words or by vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoct.data import Ranking


def ranking_of(rows: Sequence[tuple[int, float]]) -> Ranking:
    """The rows in their order."""
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    return Ranking(keys, np.array([score for _, score in rows], dtype=np.float32))
