"""How likely a candidate is what its document says on the question: two linear models whose weights `calibration.json` holds.

`rank` orders the candidates of one piece, `claim` gives the probability that the best one answers this very question. Both are fitted by
`python benchmarks/fit_conflicts.py` on passages that the reader was not trained on, and fitted again whenever the reader changes.
Readers that give no places (a language model, the nearest sentence) have weights of their own ("spans"): their scores mean something else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from decoct.context.casc.candidates import Candidate, Read, in_words, sentence_at, support_elsewhere
from decoct.context.casc.focus import Focus
from decoct.context.casc.same_question import asks_of_another
from decoct.data import Floats
from decoct.reading.base import SentenceRelevance, log_odds
from decoct.text.equality import known_equal
from decoct.text.overlap import rarities
from decoct.text.words import content, content_stems

# How near the question's own words stand to a candidate: "4A: ₹98 lakh. 4B: ₹1.2 crore" is told apart by "4B" alone.
#
# Words are weighed by their rarity among the sentences read (a copied one counts once), and fade with the words between; what stands in
# another sentence counts little.

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REACH = 6.0  # words after which a word's pull has halved


class Nearness:
    """How strongly the rare words of the question stand beside candidates."""

    def __init__(self, reads: Sequence[Read], focus: Focus) -> None:
        wanted = {stem for stem, _ in content(focus.text)}
        said = dict.fromkeys(read.text[s.start : s.end] for read in reads for s in read.reading.sentences)
        texts = [content_stems(sentence) for sentence in said]
        self._rare = rarities(sorted(wanted), texts) if wanted and texts else {}

    def share(self, read: Read, sentence: SentenceRelevance) -> float:
        """How much of the question's words, by their rarity, a sentence holds."""
        held = content_stems(read.text[sentence.start : sentence.end])
        return sum(rare for stem, rare in self._rare.items() if stem in held)

    def pull(self, candidate: Candidate) -> float:
        """The pull of the question's words in the candidate's sentence, from 0 to 1."""
        read, value = candidate.read, candidate.value
        for s in read.reading.sentences:
            if s.start <= value.start < s.end:
                pulls: dict[str, float] = {}
                for match in _WORD.finditer(read.text, s.start, s.end):
                    stems = content_stems(match.group())
                    for stem in stems & self._rare.keys():
                        low, high = sorted((match.start(), value.start))
                        words = len(_WORD.findall(read.text, low, high))
                        pull = self._rare[stem] / (1 + words / _REACH)
                        pulls[stem] = max(pulls.get(stem, 0.0), pull)
                return sum(pulls.values())
        return 0.0


RANK = ("likely", "exact", "near", "agreeing", "evidence", "shared", "in_words", "spoken")
"""What is known of a candidate; `spoken` is the share of the question's words in its sentence."""
CLAIM = (*RANK, "margin", "answers", "relevance", "held", "another")
"""With it: how far it is ahead of the next value, and of its piece: whether it answers, is evidence, holds the question's words, and
whether its title names another thing or year."""
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
    """From which probability on a claim is "heard", "differs", is "sure", and which share of the best one's it needs "beside" it."""
    found: Mapping[str, float] = calibration()["thresholds"]
    return found


class Weighing:
    """The candidates of all pieces of one question beside one another."""

    def __init__(self, reads: Sequence[Read], found: Sequence[Sequence[Candidate]], focus: Focus) -> None:
        self._reads, self._found = reads, found
        self._near, self._focus = Nearness(reads, focus), focus
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
            self._near.pull(c),
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
            float(asks_of_another(self._focus, read.source)),
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
        rival = next((i for i in order[1:] if not known_equal(mine[i].value, mine[best].value)), None)
        found = []
        for i in order:
            # What comes after the best one is behind it; the best one is ahead of the next value.
            against = rival if i == best else best
            margin = float(scores[i] - scores[against]) if against is not None else -_FLOOR
            row = np.asarray((*rows[i], max(_FLOOR, min(-_FLOOR, margin)), *own), dtype=np.float32)
            found.append((weights.probability(row), mine[i]))
        return found
