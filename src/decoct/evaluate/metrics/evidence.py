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

from collections.abc import Iterable
from dataclasses import dataclass

from decoct.data import Context, Span
from decoct.evaluate.metrics.token_map import TokenMap, overlap, size


@dataclass(frozen=True, slots=True)
class Evidence:
    """Recall, precision and F1 in 0..1."""

    recall: float
    precision: float
    f1: float


def evidence(context: Iterable[Span], gold: Iterable[Span], tokens: TokenMap) -> Evidence | None:
    """The measures for the spans of a context against the gold spans; None without gold."""
    wanted = tokens.ranges(gold)
    if not wanted:
        return None
    shown = tokens.ranges(context)
    return from_counts(overlap(shown, wanted), size(shown), size(wanted))


def from_counts(shared: int, shown: int, wanted: int) -> Evidence:
    """The measures from |T ∩ G|, |T| and |G| > 0."""
    return Evidence(shared / wanted, shared / shown if shown else 0.0, 2 * shared / (shown + wanted))


def spans(context: Context) -> tuple[Span, ...]:
    """What the passages of a context are supported by, quotes and rewrites."""
    return tuple(span for passage in context.passages for span in passage.support)


def quoted(context: Context) -> tuple[Span, ...]:
    """The spans that the context quotes word for word."""
    return tuple(span for passage in context.passages if passage.kind == "quote" for span in passage.support)
