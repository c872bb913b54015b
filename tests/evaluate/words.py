"""A tokenizer of white-space words, and documents by id, for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.evaluate.metrics.evidence import TokenMap


class WordTokenizer:
    """One token a run of non-white space."""

    fingerprint = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S+", text)]


def words_of(**texts: str) -> TokenMap:
    """A token map over documents given by id."""
    return TokenMap(texts.__getitem__, WordTokenizer())
