"""Group coverage: the share of the wanted answers that the prediction gives.

Where a question wants several answers at once (both sides of an open conflict, the values for two conditions), its gold is a
list of groups; strings of a group are aliases. Coverage is |groups with an alias mentioned| / |groups|. Mentions are by whole
words and numbers (`values.mentioned`). For a question with one group it is containment in that form. What it does not say:
whether wrong values were given too (`hallucination` does).
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.errors import EvaluationError
from decoct_lab.measures.values import mentioned


def group_coverage(prediction: str, groups: Sequence[Sequence[str]]) -> float:
    """In 0..1. Raises `EvaluationError` without groups."""
    if not groups:
        raise EvaluationError("group_coverage needs at least one group of answers; leave the question out and count it")
    found = mentioned({alias for group in groups for alias in group}, prediction)
    return sum(any(alias in found for alias in group) for group in groups) / len(groups)
