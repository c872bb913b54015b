"""Whether a turn asks for anything: "it works now, thanks" and "merci" do not; "still blinking red" and "and for children" do.

What asks need not look like a question, and what does not ask has no words of its own, so it is learned: a linear model over the bundled
embedder's vector and hashed pieces of words (3 to 5 letters, pairs of words: Joulin et al. 2017, Bag of Tricks for Efficient Text
Classification), fitted by `benchmarks/fit_asking.py` on 1,133 turns written for it in eight languages (lab/docs/answer.md). It judges no
question mark, no question word at the beginning, no code, no English turn with a name, and nothing longer than a few sentences.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from decoct.data import Floats
from decoct.embed.minilm import MiniLM
from decoct.reading.base import logistic
from decoct.text.identifiers import identifiers
from decoct.text.languages import asked_in
from decoct.text.linear import fitted_weights, hashed_places
from decoct.text.unasked import ASKS, without_assent

WEIGHTS = Path(__file__).with_suffix(".npy")
_SURE = 0.8  # a question that is declined costs more than thanks that are looked up
_LONGEST = 30  # words
_BUCKETS = 4_096
_PIECES = (3, 4, 5)  # letters
_SHARE = 1.5  # the length of the vector of pieces beside the embedder's, which is 1
_NAME = re.compile(r"(?<=\s)(?<![.!?]\s)(?!I\b)[A-Z]")  # a capital within a sentence
_PART = re.compile(r"\w+|[^\w\s]")


@lru_cache(maxsize=512)
def asks_nothing(turn: str) -> bool:
    """Whether the turn surely asks for nothing of the documents."""
    told = without_assent(turn)
    if "?" in turn or ASKS.match(told) or identifiers(told) or len(told.split()) > _LONGEST:
        return False
    if _NAME.search(told) and asked_in(turn) in (None, "en"):
        return False
    return logistic(float(asking_features(turn) @ fitted_weights(WEIGHTS))) > _SURE


def asking_features(turn: str) -> Floats:
    """What the model reads of a turn: the embedder's vector, the hashed pieces, and a one."""
    words = _PART.findall(turn.lower())
    held = {" ".join(pair) for pair in pairwise(["^", *words, "$"])}
    held |= {f"<{word}>"[at : at + size] for word in words for size in _PIECES for at in range(len(word) + 3 - size)}
    pieces = np.zeros(_BUCKETS, dtype=np.float32)
    pieces[hashed_places(held, _BUCKETS)] = 1
    pieces *= _SHARE / max(1.0, float(np.sqrt(pieces.sum())))
    (vector,) = MiniLM().embed([turn], "query")
    return np.concatenate([vector, pieces, np.ones(1, dtype=np.float32)])
