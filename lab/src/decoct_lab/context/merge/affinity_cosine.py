"""How near two passages are by the embedder: 1 - cosine, in the place of NLL(source | anchor). Symmetric, and blind to length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.embed.base import Embedder


@dataclass(frozen=True, slots=True)
class Cosine:
    """An affinity by the embedder's vectors, each text embedded once a call."""

    embedder: Embedder

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        """1 - cosine, from 0 (the same) to 2."""
        texts = list(dict.fromkeys((*sources, *anchors)))
        if not sources or not anchors:
            return [[] for _ in sources]
        rows = {text: row for row, text in enumerate(texts)}
        vectors = self.embedder.embed(texts, "passage")
        near = vectors[[rows[text] for text in sources]] @ vectors[[rows[text] for text in anchors]].T
        found: list[list[float]] = (1 - near).tolist()
        return found
