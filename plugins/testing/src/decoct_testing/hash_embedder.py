"""An embedder without a model: texts that share words are near each other.

Each word (lower case) adds +1 or -1 to one of `dimension` numbers, both chosen by its CRC-32; the sum is scaled to length 1 (feature
hashing, Weinberger et al. 2009). Fast, deterministic across machines and versions, and good enough to test everything around embedders.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.data import Floats
from decoct.embed.base import TextKind

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class HashEmbedder:
    """Bags of hashed words as unit vectors; a text without words is the first unit vector."""

    dimension: int = 64

    @property
    def fingerprint(self) -> str:
        """Names the hash and the dimension."""
        return f"hash-crc32:{self.dimension}"

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors; queries and passages are treated alike."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            row = vectors[index]
            for word in WORD.findall(text.lower()):
                code = zlib.crc32(word.encode("utf-8", "surrogatepass"))
                row[(code >> 1) % self.dimension] += 1 - 2 * (code & 1)
            if not row.any():
                row[0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
