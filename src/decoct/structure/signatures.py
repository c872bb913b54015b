"""Signatures: which of a question's stems (`decoct.text.analysis`) a chunk holds, told without its text.

A signature is a Bloom filter of `BITS` bits with two bits a stem (Bloom 1970). A chunk of 150 tokens has about 80 different stems, so a
stem that is not there is seen by mistake once in fifty times; in return a thousand chunks are compared with a question in one array
operation, for 128 bytes a chunk.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from decoct.data import Floats

BITS = 1024
Signatures = NDArray[np.uint8]
Coverage = NDArray[np.bool_]


@lru_cache(maxsize=1 << 16)
def hashed(stem: str) -> int:
    """32 bits that stand for a stem; the upper half serves where 16 are enough."""
    return zlib.crc32(stem.encode())


def signature(words: Iterable[str]) -> Signatures:
    """The signature of a set of stems, shape (BITS / 8,)."""
    bits = np.zeros(BITS, dtype=np.uint8)
    numbers = np.fromiter((hashed(word) for word in set(words)), dtype=np.int64)
    bits[numbers % BITS] = 1
    bits[(numbers >> 10) % BITS] = 1
    return np.packbits(bits, bitorder="little")


def coverage(signatures: Signatures, words: Sequence[str]) -> Coverage:
    """Which of `words` (stems) each signature holds; shape (chunks, words)."""
    numbers = np.fromiter((hashed(word) for word in words), dtype=np.int64, count=len(words))
    found: Coverage = np.ones((len(signatures), len(words)), dtype=bool)
    for bit in (numbers % BITS, (numbers >> 10) % BITS):
        found &= (signatures[:, bit >> 3] >> (bit & 7).astype(np.uint8) & 1).astype(bool)
    return found


def covered_share(covered: Coverage, weights: Floats) -> Floats:
    """The weights of the stems that each row covers, added up; shape (rows,).

    Not as a matrix product: there a row's last bits hang on the other rows and the kind of CPU, and in busy processes flags that it left
    behind were warned of as invalid values that no result had.
    """
    shares: Floats = np.where(covered, weights, np.float32(0)).sum(axis=1, dtype=np.float32)
    return shares
