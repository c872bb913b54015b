"""Whether a difference between two systems on the same questions is more than chance, and saying so in plain words.

- Paired bootstrap (Efron and Tibshirani, 1993): questions are drawn with replacement B times; the interval is the percentile
  interval of the mean difference, p the share of resamples of the centred differences whose mean is at least as far from 0 as
  the observed (two-sided, with the observed one counted: (1 + #) / (1 + B)). Where few distinct differences exist, their
  counts are drawn from the multinomial distribution instead: the same resampling, faster.
- McNemar's exact test for right/wrong scores: of the questions on which the systems differ, is the split b : c as from a fair
  coin? p = min(1, 2 P(X ≤ min(b, c))), X ~ Binomial(b + c, 1/2). The interval of the difference is Bonett and Price's
  (2012), d ± z sqrt((p + q - d²) / (n + 2)) with p = (b + 1) / (n + 2), q = (c + 1) / (n + 2), d = p - q: it counts that another
  sample would differ on other questions too, and is not empty where none differed.
- Holm's step-down correction for many comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from decoct.errors import EvaluationError

CONFIDENCE = 0.95
BLOCK = 500_000
"""Scores drawn at once: 4 MB, so that memory does not grow with resamples × questions."""
FEW = 16
"""With so few distinct differences (3 for right/wrong scores) their counts are drawn instead of the questions: 100 times faster."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` against `b` on the same n questions: means, a - b with its interval, p, and p corrected for the family it is in."""

    a: str
    b: str
    n: int
    mean_a: float
    mean_b: float
    low: float
    high: float
    p: float
    test: str
    corrected: float | None = None

    @property
    def difference(self) -> float:
        """Mean of a minus mean of b."""
        return self.mean_a - self.mean_b

    @property
    def significant(self) -> bool:
        """Whether the (corrected) p is below 1 - `CONFIDENCE`."""
        return (self.p if self.corrected is None else self.corrected) < 1 - CONFIDENCE

    def verdict(self) -> str:
        """One sentence: which is better and by how many points (hundredths), or that it is within noise."""
        size = f"{100 * self.difference:+.1f} points ({CONFIDENCE:.0%} interval {100 * self.low:+.1f} to {100 * self.high:+.1f}"
        p = f"p = {self.p:.2g}" if self.corrected is None else f"p = {self.corrected:.2g} after Holm"
        facts = f"{size}, {p}, n = {self.n}, {self.test})"
        if self.difference == 0 and self.low == self.high == 0:
            return f"{self.a} and {self.b} score the same on every question (n = {self.n})"
        if not self.significant:
            return f"{self.a} against {self.b}: within noise: {facts}"
        better, worse = (self.a, self.b) if self.difference > 0 else (self.b, self.a)
        return f"{better} is better than {worse}: {self.a} - {self.b} = {facts}"


def paired_bootstrap(
    a: Sequence[float],
    b: Sequence[float],
    *,
    names: tuple[str, str] = ("a", "b"),
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare scores question by question; `a[i]` and `b[i]` belong to the same question. Same seed, same result."""
    x, y = _paired(a, b, names)
    difference = x - y
    means = _resampled_means(difference, resamples, seed)
    centre = float(difference.mean())
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    # 1e-12: equal means must count as "at least as far" whatever the order of summation.
    extreme = int(np.count_nonzero(np.abs(means - centre) >= abs(centre) - 1e-12))
    p = (1 + extreme) / (1 + resamples)
    return Comparison(*names, len(x), float(x.mean()), float(y.mean()), float(low), float(high), p, "paired bootstrap")


def _resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    n = len(values)
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= FEW:
        drawn = rng.multinomial(n, counts / n, size=resamples)
        return np.asarray(drawn @ distinct / n)
    step = max(1, BLOCK // n)
    blocks = [
        values[rng.integers(0, n, size=(min(step, resamples - start), n), dtype=np.int32)].mean(axis=1)
        for start in range(0, resamples, step)
    ]
    return np.concatenate(blocks)


def mcnemar(a: Sequence[float], b: Sequence[float], *, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """Exact test for scores that are 0 or 1 (anything else is an `EvaluationError`).

    The interval is Bonett and Price's; near p = .05 it may include 0 where the exact test does not, and the other way round.
    """
    x, y = _paired(a, b, names)
    if not np.isin(x, (0, 1)).all() or not np.isin(y, (0, 1)).all():
        raise EvaluationError("McNemar's test takes right/wrong scores (0 or 1); use paired_bootstrap for others")
    n = len(x)
    only_a, only_b = int(np.sum((x == 1) & (y == 0))), int(np.sum((x == 0) & (y == 1)))
    differ = only_a + only_b
    tail = sum(comb(differ, k) for k in range(min(only_a, only_b) + 1))
    p = min(1.0, 2 * tail / 2**differ)
    difference = (only_a - only_b) / (n + 2)
    spread = sqrt(((only_a + only_b + 2) / (n + 2) - difference**2) / (n + 2))
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * spread
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return Comparison(*names, n, float(x.mean()), float(y.mean()), low, high, p, "exact McNemar")


def holm(p_values: Sequence[float]) -> list[float]:
    """The corrected p-values, in the order given."""
    order = np.argsort(p_values, kind="stable")
    times = np.arange(len(order), 0, -1)  # the smallest counts for all of them, the next for all but one …
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(np.asarray(p_values, np.float64)[order] * times), 1.0)
    return [float(p) for p in corrected]


def compare(scores: Mapping[str, Sequence[float]], baseline: str) -> list[Comparison]:
    """Every other system against `baseline`, p corrected over all of them; right/wrong scores get McNemar's test, others the bootstrap."""
    if baseline not in scores:
        raise EvaluationError(f"the baseline {baseline!r} is none of the systems: {', '.join(scores)}")
    base = scores[baseline]
    made = []
    for name, values in scores.items():
        if name == baseline:
            continue
        test = mcnemar if {*values, *base} <= {0, 1} else paired_bootstrap
        made.append(test(values, base, names=(name, baseline)))
    return [replace(c, corrected=p) for c, p in zip(made, holm([c.p for c in made]), strict=True)]


def _paired(
    a: Sequence[float], b: Sequence[float], names: tuple[str, str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(x) != len(y):
        raise EvaluationError(
            f"{names[0]} has {len(x)} scores and {names[1]} {len(y)}: compare on the questions that both answered"
        )
    if not len(x):
        raise EvaluationError("there is no question to compare on")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise EvaluationError(
            "a score is not a number: leave out the questions a measure does not apply to, for both systems"
        )
    return x, y
