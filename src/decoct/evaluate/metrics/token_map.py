"""Spans of documents as ranges of token numbers, so that evidence can be counted in tokens without making sets of them.

A document is tokenised once as a whole; a span covers the tokens it overlaps, the cut ones included. Token ranges are merged,
so a token that several spans cover counts once: the ranges stand for a set of pairs (document, token number).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.budget import SupportsOffsets
from decoct.data import Span
from decoct.errors import EvaluationError

Ranges: TypeAlias = dict[str, list[tuple[int, int]]]
"""By document id: disjoint half-open ranges of token numbers, ascending, none empty."""

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
    _recent: dict[tuple[Span, ...], Ranges] = field(default_factory=dict, repr=False, compare=False)

    def ranges(self, spans: Iterable[Span]) -> Ranges:
        """The tokens that `spans` overlap. Several measures ask for the same context, so the last answers are remembered."""
        asked = tuple(spans)
        if asked not in self._recent:
            if len(self._recent) >= RECENT:
                self._recent.clear()
            self._recent[asked] = self._ranges(asked)
        return self._recent[asked]

    def _ranges(self, spans: tuple[Span, ...]) -> Ranges:
        raw: dict[str, list[tuple[int, int]]] = {}
        for span in spans:
            starts, ends = self._offsets(span.doc_id)
            first = int(
                np.searchsorted(ends, span.start, side="right")
            )  # the first token that ends after the span begins
            last = int(np.searchsorted(starts, span.end, side="left"))  # one past the last that begins before it ends
            if first < last:
                raw.setdefault(span.doc_id, []).append((first, last))
        return {doc_id: _merged(found) for doc_id, found in raw.items()}

    def _offsets(self, doc_id: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if doc_id not in self._known:
            pairs = np.asarray(self.tokenizer.offsets(self.text(doc_id)), dtype=np.int64).reshape(-1, 2)
            starts, ends = pairs[:, 0].copy(), pairs[:, 1].copy()
            if np.any(np.diff(starts) < 0) or np.any(np.diff(ends) < 0):
                raise EvaluationError(f"the tokenizer's offsets for document {doc_id!r} are not in text order")
            self._known[doc_id] = starts, ends
        return self._known[doc_id]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def size(ranges: Ranges) -> int:
    """How many tokens."""
    return sum(end - start for found in ranges.values() for start, end in found)


def overlap(a: Ranges, b: Ranges) -> int:
    """How many tokens both hold."""
    return sum(_common(a[doc_id], b[doc_id]) for doc_id in a.keys() & b.keys())


def _common(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> int:
    total = i = j = 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] <= b[j][1]:
            i += 1
        else:
            j += 1
    return total
