"""Linear models of text: where its pieces, hashed, stand among the weights, and the weights as a script in benchmarks/ fitted them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np


def hashed_places(pieces: Iterable[str], size: int) -> list[int]:
    """The places of pieces of text among `size`, each once, in ascending order."""
    return sorted({zlib.crc32(piece.encode()) % size for piece in pieces})


@cache
def fitted_weights(file: Path) -> Any:  # noqa: ANN401 - numpy's
    """The weights of a linear model as they were fitted."""
    return np.load(file).astype(np.float32)
