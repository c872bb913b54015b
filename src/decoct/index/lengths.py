"""The length of a chunk as BM25 takes it, the same in every store."""

from __future__ import annotations


def rounded(length: int) -> int:
    """A number of words as tantivy keeps it: steps of 2 from 40, of 4 from 56, of 8 from 88, and so on."""
    if length <= 40:
        return length
    step = 1 << ((length - 24).bit_length() - 4)
    return 24 + (length - 24) // step * step
