"""Citation precision and recall against gold evidence.

Precision = |cited passages whose support overlaps a gold span| / |cited passages|; recall = |gold spans that a cited passage's support
overlaps| / |gold spans|. A passage cited twice counts once. With passage-level gold, recall is the share of gold passages that were cited.

This is by provenance, exact and free of a model. It does not say that the cited words support the sentence they stand at (ALCE's
measure, which needs an entailment model or a judge).

Edge cases. No gold: both None. No citation: precision None (nothing claimed), recall 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.data import Citation, Span


@dataclass(frozen=True, slots=True)
class CitationScores:
    """Precision (None without citations) and recall, in 0..1."""

    precision: float | None
    recall: float


def citation_scores(citations: Sequence[Citation], gold: Sequence[Span]) -> CitationScores | None:
    """The measures for an answer's citations; None without gold."""
    if not gold:
        return None
    cited = {citation.passage for citation in citations}
    good = sum(any(span.overlaps(g) for span in passage.support for g in gold) for passage in cited)
    reached = sum(any(span.overlaps(g) for passage in cited for span in passage.support) for g in gold)
    return CitationScores(good / len(cited) if cited else None, reached / len(gold))
