"""Vectors with a byte a number: each row as whole numbers from -127 to 127, with the scale that its largest number gives.

A quarter of single precision. A product with a unit vector is off by at most .002 (60,000 sentences, the bundled embedder), less than what
that embedder's own whole numbers change; and rows are read faster than half-precision ones, which have to be widened one by one (6 ms
against 45 for 61,000 rows of 384 numbers).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from decoct.data import Floats

Bytes = NDArray[np.int8]

# Rows widened at once: 1.5 MB at 384 dimensions.
BLOCK = 1024
_LARGEST = 127


@dataclass(frozen=True, slots=True, eq=False)
class ByteVectors:
    """Row n is `rows[n] * scales[n]`; shapes (n, dimension) and (n,)."""

    rows: Bytes
    scales: Floats

    def products(self, vector: Floats) -> Floats:
        """The dot product of every row with `vector`, exact for the rows as they are kept; equal rows give equal products."""
        found = np.empty(len(self.rows), np.float32)
        for at in range(0, len(self.rows), BLOCK):
            block = self.rows[at : at + BLOCK].astype(np.float32)
            found[at : at + BLOCK] = np.einsum("ij,j->i", block, vector)
        return found * self.scales


def as_bytes(vectors: Floats) -> ByteVectors:
    """The rows of `vectors`, rounded."""
    scales = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float32) / _LARGEST
    whole = np.divide(vectors, scales[:, None], out=np.zeros(vectors.shape, np.float32), where=scales[:, None] > 0)
    return ByteVectors(np.rint(whole).astype(np.int8), scales)


def load_bytes(folder: Path, name: str) -> ByteVectors:
    """What `ByteRows` wrote, mapped from its file."""
    return ByteVectors(np.load(folder / f"{name}.npy", mmap_mode="r"), np.load(folder / f"{name}.scales.npy"))


class ByteRows:
    """`ByteVectors` while they are written to `folder`, as `name.npy` and `name.scales.npy`."""

    def __init__(self, folder: Path, name: str, shape: tuple[int, int]) -> None:
        self._rows: Bytes = np.zeros(shape, np.int8)  # nothing can be mapped that has no bytes
        if shape[0]:
            self._rows = open_memmap(folder / f"{name}.npy", mode="w+", dtype=np.int8, shape=shape)
        self._scales = np.zeros(shape[0], np.float32)
        self._folder, self._name = folder, name

    @staticmethod
    def readable(folder: Path, name: str) -> bool:
        """Whether vectors of that name are kept there, in this form."""
        return (folder / f"{name}.scales.npy").is_file()

    def put(self, at: list[int], vectors: Floats) -> None:
        """Set rows."""
        new = as_bytes(vectors)
        self._rows[at], self._scales[at] = new.rows, new.scales

    def copy(self, at: list[int], folder: Path, there: list[int]) -> None:
        """Set rows to those of a finished folder, byte for byte."""
        old = load_bytes(folder, self._name)
        self._rows[at], self._scales[at] = old.rows[there], old.scales[there]

    def finish(self) -> None:
        """Write what is not written."""
        if isinstance(self._rows, np.memmap):
            self._rows.flush()
        else:
            np.save(self._folder / f"{self._name}.npy", self._rows)
        np.save(self._folder / f"{self._name}.scales.npy", self._scales)
