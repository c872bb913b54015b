"""NLL(source | anchor) as MergeRAG defines it: the mean negative log-likelihood of the source's tokens after the anchor, in nats.

The model reads `anchor`, a blank line, `source`, as plain text (no chat template); only the source's tokens count. Pairs are handed over
anchor by anchor, so a model that shares prefixes reads each anchor once; `decoct.llm.cache.Cached` keeps cells on disk for later runs.

`shortlist` (ours) asks the model only about the so many anchors that are nearest by the embedder's cosine; the others are inf. It makes
a layer linear in n. Where a pair does not fit the model's window, anchors lose their beginnings (counted: what stands
nearest to the source tells most). Where the model fails, the cells come from `fallback` (counted): a row is only ever compared with itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct import trace
from decoct.context.base import Affinity
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, ModelError, PromptTooLongError
from decoct.llm.base import Losses, SupportsLogprobs
from decoct_lab.context.merge.affinity_cache_lm import CacheLM
from decoct_lab.context.merge.affinity_cosine import Cosine

SEPARATOR = "\n\n"
# An anchor cut below so many characters would be no anchor: then it is the source that does not fit.
_LEAST_ANCHOR = 200


@dataclass(frozen=True, slots=True)
class LLMAffinity:
    """Exact affinity by `model`; with `shortlist` above 0 only for that many anchors a source."""

    model: SupportsLogprobs
    shortlist: int = 0
    embedder: Embedder | None = None
    fallback: Affinity = field(default_factory=CacheLM)

    def __post_init__(self) -> None:
        if self.shortlist and self.embedder is None:
            raise ConfigError("affinity: a shortlist needs an embedder to choose by")

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        """Nats a token; inf where the source has no token, or the anchor is not on the shortlist."""
        asked = self._asked(sources, anchors)
        cells = sorted(((a, s) for s, row in enumerate(asked) for a in row))
        matrix = [[math.inf] * len(anchors) for _ in sources]
        try:
            losses = self._losses([(anchors[a], sources[s]) for a, s in cells])
        except ModelError as error:
            trace.fallback(f"merge.affinity.{error.code}")
            return self.fallback.affinity(sources, anchors)
        trace.count(nll_cells=len(cells))
        for (a, s), loss in zip(cells, losses, strict=True):
            matrix[s][a] = loss.mean
        return matrix

    def _losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        room = max((len(anchor) for anchor, _ in pairs), default=0)
        while True:
            try:
                return self.model.losses([(anchor[-room:] + SEPARATOR, source) for anchor, source in pairs])
            except PromptTooLongError:
                room //= 2
                if room < _LEAST_ANCHOR:
                    raise
                trace.fallback("merge.affinity.anchor_cut")

    def _asked(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[int]]:
        everything = list(range(len(anchors)))
        if self.embedder is None or not 0 < self.shortlist < len(anchors):
            return [everything for _ in sources]
        far = Cosine(self.embedder).affinity(sources, anchors)
        return [sorted(sorted(everything, key=lambda a, row=row: (row[a], a))[: self.shortlist]) for row in far]  # type: ignore[misc]
