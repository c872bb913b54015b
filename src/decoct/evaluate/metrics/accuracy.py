"""Accuracy by containment: 1 if the prediction contains a gold answer, else 0 (MergeRAG's Acc; HotpotQA-style "cover EM").

`accuracy` is the papers' form: the normalised answer is a substring of the normalised prediction. It finds "no" in "know" and "5 mg" in
"15 mg". `word_accuracy` asks for whole words in a row and is the one to use for yes/no, numbers and short names. Both reward a prediction
that lists everything: read them beside exact match and the answer's length.

Edge cases. An answer that normalises to nothing matches nothing (the empty string is in every string).
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.errors import EvaluationError
from decoct.evaluate.metrics.normalise import normalise


def accuracy(prediction: str, answers: Sequence[str]) -> float:
    """1.0 or 0.0 by substring. Raises `EvaluationError` without gold answers."""
    return float(contains(normalise(prediction), _given(answers)))


def word_accuracy(prediction: str, answers: Sequence[str]) -> float:
    """1.0 or 0.0 by whole words in a row. Raises `EvaluationError` without gold answers."""
    return float(contains(f" {normalise(prediction)} ", _given(answers), whole_words=True))


def contains(text: str, answers: Sequence[str], *, whole_words: bool = False) -> bool:
    """Whether normalised `text` (with outer blanks, for whole words) contains one of `answers`."""
    golds = [gold for gold in map(normalise, answers) if gold]
    return any((f" {gold} " if whole_words else gold) in text for gold in golds)


def _given(answers: Sequence[str]) -> Sequence[str]:
    if not answers:
        raise EvaluationError("accuracy needs at least one gold answer; leave the question out and count it")
    return answers
