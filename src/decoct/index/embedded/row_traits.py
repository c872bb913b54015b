"""The traits of chunks as two mapped files (`rows` writes them): all of them one after another, and where each row's end.

In SQLite they lie in the chunks' rows: those of 200 chunks are 200 places of a table of gigabytes. Here they are 200 slices of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoct.data import Keys
from decoct.index.embedded.manifest import KEY


@dataclass(frozen=True, slots=True)
class RowTraits:
    """The traits of all rows one after another, and where each row's end; mapped into memory."""

    packed: NDArray[np.uint8]
    ends: Keys

    def at(self, rows: Keys) -> list[bytes]:
        """The traits of each of `rows`."""
        packed, past = memoryview(self.packed.data), self.ends[rows]
        first = np.where(rows > 0, self.ends[rows - 1], 0)
        return [bytes(packed[one:other]) for one, other in zip(first.tolist(), past.tolist(), strict=True)]


def packed_ends(start: int, block: Sequence[bytes]) -> bytes:
    """Where each row's traits end, when they are written from `start` on."""
    return (start + np.cumsum([len(one) for one in block], dtype=KEY)).astype(KEY).tobytes()
