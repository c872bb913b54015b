"""Answer in context: 1 if the rendered context contains a gold answer in normal form, by whole words in a row, else 0.

The cheapest sign that a reader could answer. It needs no gold passage, and it works on rewritten text. What it does not say:
that the answer stands there as the answer (a year may stand anywhere).

Edge cases. None where no gold answer can be looked up: none given, or only yes, no, maybe and the like, which are never found
as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from decoct.evaluate.metrics.accuracy import contains
from decoct.evaluate.metrics.normalise import normalise

VERDICTS = frozenset({"yes", "no", "maybe", "unanswerable", "noanswer", "true", "false"})
"""Answers that are judgements on the evidence, not words of it."""


def answer_in_context(context: str, answers: Sequence[str]) -> float | None:
    """1.0 or 0.0 for the rendered text of a context; None if no answer can be looked up."""
    usable = [answer for answer in answers if normalise(answer) and normalise(answer) not in VERDICTS]
    return float(contains(f" {_normal(context)} ", usable, whole_words=True)) if usable else None


def _normal(context: str) -> str:
    """`normalise(context)`, line by line: nothing of it looks beyond a line, and contexts of one question share most of theirs."""
    return " ".join(line for line in map(_normal_line, context.split("\n")) if line)


_normal_line = lru_cache(maxsize=4096)(normalise)  # the lines of a question's contexts, a few MB
