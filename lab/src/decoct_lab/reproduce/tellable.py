"""Statistics of reproductions alone: how orders and measures agree, the interval of a share, the smallest difference that can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from decoct.errors import EvaluationError
from decoct.evaluate.report.page import library

# Between which measures correlations are taken.
ANSWERS = ("judge", "token_f1", "accuracy", "exact_match", "word_accuracy", "group_coverage")
EVIDENCE = (
    "evidence_recall", "evidence_precision", "evidence_f1", "chunk_recall", "chunk_precision", "chunk_f1", "passage_recall",
    "all_gold", "answer_in_context",
)  # fmt: skip


def can_test() -> bool:
    """Whether scipy is installed (the extra `evaluate`), which these statistics need."""
    return find_spec("scipy") is not None


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


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share; (0, 1) for n = 0, about which nothing is known."""
    if not 0 <= successes <= n:
        raise EvaluationError(f"{successes} of {n} is not a share")
    if n == 0:
        return 0.0, 1.0
    share = library("scipy.stats", "an interval of a share").binomtest(successes, n)
    low, high = share.proportion_ci(confidence, method="wilson")
    return float(low), float(high)


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's r; None for fewer than three points or where one side does not vary."""
    if len(x) < 3 or min(np.ptp(x), np.ptp(y)) < 1e-9:
        return None
    return float(library("scipy.stats", "a correlation").pearsonr(x, y).statistic)


def correlations(quality: Sequence[Mapping[str, Any]], metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Pearson's r between the mean of each context measure and that of each answer measure (Tables 1 and 2 of the recall-oriented paper).

    Over the budgets of each system; and over all systems and budgets at once, which the paper does not show.
    """
    means = {(row["system"], row["budget"], row["metric"]): row["mean"] for row in quality if row["mean"] is not None}
    systems = list(dict.fromkeys(row["system"] for row in quality))
    found = []
    for answer in (name for name in ANSWERS if name in metrics):
        for measure in (name for name in EVIDENCE if name in metrics):
            points = [
                (s, means[s, b, measure], means[s, b, answer])
                for s, b, m in means
                if m == answer and (s, b, measure) in means
            ]
            for system in [*systems, "all"]:
                part = [(x, y) for s, x, y in points if system in ("all", s)]
                r = pearson([x for x, _ in part], [y for _, y in part])
                if r is not None:
                    found.append(
                        {"answer": answer, "measure": measure, "system": system, "points": len(part), "r": round(r, 3)}
                    )
    return found
