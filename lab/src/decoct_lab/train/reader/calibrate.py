"""Platt scaling of the heads on held-back examples: logits become probabilities that mean what they say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from decoct.reading.small import Calibration
from decoct_lab.train.reader.measure import Judged, auc

_RIGHT, _ENOUGH = 0.8, 20  # share of verdicts that must be right, of how many at the least
_TELLS = 0.6  # area under the curve


def calibrations(rows: Sequence[Judged]) -> dict[str, Calibration]:
    """Slopes and offsets for `answers`, `relevance` and `evidence`, each set of data counting the same (Platt, 1999)."""
    answers = [(r.answers, bool(r.example.answers), r.example.origin) for r in rows if r.example.answers is not None]
    relevance = [
        (r.relevance, bool(r.example.relevance), r.example.origin) for r in rows if r.example.relevance is not None
    ]
    evidence = [(logit, label, r.example.origin) for r in rows for logit, label in r.sentences]
    verdicts = [(r.margin, r.verdict == r.example.verdict) for r in rows if r.example.verdict is not None]
    return {
        "answers": platt(answers), "relevance": platt(relevance), "evidence": platt(evidence), "verdict": believed(verdicts),
    }  # fmt: skip


def believed(rows: Sequence[tuple[float, bool]]) -> Calibration:
    """From which margin on verdicts are to be believed: the least from which `_RIGHT` of at least `_ENOUGH` were right; else never."""
    ordered = sorted(rows, reverse=True)
    right = 0
    least: float | None = None
    for number, (margin, was_right) in enumerate(ordered, 1):
        right += was_right
        if number >= _ENOUGH and right >= _RIGHT * number:
            least = margin
    return Calibration(0.0, -1.0) if least is None else Calibration(1.0, round(-least, 4))


def platt(rows: Sequence[tuple[float, bool, str]], rounds: int = 60) -> Calibration:
    """The logistic regression of label on logit by Newton's method; every origin, and in it both labels, weigh the same.

    A step that makes the fit worse is halved until it does not. An origin whose labels the logits cannot tell apart (area under the curve
    below .6) is left out: its labels are of another question, and would only flatten the curve.
    """
    told = {origin for origin in {row[2] for row in rows} if _told_apart([row for row in rows if row[2] == origin])}
    rows = [row for row in rows if row[2] in told]
    logits = np.asarray([row[0] for row in rows])
    labels = np.asarray([row[1] for row in rows], dtype=float)
    groups: dict[tuple[str, bool], int] = {}
    for _, label, origin in rows:
        groups[origin, label] = groups.get((origin, label), 0) + 1
    weights = np.asarray([1 / groups[origin, label] for _, label, origin in rows])
    design = np.stack([logits, np.ones_like(logits)], axis=1)
    prior = np.array([1.0, 0.0])

    def cost(at: NDArray[np.float64]) -> float:
        value = design @ at
        return float((weights * (np.logaddexp(0, value) - labels * value)).sum() + 0.05 * ((at - prior) ** 2).sum())

    given = prior
    for _ in range(rounds):
        said = 1 / (1 + np.exp(-np.clip(design @ given, -40, 40)))
        slope = design.T @ (weights * (said - labels)) + 0.1 * (given - prior)
        bend = (design * (weights * said * (1 - said))[:, None]).T @ design + 0.1 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        while cost(given - step) > cost(given) and float(np.abs(step).max()) > 1e-9:
            step = step / 2
        given = given - step
    return Calibration(round(float(given[0]), 4), round(float(given[1]), 4))


def _told_apart(rows: Sequence[tuple[float, bool, str]]) -> bool:
    area = auc([row[0] for row in rows], [row[1] for row in rows])
    return area is not None and area >= _TELLS
