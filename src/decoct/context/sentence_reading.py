"""How likely a sentence is evidence, by what the small reader makes of its passage beside what its features tell (`sentence_judge`).

The reader sees question and passage together, so it knows a sentence that answers in other words than the question's. Its relevance of the
sentence and of the passage, and the share of the answer's places that lie in the sentence, count beside the log-odds by features and the
passage's rank:

    odds(s) = FEATURES * features(s) + SENTENCE * log-odds(s is relevant) + PASSAGE * log-odds(p is relevant) + PLACE * log share(s)
              + RANK * log(1 + rank(p)) + FIRST / (1 + rank(p)) + BIAS

Fitted by benchmarks/sentence_reading.py on questions about documents that the reader was not trained on, of five public sets;
lab/docs/context.md tells what a set gains that is left out of the fit. That relevance of sentences comes with the judgement of a passage is
Chirkova et al. 2025, "Provence: efficient and robust context pruning for retrieval-augmented generation", section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct import trace
from decoct.context.base import JudgedSentences
from decoct.context.sentence_features import NAMES, features
from decoct.context.sentence_judge import chances_by_passage, judged, log_odds_of
from decoct.data import Floats, Passage
from decoct.embed.tongues import unknown_language
from decoct.reading.base import PassageReader, Reading, languages_read, log_odds
from decoct.reading.small import SmallReader
from decoct.text.languages import document_language
from decoct.text.wholes import Place

FEATURES, SENTENCE, PASSAGE, PLACE, RANK, FIRST, BIAS = 0.268, 0.327, 0.253, 0.170, -0.997, -0.440, -0.570
_RANK = NAMES.index("rank")
_LEAST = -9.0  # log-odds and log shares below it say no more


@dataclass(frozen=True, slots=True)
class ByReading:
    """A `SentenceJudge` that reads every passage once.

    Where the question or a passage is in a language that the reader does not know, features alone decide (counted as the fallback
    `sentences.language`).
    """

    reader: PassageReader = field(default_factory=SmallReader)

    def judged(self, question: str, passages: Sequence[Passage]) -> JudgedSentences:
        """The sentences of each passage, and the chance of each that it is evidence."""
        if not self._can_read(question, passages):
            trace.fallback("sentences.language")
            return judged(question, passages)
        places, rows = features(question, passages)
        readings = self.reader.read(question, passages)
        trace.count(read=len(readings))
        return places, chances_by_passage(places, _weighed(signals(places, rows, readings)))

    def _can_read(self, question: str, passages: Sequence[Passage]) -> bool:
        known = languages_read(self.reader)
        return known is None or (
            unknown_language(question, known) is None
            and all(document_language(passage.text) in known for passage in passages)
        )


def signals(places: Sequence[Sequence[Place]], rows: Floats, readings: Sequence[Reading]) -> Floats:
    """What is weighed, a row a sentence: log-odds by features, of the sentence, of the passage, log share of places, rank terms."""
    read = [
        (_relevance(reading, place), _bounded(log_odds(reading.relevance)), _log_share(reading, place))
        for reading, found in zip(readings, places, strict=True)
        for place in found
    ]
    rank = rows[:, _RANK]
    return np.column_stack([log_odds_of(rows), np.array(read, np.float32).reshape(-1, 3), rank, np.exp(-rank)]).astype(
        np.float32
    )


def _weighed(rows: Floats) -> Floats:
    weights = np.array([FEATURES, SENTENCE, PASSAGE, PLACE, RANK, FIRST], np.float32)
    return (rows @ weights + BIAS).astype(np.float32)


def _relevance(reading: Reading, place: Place) -> float:
    """The log-odds of the most relevant of the reader's sentences that the place touches."""
    touched = [one.relevance for one in reading.sentences if one.start < place[1] and place[0] < one.end]
    return _bounded(log_odds(max(touched, default=0.0)))


def _log_share(reading: Reading, place: Place) -> float:
    """The log share of the answer's places inside the sentence; of a reader that tells none, the best score of the spans inside."""
    if reading.places is not None:
        return max(reading.places.log_share(*place), _LEAST)
    inside = [span.score for span in reading.spans if place[0] <= span.start and span.end <= place[1]]
    return max(float(np.log(max(inside, default=0.0) + 1e-9)), _LEAST)


def _bounded(odds: float) -> float:
    return min(max(odds, _LEAST), -_LEAST)
