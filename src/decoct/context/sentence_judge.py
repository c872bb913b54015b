"""How likely a sentence is evidence: a logistic model over `features`, fitted on public questions.

Fitted by benchmarks/fit_sentences.py on the first half of HotpotQA's public distractor questions (by id), among the top 20 passages of
hybrid retrieval; the other half is what lab/docs/merging.md is measured on. A feature's weight is per unit of the feature as it
is, not normalised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct import trace
from decoct.context.base import JudgedSentences
from decoct.context.quotes import BETWEEN_TITLES
from decoct.data import Floats, Passage
from decoct.embed.base import unknown_language
from decoct.reading.base import PassageReader, Reading, languages_read, log_odds
from decoct.reading.small import SmallReader
from decoct.text.languages import document_language
from decoct.text.names import stands_in, title_without_brackets
from decoct.text.overlap import rarities
from decoct.text.questions import parsed_question
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct.text.words import content_stems

# What can be told of a sentence without a model: how it stands to the question, to its passage, and to the other passages.
#
# A sentence's likeness to the question alone loses evidence, since the second hop shares few words with it. So beside the
# question's words (weighted by how rare they are among the passages at hand) there are the passage's prior (its rank and score), the
# sentence's place in it, and the links: a sentence that names the title of another passage leads there, and a passage that is named
# by a better one is reached that way.
NAMES = (
    "rank", "prior", "sentence_words", "titled_words", "passage_words", "title_asked", "first", "place", "names_other", "named_by_better",
    "first_named", "first_title", "length", "number_wanted", "best_of_passage", "new_words", "names_asked", "prior_words", "prior_first",
)  # fmt: skip
_NUMBER = re.compile(r"\d")
# A title shorter than this is mentioned everywhere by chance.
_SHORTEST_TITLE = 4


def features(question: str, passages: Sequence[Passage]) -> tuple[list[list[Place]], Floats]:
    """The sentences of each passage, and a row of `NAMES` for each sentence, in that order; rank is by the passages' scores."""
    places = [sentences(passage.text) for passage in passages]
    words = [
        [content_stems(passage.text[s:e]) for s, e in found] for passage, found in zip(passages, places, strict=True)
    ]
    asked = content_stems(question)
    # Only what the question asks for can weigh, and that is a few words of a sentence.
    said = [[own & asked for own in passage] for passage in words]
    weight = rarities(sorted(asked), [frozenset[str]().union(*passage) for passage in said])
    ranks = np.argsort(np.argsort([-passage.score for passage in passages], kind="stable")).tolist()
    priors = _priors([passage.score for passage in passages])
    links = _Links(passages, ranks)
    wanted = parsed_question(question)
    names = frozenset(name.casefold() for name in wanted.names)
    number_wanted = wanted.kind in ("time", "number")
    rows: list[list[float]] = []
    for n, passage in enumerate(passages):
        title = content_stems(passage.title)
        titled = title & asked
        title_asked = len(titled) / len(title) if title else 0.0
        whole = _share(titled.union(*said[n]), weight)
        shares = [_share(own, weight) for own in said[n]]
        best, named = max(shares, default=0.0), links.by_better[n]
        for at, (start, end) in enumerate(places[n]):
            text = passage.text[start:end]
            first = float(at == 0)
            rows.append(
                [
                    math.log1p(ranks[n]), priors[n], shares[at], _share(said[n][at] | titled, weight), whole, title_asked, first,
                    math.log1p(at), links.names_other(n, text), named, first * named, first * title_asked, math.log1p(len(words[n][at])),
                    float(number_wanted and bool(_NUMBER.search(text))), float(shares[at] == best),
                    _share(said[n][at] - titled, weight), _named_share(names, text), priors[n] * shares[at], priors[n] * first,
                ]
            )  # fmt: skip
    return places, np.array(rows, np.float32).reshape(len(rows), len(NAMES))


def _share(own: frozenset[str], weight: Mapping[str, float]) -> float:
    return sum([value for word, value in weight.items() if word in own])


def _priors(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _named_share(names: frozenset[str], text: str) -> float:
    folded = text.casefold()
    return sum(name in folded for name in names) / len(names) if names else 0.0


class _Links:
    """Which sentence names which other passage's title; one that is better by rank counts more."""

    def __init__(self, passages: Sequence[Passage], ranks: Sequence[int]) -> None:
        weights = [1 / math.sqrt(1 + rank) for rank in ranks]
        titles = [
            {
                name
                for one in p.title.split(BETWEEN_TITLES)
                if len(name := title_without_brackets(one)) >= _SHORTEST_TITLE
            }
            for p in passages
        ]
        # Few texts hold the title of any other passage, and where a text does not hold it none of its sentences does: for each passage
        # the titles in its text, with the weights of theirs, the best first. Passages under one title do not name each other.
        self._held: list[list[tuple[float, list[str]]]] = []
        # The weight of the best passage whose text names a passage by its title.
        self.by_better = [0.0] * len(passages)
        for own, weight, passage in zip(titles, weights, passages, strict=True):
            held: list[tuple[float, list[str]]] = []
            for n, others in enumerate(titles):
                here = [name for name in others if name in passage.text]
                if here and others != own:
                    held.append((weights[n], here))
                    if weight > self.by_better[n] and _names_one(passage.text, here):
                        self.by_better[n] = weight
            self._held.append(sorted(held, reverse=True))

    def names_other(self, n: int, text: str) -> float:
        """The weight of the best passage that `text`, a sentence of passage `n`, names by its title."""
        return next((weight for weight, titles in self._held[n] if _names_one(text, titles)), 0.0)


def _names_one(text: str, titles: Sequence[str]) -> bool:
    return any(stands_in(title, text) for title in titles)


FEATURES_BIAS = -3.432
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
    return (rows @ _VECTOR + FEATURES_BIAS).astype(np.float32)


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


# How likely a sentence is evidence, by what the small reader makes of its passage beside what its features tell (`sentence_judge`).
#
# The reader sees question and passage together, so it knows a sentence that answers in other words than the question's. Its relevance of
# the sentence and of the passage, and the share of the answer's places that lie in the sentence, count beside the log-odds by features and
# the passage's rank:
#
#     odds(s) = FEATURES * features(s) + SENTENCE * log-odds(s is relevant) + PASSAGE * log-odds(p is relevant) + PLACE * log share(s)
#               + RANK * log(1 + rank(p)) + FIRST / (1 + rank(p)) + BIAS
#
# Fitted by benchmarks/sentence_reading.py on questions about documents that the reader was not trained on, of five public sets;
# lab/docs/context.md tells what a set gains that is left out of the fit. That relevance of sentences comes with the judgement of a passage
# is Chirkova et al. 2025, "Provence: efficient and robust context pruning for retrieval-augmented generation", section 3.
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
