"""Relevance at sentence level with the embedder alone: S(c; q) = the largest cosine of q with a sentence of c.

A chunk's own vector is a mean over all it says; its best sentence is not thinned by the others (max over passages' parts: Dai and Callan,
SIGIR 2019). It needs no model beyond the embedder and no network, and costs one embedding a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.embed.base import Embedder, cosines
from decoct.text.sentences import sentences

# Below every cosine: a text without a sentence is the least relevant.
NOTHING = -2.0


@dataclass(frozen=True, slots=True)
class SentenceScorer:
    """Scores a text by its best sentence."""

    embedder: Embedder

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Cosines, one a text, shape (len(texts),)."""
        cut = [[text[start:end] for start, end in sentences(text)] for text in texts]
        # The same sentence often stands in several overlapping chunks.
        rows = {sentence: row for row, sentence in enumerate(dict.fromkeys(s for found in cut for s in found))}
        scores = np.full(len(texts), NOTHING, np.float32)
        if not rows:
            return scores
        near = cosines(self.embedder, question, [*rows])
        trace.count(sentences=len(rows))
        for n, found in enumerate(cut):
            if found:
                scores[n] = near[[rows[sentence] for sentence in found]].max()
        return scores
