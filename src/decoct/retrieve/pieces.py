"""Feedback pieces: documents cut on their own grid of `size` tokens.

The grid starts at the document's first token, not at each chunk's: chunks overlap, and a grid of each chunk's own would cut the same
sentences twice at different places. So a piece has one identity, (document, start), however many chunks led to it, and other questions that
are led to the same document meet the same pieces: their vectors are remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, lru_cache
from typing import cast

from decoct import trace
from decoct.budget import SupportsOffsets
from decoct.data import Keys, Span
from decoct.embed.remember import Memory
from decoct.errors import CorpusError
from decoct.index.base import Store

MOST = 20_000
"""Remembered vectors: 30 MB of 384 numbers each. Embedding its pieces is most of what feedback costs a question."""


@cache
def memory_of_pieces(fingerprint: str) -> Memory:
    """The vectors of one embedder's pieces, for every feedback of this process: the grid is the document's, whatever the chunker."""
    return Memory(MOST)


def cut_pieces(store: Store, keys: Keys, tokenizer: SupportsOffsets, size: int) -> dict[Span, str]:
    """The pieces that share a character with one of the chunks, and their texts.

    Documents come in the order of `keys`, pieces in text order, none twice.
    """
    spans: dict[str, list[Span]] = {}
    for chunk in store.chunks(keys):
        spans.setdefault(chunk.span.doc_id, []).append(chunk.span)
    pieces = {}
    for doc_id, wanted in spans.items():
        try:
            text = store.document(doc_id).text
        except CorpusError:  # another process has deleted it since it was found
            trace.fallback("feedback.document_gone")
            continue
        for start, end in _grid_of(cast("Hashable", tokenizer), text, size):
            if any(start < span.end and span.start < end for span in wanted):
                pieces[Span(doc_id, start, end)] = text[start:end]
    return pieces


@lru_cache(
    maxsize=32
)  # documents, as many as a question is led to; tokenising a novel takes longer than searching a million chunks
def _grid_of(tokenizer: Hashable, text: str, size: int) -> list[tuple[int, int]]:
    return grid(cast("SupportsOffsets", tokenizer).offsets(text), size)


def grid(tokens: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Character ranges of `size` tokens each, side by side; the last may be shorter."""
    return [(tokens[at][0], tokens[min(at + size, len(tokens)) - 1][1]) for at in range(0, len(tokens), size)]
