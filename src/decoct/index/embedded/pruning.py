"""BM25's best chunks with the frequent words of a question read from columns in place of their postings (`frequent`).

MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995) in two passes:

1. tantivy ranks chunks by the question's rarer words alone, more of them than are wanted. Of a chunk it asks that it has one of the
   rarest (`needed`); the others (`optional`) are looked up in these chunks only, where that is cheaper than to read their postings.
2. To each of these the frequent words are added, by the counts in its columns, in tantivy's own arithmetic (`lexical` has the formula).

A word adds less than its idf * (k1 + 1). A chunk that the first pass did not return has either a needed word, and then at most the score of
the last that was returned; or none, and then at most the sum of the optional ones. From the frequent words both have at most the sum of
theirs. Where all that is below the k-th best of the second pass, nothing is missed and the ranking is the one that every posting would have
given. Where it is not, more are asked for, and then the caller reads every posting.

Which words may be optional is told beforehand by a floor: `k` chunks with the rarest words, scored by these and the frequent ones, have at
least that score, so the k-th best has.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys
from decoct.index.embedded.frequent import FrequentWords

K1, B, HALF = np.float32(1.2), np.float32(0.75), np.float32(0.5)

# What the words left to the second pass may add together: more words are left with a higher bound, and more chunks must be looked at. Of
# 2 to 3.5 the least mean time over 50 questions at a million chunks (synthetic texts).
MOST_ADDED = 2.5

# Chunks of the first pass, for each that is wanted: at first, by what the frequent words may add (enough for nine of ten questions), and
# where they were too few.
FETCHED, FETCHED_AGAIN = (1.5, 1.4), 20

# Scores this near are not told apart (they are rounded): the bound must hold by more.
NEAR = 1e-4

# What a posting costs in nanoseconds: read to rank by all words (with the blocks that tantivy skips), or of a needed word, and how much
# more for each optional word that is looked up in its chunk; and what the floor costs. Measured over 40 questions at a million chunks.
RANKED, NEEDED, SOUGHT, FLOOR = 11, 25, 30, 100_000

# The floor is that of chunks with the rarest words, so many that they have this many postings for each chunk wanted.
RAREST = 4

# As many words are optional at most: each is a query around the others.
MOST_OPTIONAL = 12

# tantivy's query for chunks with any of the first words, scored by the second ones as well.
Wanted = Callable[[Sequence[str], Sequence[str]], Any]
# Keys and their scores, in no order.
Candidates = tuple[Keys, Floats]
# Where tantivy found chunks, and their scores.
Hits = list[tuple[float, Any]]


@dataclass(frozen=True, slots=True)
class Division:
    """The rarer words of a question, each as often as it was asked: a chunk must have one of the `needed`.

    `without` is what the `optional` ones add at most to a chunk that has none of these.
    """

    needed: list[str]
    optional: list[str]
    without: float


class Pruning:
    """The second pass over one state of an index. Thread-safe: what it remembers is the same whoever works it out."""

    def __init__(self, searcher: Any, frequent: FrequentWords) -> None:  # noqa: ANN401 - tantivy's types are not ours to name
        self._searcher = searcher
        self._frequent = frequent
        self._weights: dict[str, float] = {}
        self._statistics: tuple[int, float] | None = None

    def candidates(self, words: Sequence[str], k: int, query: Wanted) -> Candidates | None:
        """Chunks with their scores, among them the `k` best and all that tie with the last of these; None if that cannot be proved.

        `query` puts the question's filters into what it makes.
        """
        if self._statistics is None:
            self._statistics = reckoned(self._searcher, words, query)
        if self._statistics is None:
            return None
        asked = Counter(words)
        left, most = self._left(asked)
        rarer = Counter({word: count for word, count in asked.items() if word not in left})
        if not rarer:
            return None
        division = self._division(asked, rarer, most, k, query)
        if not left and not division.optional:
            return None
        wanted = query(division.needed, division.optional)
        for fetched in (ceil(k * (FETCHED[0] + FETCHED[1] * most)), k * FETCHED_AGAIN):
            hits = self._searcher.search(wanted, fetched, count=False).hits
            scores = self._added(hits, left) if len(hits) >= k else None
            if scores is None:
                return None
            last = np.partition(scores, len(hits) - k)[len(hits) - k]
            unseen = hits[-1][0] if len(hits) == fetched else 0.0
            if max(unseen, division.without) + most + NEAR < last:
                near = np.flatnonzero(scores > last - NEAR).tolist()
                return self._column("key", [hits[at][1] for at in near]), scores[near]
        return None

    def _division(self, asked: Counter[str], rarer: Counter[str], most: float, k: int, query: Wanted) -> Division:
        """As few needed words as the floor allows, if that is cheaper than all of them; frequent words besides add `most`."""
        known = sorted((self._searcher.doc_freq("text", word), word) for word in rarer)
        words = [word for _, word in known]
        postings = list(accumulate(count for count, _ in known))
        costs = [read * (NEEDED + SOUGHT * (len(words) - at)) for at, read in enumerate(postings, 1)]
        dearest = RANKED * postings[-1]
        if min(costs[:-1], default=dearest) + FLOOR < dearest:
            floor = self._floor(asked, words[: bisect_left(postings, RAREST * k) + 1], k, query)
            bounds = [self._weight(word) * rarer[word] for word in words]
            others = [sum(bounds[at:]) for at in range(len(words))]
            proper = range(max(1, len(words) - MOST_OPTIONAL), len(words))
            safe = [at for at in proper if others[at] + most + NEAR < floor and costs[at - 1] < dearest]
            if safe:
                at = min(safe, key=lambda at: costs[at - 1])
                return Division(_repeated(words[:at], rarer), _repeated(words[at:], rarer), others[at])
        return Division(_repeated(words, rarer), [], 0.0)

    def _floor(self, asked: Counter[str], few: list[str], k: int, query: Wanted) -> float:
        """A score that the `k`-th best chunk has at least: the k-th by these `few` words and the frequent ones, of the best by the few."""
        hits = self._searcher.search(query(_repeated(few, asked), ()), k, count=False).hits
        frequent = asked.keys() & self._frequent.places.keys() - set(few)
        weights = {word: self._weight(word) * asked[word] for word in sorted(frequent)}
        scores = self._added(hits, weights) if len(hits) == k else None
        return 0.0 if scores is None else float(scores.min())

    def _left(self, asked: Counter[str]) -> tuple[dict[str, float], float]:
        """The words for the second pass with their weights, and what these add at most."""
        found: dict[str, float] = {}
        most = 0.0
        known = [(self._weight(word) * count, word) for word, count in asked.items() if word in self._frequent.places]
        for weight, word in sorted(known):
            if most + weight > MOST_ADDED:
                break
            found[word], most = weight, most + weight
        return found, most

    def _weight(self, word: str) -> float:
        """What the word adds to a score at most."""
        weight = self._weights.get(word)
        if weight is None:
            chunks, _ = self._statistics or (0, 0.0)
            held = self._searcher.doc_freq("text", word)
            odds = (np.float32(chunks - held) + HALF) / (np.float32(held) + HALF)
            weight = float(np.log(np.float32(1) + odds) * (np.float32(1) + K1))
            if word in self._frequent.places:
                self._weights[word] = weight
        return weight

    def _added(self, hits: Hits, left: dict[str, float]) -> Floats | None:
        """The scores of the hits by all words; None where a count is too large for its column."""
        _, mean = self._statistics or (0, 1.0)
        found, at = zip(*hits, strict=True)
        scores: Floats = np.array(found, dtype=np.float32)
        norms = K1 * (1 - B + B * self._column("length", at).astype(np.float32) / np.float32(mean))
        columns: dict[int, NDArray[np.int64]] = {}
        for word, weight in left.items():
            column, _, _ = self._frequent.places[word]
            if column not in columns:
                columns[column] = self._column(self._frequent.columns[column], at)
            counts, exact = self._frequent.counts(word, columns[column])
            if not exact:
                return None
            held = counts.astype(np.float32)
            scores += np.float32(weight) * (held / (held + norms))
        return scores

    def _column(self, name: str, at: Sequence[Any]) -> NDArray[np.int64]:
        return np.array(self._searcher.fast_field_values(name, at), dtype=np.int64)


def reckoned(searcher: Any, words: Sequence[str], query: Wanted) -> tuple[int, float] | None:  # noqa: ANN401
    """The number of chunks and their mean length that tantivy reckons with; None where no chunk has any of the words."""
    for word in words:
        asked = query([word], ())
        if hits := searcher.search(asked, 1, count=False).hits:
            told = dict(_explained_values(json.loads(asked.explain(searcher, hits[0][1]).to_json())))
            return int(told["N"]), told["avgdl"]
    return None


def _repeated(words: Sequence[str], counted: Counter[str]) -> list[str]:
    return [word for word in words for _ in range(counted[word])]


def _explained_values(explained: dict[str, Any]) -> list[tuple[str, float]]:
    """The named values of tantivy's explanation (`N`, `n`, `avgdl`, `dl` …)."""
    found = [(str(explained["description"]).split(",")[0], float(explained["value"]))]
    for part in explained.get("details") or ():
        found += _explained_values(part)
    return found
