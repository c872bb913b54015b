"""How well scores tell right from wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def area(scores: Sequence[float], right: Sequence[float]) -> float:
    """The probability that a right claim stands above a wrong one."""
    order, y = np.argsort(np.argsort(scores, kind="stable")), np.asarray(right)
    n = int(y.sum())
    return float((order[y == 1].sum() - n * (n - 1) / 2) / (n * (len(y) - n))) if 0 < n < len(y) else float("nan")
