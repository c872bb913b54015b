"""Cut where the meaning turns (the idea is Greg Kamradt's "semantic splitting", 2024).

1. Split into sentences; sentence i is read with its neighbours (`window` on each side).
2. Embed these windows; d_i is the cosine distance of window i and window i + 1.
3. Cut after sentence i where d_i is above the document's threshold: the 95th percentile of its distances, or their mean plus one
   standard deviation.
4. Guards: a cut that would leave less than `min_tokens` before it is passed over, and a last chunk of less joins the one before; what is
   longer than `max_tokens` is packed sentence by sentence.

Windows are embedded in blocks, so that a long document needs no more vectors at a time than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, bounded, cut
from decoct.data import Chunk, Document
from decoct.embed.base import Embedder
from decoct.errors import ConfigError
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct_lab.chunking.ranges import grouped, ranges_within

BLOCK = 1024  # windows embedded at once: 1.5 MB of vectors


@dataclass(frozen=True, slots=True)
class Semantic:
    """Chunks of `min_tokens` to `max_tokens` tokens that end where neighbouring sentences are far apart.

    `threshold` "percentile" uses `percentile`; "deviation" cuts above the mean plus `deviations` standard deviations.
    """

    embedder: Embedder
    tokenizer: SupportsOffsets
    window: int = 1
    threshold: Literal["percentile", "deviation"] = "percentile"
    percentile: float = 95.0
    deviations: float = 1.0
    min_tokens: int = 30
    max_tokens: int = 250  # the default embedder reads 256, two of them special

    def __post_init__(self) -> None:
        if not (self.window >= 0 and 0 <= self.percentile <= 100 and 0 <= self.min_tokens <= self.max_tokens > 0):
            raise ConfigError(
                "semantic chunks: window >= 0, percentile in 0..100 and 0 <= min_tokens <= max_tokens must hold, not "
                f"{self.window}, {self.percentile}, {self.min_tokens}, {self.max_tokens}"
            )

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` between sentences; none for a blank text."""
        ruler = Ruler(document.text, self.tokenizer)
        pieces = bounded(ruler, sentences(document.text), self.max_tokens)
        if not pieces:
            return []
        ranges = self._groups(ruler, pieces, self._distances(document.text, pieces))
        return cut(document, ranges_within(ruler, pieces, ranges, self.max_tokens))

    def _distances(self, text: str, pieces: Sequence[Place]) -> NDArray[np.float64]:
        """Of each piece to the next: shape (pieces - 1,)."""
        last, window = len(pieces) - 1, self.window
        found = []
        for at in range(0, last, BLOCK):
            # One window more than the block: its last is compared with the first of the next.
            block = range(at, min(at + BLOCK, last) + 1)
            texts = [text[pieces[max(i - window, 0)][0] : pieces[min(i + window, last)][1]] for i in block]
            vectors = self.embedder.embed(texts, "passage")
            found.append(1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:], dtype=np.float64))
        return np.concatenate(found) if found else np.zeros(0)

    def _groups(self, ruler: Ruler, pieces: Sequence[Place], distances: NDArray[np.float64]) -> list[Place]:
        """Ranges of pieces that belong together, before the guard against long ones."""
        ends: list[int] = []
        first = 0
        for i in np.flatnonzero(distances > self._limit(distances)).tolist():
            if ruler.tokens(pieces[first][0], pieces[i][1]) >= self.min_tokens:
                ends.append(i)
                first = i + 1
        if ends and ruler.tokens(pieces[first][0], pieces[-1][1]) < self.min_tokens:
            ends.pop()
        return grouped(pieces, ends, shared=False)

    def _limit(self, distances: NDArray[np.float64]) -> float:
        if not len(distances):
            return 0.0
        if self.threshold == "percentile":
            return float(np.percentile(distances, self.percentile))
        return float(distances.mean() + self.deviations * distances.std())
