"""Evidence recall, precision and F1 of the final context, in tokens (ours; lab/docs/methods.md, Recall-oriented RAG).

T = the source tokens in the context, as the set of (document, token number) that its passages' spans cover; G = the gold
tokens. R = |T ∩ G| / |G|, P = |T ∩ G| / |T|, F1 = 2PR / (P + R), 0 if both are 0. A token shown twice counts once. Fair across
chunkers and steps: only what of the sources is there matters, not how it was cut. Titles and labels the layout adds are in no
document and do not count.

A rewritten passage has no source tokens in the strict sense: its support says where its content came from, not what survived.
`quoted` therefore counts quotes only; `spans` counts every passage by its support, which for rewrites is an upper bound. Report
both where a recipe rewrites.

Edge cases. No gold: None for all. An empty context: R = P = F1 = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.budget import SupportsOffsets
from decoct.data import Citation, Context, Span
from decoct.errors import EvaluationError

# Spans of documents as sets of their tokens: a document is tokenised once as a whole; a span covers the tokens it overlaps, the cut ones
# included.
SourceTokens: TypeAlias = frozenset[tuple[str, int]]
"""Documents' ids with the numbers of tokens in them."""

RECENT = 64
"""Remembered answers: more than the contexts and gold passages of one question."""


@dataclass(frozen=True, slots=True)
class TokenMap:
    """Token offsets of documents, made on first use and kept (about 16 bytes a token; not shared between processes).

    `text` gives a document's canonical text; `tokenizer` is the one that budgets are counted with.
    """

    text: Callable[[str], str]
    tokenizer: SupportsOffsets
    _known: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _recent: dict[tuple[Span, ...], SourceTokens] = field(default_factory=dict, repr=False, compare=False)

    def covered(self, spans: Iterable[Span]) -> SourceTokens:
        """The tokens that `spans` overlap. Several measures ask for the same context, so the last answers are remembered."""
        asked = tuple(spans)
        if asked not in self._recent:
            if len(self._recent) >= RECENT:
                self._recent.clear()
            self._recent[asked] = frozenset((span.doc_id, at) for span in asked for at in self._within(span))
        return self._recent[asked]

    def _within(self, span: Span) -> range:
        starts, ends = self._offsets(span.doc_id)
        # From the first token that ends after the span begins to the last that begins before it ends.
        return range(
            int(np.searchsorted(ends, span.start, side="right")), int(np.searchsorted(starts, span.end, side="left"))
        )

    def _offsets(self, doc_id: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if doc_id not in self._known:
            pairs = np.asarray(self.tokenizer.offsets(self.text(doc_id)), dtype=np.int64).reshape(-1, 2)
            starts, ends = pairs[:, 0].copy(), pairs[:, 1].copy()
            if np.any(np.diff(starts) < 0) or np.any(np.diff(ends) < 0):
                raise EvaluationError(f"the tokenizer's offsets for document {doc_id!r} are not in text order")
            self._known[doc_id] = starts, ends
        return self._known[doc_id]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Recall, precision and F1 in 0..1."""

    recall: float
    precision: float
    f1: float


def evidence(context: Iterable[Span], gold: Iterable[Span], tokens: TokenMap) -> Evidence | None:
    """The measures for the spans of a context against the gold spans; None without gold."""
    wanted = tokens.covered(gold)
    if not wanted:
        return None
    shown = tokens.covered(context)
    return from_counts(len(shown & wanted), len(shown), len(wanted))


def from_counts(shared: int, shown: int, wanted: int) -> Evidence:
    """The measures from |T ∩ G|, |T| and |G| > 0."""
    return Evidence(shared / wanted, shared / shown if shown else 0.0, 2 * shared / (shown + wanted))


def spans(context: Context) -> tuple[Span, ...]:
    """What the passages of a context are supported by, quotes and rewrites."""
    return tuple(span for passage in context.passages for span in passage.support)


def quoted(context: Context) -> tuple[Span, ...]:
    """The spans that the context quotes word for word."""
    return tuple(span for passage in context.passages if passage.kind == "quote" for span in passage.support)


# Passage recall at a budget: the share of the gold passages that the context holds at least half of, in tokens; and all_gold.
#
# A gold passage is present when at least half of its tokens are among the context's source
# tokens. `all_gold` is 1 when every gold passage is present: what a multi-hop question needs. Unlike recall@k it sees what
# packing, merging and pruning left.
#
# Edge cases. No gold passage: None. A passage of which no token exists (blank text) cannot be gold: loaders refuse it.
def passage_recall(context: Iterable[Span], passages: Sequence[Span], tokens: TokenMap) -> float | None:
    """Share of `passages` (the gold ones, whole, as spans) that are present; None without any."""
    if not passages:
        return None
    shown = tokens.covered(context)
    return sum(_present(passage, shown, tokens) for passage in passages) / len(passages)


def all_gold(context: Iterable[Span], passages: Sequence[Span], tokens: TokenMap) -> float | None:
    """1.0 if every gold passage is present, else 0.0; None without any."""
    recall = passage_recall(context, passages, tokens)
    return None if recall is None else float(recall == 1.0)


def _present(passage: Span, shown: SourceTokens, tokens: TokenMap) -> bool:
    wanted = tokens.covered([passage])
    return len(shown & wanted) >= len(wanted) / 2 > 0


# Citation precision and recall against gold evidence.
#
# Precision = |cited passages whose support overlaps a gold span| / |cited passages|; recall = |gold spans that a cited passage's support
# overlaps| / |gold spans|. A passage cited twice counts once. With passage-level gold, recall is the share of gold passages that were
# cited.
#
# This is by provenance, exact and free of a model. It does not say that the cited words support the sentence they stand at (ALCE's
# measure, which needs an entailment model or a judge).
#
# Edge cases. No gold: both None. No citation: precision None (nothing claimed), recall 0.
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
