"""Whether a question that leaves its verb out asks for yes or no ("dogs allowed in the ring?") or for a thing ("parking fee per day?").

Nothing of its grammar tells it, so it is learned: a linear model over its words and its pairs of neighbouring words, hashed (Weinberger et
al. 2009, "Feature Hashing for Large Scale Multitask Learning"), fitted by `benchmarks/fit_elliptical.py` on questions written for other
ends (lab/docs/reader.md). Of other languages than English it knows no word, and tells none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from decoct.text.linear import fitted_weights, hashed_places

ASKS = re.compile(r"^\W*(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
"""A question word at the beginning."""
WEIGHTS = Path(__file__).with_suffix(".npy")
"""A float16 each for `SIZE` places of features, and the offset."""
SIZE = 8192
BAR = 1.5
"""The log-odds from which a question asks for yes or no: a wrong word of them is worse than passages."""
_LONGEST = 500  # characters
_MARKS = ".,;:!?()[]\"“”'‘’-–—"


def is_elliptical(question: str) -> bool:
    """Whether it ends with a question mark and has no question word."""
    return question.rstrip().endswith("?") and not any(map(ASKS.match, question.split()))


def asks_of_predicate(question: str) -> bool:
    """Whether an elliptical question asks if something holds."""
    weights = fitted_weights(WEIGHTS)
    return float(weights[elliptical_features(question)].sum() + weights[SIZE]) > BAR


def elliptical_features(question: str) -> list[int]:
    """The places of its words and of its pairs of words, each once; a number is a number, and a mark begins a clause."""
    return hashed_places(_spoken(question), SIZE)


def _spoken(question: str) -> Iterator[str]:
    before = "^"
    for piece in question[:_LONGEST].lower().split():
        bare = piece.strip(_MARKS)
        word = "0" if bare[:1].isdigit() else bare.replace("’", "'")
        if word:
            yield word
            yield f"{before} {word}"
            before = word
        if before != "^" and piece[-1] in _MARKS:
            yield f"{before} ^"
            before = "^"
