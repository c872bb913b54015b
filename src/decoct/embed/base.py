"""What an embedder promises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from decoct.data import Floats

TextKind: TypeAlias = Literal["query", "passage"]


class Embedder(Protocol):
    """Maps texts to unit vectors whose dot product is their similarity. Thread-safe and deterministic.

    `fingerprint` names model, weights and pooling: vectors of different fingerprints are never compared.
    """

    @property
    def fingerprint(self) -> str:
        """A stable name of the vector space."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Return float32 of shape (len(texts), dimension), each row of length 1, in the order of `texts`."""


@runtime_checkable
class SpeaksLanguages(Protocol):
    """An embedder that says which languages its model was trained on."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes."""


def cosines(embedder: Embedder, question: str, texts: Sequence[str]) -> Floats:
    """How near each text is to the question, shape (len(texts),)."""
    found: Floats = embedder.embed(texts, "passage") @ embedder.embed([question], "query")[0]
    return found


# Texts that every tokenizer accepts.
#
# A Python string may hold half of a surrogate pair (a command-line argument that is not UTF-8, a careless JSON escape); tokenizers refuse
# such strings. Each half becomes U+FFFD: one character for one, so offsets stay true.

SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """`text` without lone surrogates, of the same length."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)
