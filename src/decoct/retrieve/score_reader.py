"""Relevance as the small reader judges it: S(c; q) = the logits of "is evidence" and "answers", weighed.

A cross-encoder reads question and text together, so it sees what two vectors apart cannot: who did what to whom, which year, which of
two properties (Nogueira and Cho, 2019, "Passage re-ranking with BERT"). The reader's two heads say different things: the first step of a
question in two steps is evidence and answers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.reading.base import PassageReader, log_odds
from decoct.reading.small import SmallReader


@dataclass(frozen=True, slots=True)
class _Untitled:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ReaderScorer:
    """Scores a text by `1 - answering` of its relevance's log-odds and `answering` of its answering's."""

    reader: PassageReader = field(default_factory=SmallReader)
    answering: float = 0.25

    def __post_init__(self) -> None:
        if not 0 <= self.answering <= 1:
            raise ValueError("answering is a share, from 0 to 1")

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Log-odds, one a text, shape (len(texts),); a title, where there is one, is the text's first line."""
        readings = self.reader.read(question, [_Untitled("", text) for text in texts])
        trace.count(read=len(texts))
        scores = [
            (1 - self.answering) * log_odds(reading.relevance) + self.answering * log_odds(reading.answers)
            for reading in readings
        ]
        return np.asarray(scores, np.float32)
