"""What an embedder promises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from decoct import trace
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


FALLBACK = "embed.language"
_READ = 300  # characters of a question that tell its language


def tell_unknown(questions: Sequence[str], known: frozenset[str]) -> None:
    """Count the fallback `embed.language`, with the language as the fact `question_language`, where one is in none of `known`."""
    for question in questions:
        if language := unknown_language(question, known):
            trace.fallback(FALLBACK)
            trace.fact("question_language", language)


def unknown_language(question: str, known: frozenset[str]) -> str | None:
    """The language of a question if it can be told and is none of `known`."""
    language = _asked_in(question[:_READ])
    return language if language is not None and language not in known else None


@lru_cache(maxsize=1024)
def _asked_in(question: str) -> str | None:
    from decoct.text.languages import asked_in

    return asked_in(question)
