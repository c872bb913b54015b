"""The default embedder: all-MiniLM-L6-v2, trained further on questions to documents (see README.md beside this file), with int8 weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.embed.minilm.weights import CURRENT, DIMENSION, FIRST, BundledWeights, verify
from decoct.embed.onnx import OnnxEmbedder

__all__ = ["CURRENT", "FIRST", "MAX_TOKENS", "MiniLM", "verify"]

# The length the model was trained and is evaluated with; the paper's 150-token chunks fit with room to spare.
MAX_TOKENS = 256


@dataclass(frozen=True, slots=True)
class MiniLM:
    """Vectors of 384 numbers, mean-pooled inside the model. `threads` 0 means `DECOCT_THREADS`, or else all cores."""

    dimension: ClassVar[int] = DIMENSION
    languages: ClassVar[frozenset[str]] = frozenset({"en"})  # English alone
    threads: int = 0
    weights: BundledWeights = CURRENT

    @property
    def fingerprint(self) -> str:
        """Model, quantisation and the first digits of the weights' SHA-256."""
        return self.weights.fingerprint

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors, one row a text, each the same to the bit whatever else is in the call; texts are cut at 256 tokens."""
        return OnnxEmbedder(self.weights.folder, MAX_TOKENS, self.threads).embed(texts, kind)
