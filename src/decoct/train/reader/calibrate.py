"""Platt scaling of the heads on held-back examples: logits become probabilities that mean what they say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoct.reading.small import Calibration
from decoct.train.reader.measure import Judged


def calibrations(rows: Sequence[Judged]) -> dict[str, Calibration]:
    """Slopes and offsets for `answers`, `relevance` and `evidence`, each set of data counting the same (Platt, 1999)."""
    answers = [(r.answers, bool(r.example.answers), r.example.origin) for r in rows if r.example.answers is not None]
    relevance = [
        (r.relevance, bool(r.example.relevance), r.example.origin) for r in rows if r.example.relevance is not None
    ]
    evidence = [
        (logit, label[2], r.example.origin)
        for r in rows
        for logit, label in zip(r.sentences, r.example.sentences, strict=False)
    ]
    return {"answers": platt(answers), "relevance": platt(relevance), "evidence": platt(evidence)}


def platt(rows: Sequence[tuple[float, bool, str]], rounds: int = 60) -> Calibration:
    """The logistic regression of label on logit by Newton's method; every origin, and in it both labels, weigh the same."""
    logits = np.asarray([row[0] for row in rows])
    labels = np.asarray([row[1] for row in rows], dtype=float)
    groups: dict[tuple[str, bool], int] = {}
    for _, label, origin in rows:
        groups[origin, label] = groups.get((origin, label), 0) + 1
    weights = np.asarray([1 / groups[origin, label] for _, label, origin in rows])
    design = np.stack([logits, np.ones_like(logits)], axis=1)
    given = np.array([1.0, 0.0])
    for _ in range(rounds):
        said = 1 / (1 + np.exp(-design @ given))
        slope = design.T @ (weights * (said - labels)) + 1e-3 * (given - [1.0, 0.0])
        bend = (design * (weights * said * (1 - said))[:, None]).T @ design + 1e-3 * np.eye(2)
        given = given - np.linalg.solve(bend, slope)
    return Calibration(round(float(given[0]), 4), round(float(given[1]), 4))
