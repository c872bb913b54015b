"""How likely a candidate is what its document says on the question: two linear models whose weights `calibration.json` holds.

`rank` orders the candidates of one piece, `claim` gives the probability that the best one answers this very question. Both are fitted by
`python benchmarks/fit_conflicts.py` on passages that the reader was not trained on, and fitted again whenever the reader changes.
Readers that give no places (a language model, the nearest sentence) have weights of their own ("spans"): their scores mean something else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from decoct.context.casc.candidates import Candidate, Read, in_words, sentence_at, support_elsewhere
from decoct.context.casc.focus import Focus
from decoct.data import Floats
from decoct.reading.base import log_odds
from decoct.text.words import content_stems

RANK = ("likely", "exact", "agreeing", "evidence", "shared", "in_words", "spoken")
"""What is known of a candidate; `spoken` is the share of the question's words in its sentence."""
CLAIM = (*RANK, "margin", "answers", "relevance", "held")
"""With it: how far it is ahead of the next value, and of its piece: whether it answers, is evidence, and holds the question's
words."""
_FLOOR = -20.0
_UNLIKELY = 0.1  # a reader that gives neither more for answering nor for evidence, of a text without a word of the question, read nothing


@dataclass(frozen=True, slots=True)
class Weights:
    """One linear model over `RANK` and one over `CLAIM` with its offset."""

    rank: Floats
    claim: Floats
    offset: float

    def ranked(self, rows: Floats) -> Floats:
        """The score of each row of `RANK`."""
        scores: Floats = rows @ self.rank
        return scores

    def probability(self, row: Floats) -> float:
        """The probability of a claim with this row of `CLAIM`."""
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, float(row @ self.claim) + self.offset))))


@cache
def calibration() -> Mapping[str, Any]:
    """What `calibration.json` holds."""
    found: Mapping[str, Any] = json.loads(
        resources.files("decoct.context.casc").joinpath("calibration.json").read_text("utf-8")
    )
    return found


@cache
def weights_of(kind: str) -> Weights:
    """The weights for readers with "places" or with "spans" alone."""
    table = calibration()["weights"][kind]
    return Weights(
        np.asarray([table["rank"][name] for name in RANK], dtype=np.float32),
        np.asarray([table["claim"][name] for name in CLAIM], dtype=np.float32),
        float(table["claim"]["offset"]),
    )


def thresholds() -> Mapping[str, float]:
    """From which probability on a claim is "heard", "differs", is "sure" and "settles"."""
    found: Mapping[str, float] = calibration()["thresholds"]
    return found


class Weighing:
    """The candidates of all pieces of one question beside one another."""

    def __init__(self, reads: Sequence[Read], found: Sequence[Sequence[Candidate]], focus: Focus) -> None:
        self._reads, self._found = reads, found
        self._words = content_stems(focus.text)

    def rows(self, at: int) -> Floats:
        """The rows of `RANK` of piece `at`, one a candidate."""
        made = [self._row(at, candidate) for candidate in self._found[at]]
        return np.asarray(made, dtype=np.float32).reshape(-1, len(RANK))

    def _row(self, at: int, c: Candidate) -> tuple[float, ...]:
        sentence = sentence_at(c.read, c.value.start)
        return (
            max(c.likely, _FLOOR),
            max(c.exact, _FLOOR),
            support_elsewhere(self._found, at, c),
            log_odds(sentence.relevance),
            c.shared,
            float(in_words(c.value)),
            self._share(c.read.text[sentence.start : sentence.end]),
        )

    def document(self, at: int) -> tuple[float, ...]:
        """What is known of piece `at` itself: the end of `CLAIM`."""
        read = self._reads[at]
        return (
            log_odds(read.reading.answers),
            log_odds(read.reading.relevance),
            self._share(f"{read.source.title} {read.text}"),
        )

    def _share(self, text: str) -> float:
        return len(self._words & content_stems(text)) / len(self._words) if self._words else 0.0

    def _strange(self, at: int, own: tuple[float, ...]) -> bool:
        reading = self._reads[at].reading
        return own[2] == 0 and reading.answers < _UNLIKELY and reading.relevance < _UNLIKELY

    def weighed(self, at: int, weights: Weights) -> list[tuple[float, Candidate]]:
        """The candidates of piece `at`, best first, each with the probability that it is what the piece says."""
        mine = self._found[at]
        own = self.document(at)
        if not mine or self._strange(at, own):
            return []
        rows = self.rows(at)
        scores = weights.ranked(rows)
        order = [int(i) for i in np.argsort(-scores, kind="stable")]
        best = order[0]
        rival = order[1] if len(order) > 1 else None
        found = []
        for i in order:
            # What comes after the best one is behind it; the best one is ahead of the next value.
            against = rival if i == best else best
            margin = float(scores[i] - scores[against]) if against is not None else -_FLOOR
            row = np.asarray((*rows[i], max(_FLOOR, min(-_FLOOR, margin)), *own), dtype=np.float32)
            found.append((weights.probability(row), mine[i]))
        return found
