"""Statistics of reproductions alone: how two orders agree, and the smallest difference that so many questions would tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoct.evaluate.extra import library


def kendall(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's tau-b of two orders of the same things; 0 where one of them ties all."""
    if len(set(one)) < 2 or len(set(other)) < 2:
        return 0.0
    return float(library("scipy.stats", "a rank correlation").kendalltau(one, other).statistic)


def least_tellable_difference(
    differences: Sequence[float], *, confidence: float = 0.95, power: float = 0.8
) -> float | None:
    """The smallest mean difference that so many questions, which differ among each other as these do, would tell with `power`.

    None for fewer than three, and where none differs from the others: of such a sample nothing is known about its noise.
    """
    if len(differences) < 3 or np.ptp(differences) < 1e-12:
        return None
    what, n = "the smallest difference that can be told", len(differences)
    told, shifted = library("scipy.stats", what).t(n - 1), library("scipy.stats", what).nct
    beyond = told.isf((1 - confidence) / 2)

    def lacking(effect: float) -> float:
        """How far the power of the two-sided t test of `effect` standard deviations is from the one asked for."""
        shift = effect * n**0.5
        other = np.nan_to_num(
            shifted.cdf(-beyond, n - 1, shift)
        )  # scipy gives no number where this tail is as good as empty
        return float(shifted.sf(beyond, n - 1, shift) + other) - power

    most = n**-0.5
    while lacking(most) < 0:
        most *= 2
    effect = library("scipy.optimize", what).brentq(lacking, 0, most)
    return float(effect) * float(np.std(differences, ddof=1))
