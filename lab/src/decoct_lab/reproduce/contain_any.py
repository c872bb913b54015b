"""The multi-hop measure of question compression, which that paper prints as F1 (it is not: lab/docs/methods.md, Question compression).

Several answers are drawn for a question (3, at temperature 0.5). One is right when every word of the first gold answer occurs in it, as
words, in any order; the question is right when any of them is. `contain_first` looks at the first draw alone. Never put it in one table
with token F1.

Edge cases. No draws: 0. A gold answer without words after normalisation: None, it can be neither contained nor missed.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.answers import tokens


def contain_any(predictions: Sequence[str], answers: Sequence[str]) -> float | None:
    """1.0 if any draw holds all words of `answers[0]`, else 0.0."""
    if not answers:
        raise EvaluationError("contain_any needs a gold answer; leave the question out and count it")
    wanted = set(tokens(answers[0]))
    if not wanted:
        return None
    return float(any(wanted <= set(tokens(prediction)) for prediction in predictions))


def contain_first(predictions: Sequence[str], answers: Sequence[str]) -> float | None:
    """`contain_any` of the first draw."""
    return contain_any(predictions[:1], answers)
