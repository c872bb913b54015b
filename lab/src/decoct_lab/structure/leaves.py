"""The leaves of trees: whole sentences of a document, and the chunks of the library that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from decoct.data import Chunk, Span


def chunks_holding(span: Span, chunks: Sequence[Chunk]) -> tuple[int, ...]:
    """The keys of the chunks that share characters with `span`, the one with most of them first, then by key."""
    shared = [(min(span.end, chunk.span.end) - max(span.start, chunk.span.start), chunk.key) for chunk in chunks]
    return tuple(key for common, key in sorted(shared, key=lambda one: (-one[0], one[1])) if common > 0)
