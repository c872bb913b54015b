"""Whether a question leans on what was spoken of: "what is the default?" does, "why is the sea salty?" names its own thing.

Both are as short, and neither has a pronoun or a name, so it is learned: a linear model over the bundled embedder's vector and the number
of words with meaning, fitted by `benchmarks/fit_leaning.py` on 590 questions written for it (lab/docs/answer.md).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from decoct.data import Floats
from decoct.embed.minilm import MiniLM
from decoct.reading.base import logistic
from decoct.text.linear import fitted_weights
from decoct.text.words import is_stop, words

WEIGHTS = Path(__file__).with_suffix(".npy")
LEANS = 0.6  # what is completed falsely costs more than what is not
LEANS_SOMEWHAT = 0.2  # on what a writer told of themselves, where nothing was asked yet
_MOST = 8  # words with meaning that are told apart


@lru_cache(maxsize=512)
def leaning(question: str) -> float:
    """The probability that the question says too little to be asked by itself."""
    return logistic(float(leaning_features(question) @ fitted_weights(WEIGHTS)))


def leaning_features(question: str) -> Floats:
    """What the model reads of a question: the embedder's vector, the number of words with meaning, and a one."""
    told = question.strip(" ?.!").lower()
    meaning = sum(not is_stop(word) for word in words(told))
    (vector,) = MiniLM().embed([told], "query")
    return np.append(vector, np.array([min(meaning, _MOST) / 4, 1], dtype=np.float32))
