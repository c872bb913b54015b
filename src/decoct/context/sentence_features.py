"""What can be told of a sentence without a model: how it stands to the question, to its passage, and to the other passages.

A sentence's likeness to the question alone loses evidence, since the second hop shares few words with it. So beside the
question's words (weighted by how rare they are among the passages at hand) there are the passage's prior (its rank and score), the
sentence's place in it, and the links: a sentence that names the title of another passage leads there, and a passage that is named
by a better one is reached that way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from decoct.context.ranges import BETWEEN_TITLES
from decoct.data import Floats, Passage
from decoct.text.names import stands_in, title_without_brackets
from decoct.text.overlap import rarities
from decoct.text.questions import parsed_question
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct.text.words import content_stems

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
    ranks = _ranks([passage.score for passage in passages])
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
        best, named = max(shares, default=0.0), links.named_by_better(n)
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


def _ranks(scores: Sequence[float]) -> list[int]:
    ranks = [0] * len(scores)
    for rank, n in enumerate(sorted(range(len(scores)), key=lambda n: (-scores[n], n))):
        ranks[n] = rank
    return ranks


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
        self._by_better = [0.0] * len(passages)
        for own, weight, passage in zip(titles, weights, passages, strict=True):
            held: list[tuple[float, list[str]]] = []
            for n, others in enumerate(titles):
                here = [name for name in others if name in passage.text]
                if here and others != own:
                    held.append((weights[n], here))
                    if weight > self._by_better[n] and _names_one(passage.text, here):
                        self._by_better[n] = weight
            self._held.append(sorted(held, reverse=True))

    def names_other(self, n: int, text: str) -> float:
        """The weight of the best passage that `text`, a sentence of passage `n`, names by its title."""
        return next((weight for weight, titles in self._held[n] if _names_one(text, titles)), 0.0)

    def named_by_better(self, n: int) -> float:
        """The weight of the best passage whose text names passage `n` by its title."""
        return self._by_better[n]


def _names_one(text: str, titles: Sequence[str]) -> bool:
    return any(stands_in(title, text) for title in titles)
