"""BM25's best chunks with the frequent words of a question read from columns in place of their postings (`frequent`).

MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995) in two passes:

1. tantivy ranks chunks by the question's rarer words alone, more of them than are wanted.
2. To each of these the frequent words are added, by the counts in its columns, in tantivy's own arithmetic (`lexical` has the formula).

A word adds less than its idf * (k1 + 1). A chunk that the first pass did not return has at most the score of the last that it returned from
the rarer words, and from the frequent ones at most the sum of theirs: where that is below the k-th best of the second pass, nothing is
missed and the ranking is the one that every posting would have given. Where it is not, more are asked for, and then the caller reads
every posting.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats, Keys
from decoct.index.embedded.frequent import FrequentWords

K1, B, HALF = np.float32(1.2), np.float32(0.75), np.float32(0.5)

# What the words left to the second pass may add together: more words are left with a higher bound, and more chunks must be looked at. Of
# 2 to 3.5 the least mean time over 50 questions at a million chunks (synthetic texts).
MOST_ADDED = 2.5

# Chunks of the first pass, for each that is wanted: at first, and where they were too few.
FETCHED = (5, 20)

# Scores this near are not told apart (they are rounded): the bound must hold by more.
NEAR = 1e-4

# Keys and their scores, in no order.
Candidates = tuple[Keys, Floats]
# Where tantivy found chunks, and their scores.
Hits = list[tuple[float, Any]]


class Pruning:
    """The second pass over one state of an index. Thread-safe: what it remembers is the same whoever works it out."""

    def __init__(self, searcher: Any, frequent: FrequentWords) -> None:  # noqa: ANN401 - tantivy's types are not ours to name
        self._searcher = searcher
        self._frequent = frequent
        self._weights: dict[str, float] = {}
        self._statistics: tuple[int, float] | None = None

    def candidates(self, words: Sequence[str], k: int, query: Callable[[list[str]], Any]) -> Candidates | None:
        """Chunks with their scores, among them the `k` best and all that tie with the last of these; None if that cannot be proved.

        `query` makes tantivy's query for some of the `words`, with the question's filters.
        """
        if self._statistics is None and not self._learned(words, query):
            return None
        left, most = self._left(Counter(words))
        rarer = [word for word in words if word not in left]
        if not left or not rarer:
            return None
        for times in FETCHED:
            hits = self._searcher.search(query(rarer), times * k, count=False).hits
            scores = self._added(hits, left) if len(hits) >= k else None
            if scores is None:
                return None
            last = np.partition(scores, len(hits) - k)[len(hits) - k]
            unseen = hits[-1][0] if len(hits) == times * k else 0.0
            if unseen + most + NEAR < last:
                near = np.flatnonzero(scores > last - NEAR).tolist()
                return self._column("key", [hits[at][1] for at in near]), scores[near]
        return None

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
            weight = self._weights[word] = float(np.log(np.float32(1) + odds) * (np.float32(1) + K1))
        return weight

    def _learned(self, words: Sequence[str], query: Callable[[list[str]], Any]) -> bool:
        """Have tantivy tell the number of chunks and their mean length that it reckons with; False where no chunk has any of the words."""
        for word in words:
            asked = query([word])
            if hits := self._searcher.search(asked, 1, count=False).hits:
                told = dict(_explained_values(json.loads(asked.explain(self._searcher, hits[0][1]).to_json())))
                self._statistics = int(told["N"]), told["avgdl"]
                return True
        return False

    def _added(self, hits: Hits, left: dict[str, float]) -> Floats | None:
        """The scores of the hits by all words; None where a count is too large for its column."""
        _, mean = self._statistics or (0, 1.0)
        scores: Floats = np.array([score for score, _ in hits], dtype=np.float32)
        at = [address for _, address in hits]
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

    def _column(self, name: str, at: list[Any]) -> NDArray[np.int64]:
        return np.array(self._searcher.fast_field_values(name, at), dtype=np.int64)


def _explained_values(explained: dict[str, Any]) -> list[tuple[str, float]]:
    """The named values of tantivy's explanation (`N`, `n`, `avgdl`, `dl` …)."""
    found = [(str(explained["description"]).split(",")[0], float(explained["value"]))]
    for part in explained.get("details") or ():
        found += _explained_values(part)
    return found
