"""Whether a word behind a subject says what is done to it or how it is ("when was the mill built", "is the pool warm"), not what it is.

The ending tells it of regular participles, and of others it is learned: a linear model over the bundled embedder's vector of the word,
fitted by `benchmarks/fit_predicates.py` on 849 words written for it (lab/docs/answer.md).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from decoct.data import Floats
from decoct.embed.minilm import MiniLM
from decoct.text.linear import fitted_weights

WEIGHTS = Path(__file__).with_suffix(".npy")


@lru_cache(maxsize=512)
def is_predicate(word: str) -> bool:
    """Whether the word is likelier a participle or an adjective than a noun; none is that has a capital or a digit."""
    told = word.endswith("ed") or float(predicate_features(word) @ fitted_weights(WEIGHTS)) > 0
    return word.isalpha() and word.islower() and told


def predicate_features(word: str) -> Floats:
    """What the model reads of a word: the embedder's vector and a one."""
    return np.append(MiniLM().embed([word], "query")[0], np.float32(1))
