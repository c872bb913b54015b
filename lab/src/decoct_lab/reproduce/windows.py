"""An embedder for texts longer than its model reads: the mean of its windows' vectors, scaled to length 1.

The default model reads 256 tokens. A chunk of 600 or 1,200 would be embedded by its head alone, and the comparison of chunk sizes in the
recall-oriented paper, whose model reads 8,191, would measure that; so would one of feedback with many pieces, whose question would end
at the fourth. The mean over windows is the best long-text form such a model has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.budget import SupportsOffsets
from decoct.data import Floats
from decoct.embed.base import Embedder, TextKind

READS = 254  # tokens of a text, beside its own two marks
WINDOW = 250  # the model reads 256, two of them its own marks; some words cost more tokens inside a text than alone


@dataclass(frozen=True, slots=True)
class Windows:
    """`embedder`, with texts of more than `WINDOW` tokens embedded by parts."""

    embedder: Embedder
    tokenizer: SupportsOffsets

    @property
    def fingerprint(self) -> str:
        """The embedder's, and that long texts are means."""
        return f"{self.embedder.fingerprint}+mean-of-{WINDOW}"

    @property
    def dimension(self) -> int:
        """The embedder's."""
        return self.embedder.dimension

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors in the order of `texts`; a question that feedback has made longer than a window is a mean too."""
        parts = [self._parts(text) for text in texts]
        vectors = self.embedder.embed([part for found in parts for part in found], kind)
        means = np.empty((len(texts), self.dimension), np.float32)
        at = 0
        for row, found in enumerate(parts):
            mean = vectors[at : at + len(found)].mean(axis=0)
            means[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
            at += len(found)
        return means

    def _parts(self, text: str) -> list[str]:
        tokens = self.tokenizer.offsets(text)
        if len(tokens) <= WINDOW:
            return [text]
        count = -(-len(tokens) // WINDOW)
        size = -(-len(tokens) // count)  # parts of equal length: a short last one would weigh as much as a long one
        return [text[tokens[i][0] : tokens[min(i + size, len(tokens)) - 1][1]] for i in range(0, len(tokens), size)]
