"""How likely a sentence is evidence: a logistic model over `sentence_features`, fitted on public questions.

Fitted by benchmarks/fit_sentences.py on the first half of HotpotQA's public distractor questions (by id), among the top 20 passages of
hybrid retrieval; the other half is what lab/docs/merging.md is measured on. A feature's weight is per unit of the feature as it
is, not normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.context.base import JudgedSentences
from decoct.context.sentence_features import NAMES, features
from decoct.data import Floats, Passage
from decoct.text.wholes import Place

BIAS = -3.432
WEIGHTS = {
    "rank": -1.329, "prior": 0.897, "sentence_words": 1.426, "titled_words": 2.274, "passage_words": -0.549,
    "title_asked": 0.312, "first": -0.217, "place": -1.127, "names_other": 0.003, "named_by_better": 1.738,
    "first_named": 0.121, "first_title": 0.791, "length": 0.244, "number_wanted": 0.326, "best_of_passage": 0.368,
    "new_words": 2.503, "names_asked": 0.255, "prior_words": -0.070, "prior_first": -0.642,
}  # fmt: skip
_VECTOR = np.array([WEIGHTS[name] for name in NAMES], np.float32)


def judged(question: str, passages: Sequence[Passage]) -> JudgedSentences:
    """The sentences of each passage, and the chance of each that it is evidence, in 0..1."""
    places, rows = features(question, passages)
    return places, chances_by_passage(places, log_odds_of(rows))


def log_odds_of(rows: Floats) -> Floats:
    """The log-odds that sentences are evidence, by their features (shape: sentences, `NAMES`)."""
    return (rows @ _VECTOR + BIAS).astype(np.float32)


def chances_by_passage(places: Sequence[Sequence[Place]], odds: Floats) -> list[Floats]:
    """Log-odds of all sentences, one after the other, as the chances of each passage's."""
    cuts = np.cumsum([len(found) for found in places])[:-1]
    chances = 1 / (1 + np.exp(-odds))
    return [part.astype(np.float32) for part in np.split(chances, cuts)] if places else []


@dataclass(frozen=True, slots=True)
class ByFeatures:
    """A `SentenceJudge` that reads nothing: `judged`."""

    def judged(self, question: str, passages: Sequence[Passage]) -> JudgedSentences:
        """The sentences of each passage, and the chance of each that it is evidence."""
        return judged(question, passages)
