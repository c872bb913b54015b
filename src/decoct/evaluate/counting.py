"""Exact token counts without tokenising the same texts again and again.

An evaluation counts the same texts many times: for each system, each budget and each try to fit. The bundled tokenizer remembers lines and
words itself (`decoct.embed.word_counts`); for others whole texts are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct.budget import Tokenizer

_TEXTS = 20_000  # remembered: those of some hundred questions at every budget


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts as `tokenizer` does, to the token, and remembers."""

    tokenizer: Tokenizer
    _known: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fingerprint(self) -> str:
        """The tokenizer's own: the counts are equal."""
        return self.tokenizer.fingerprint

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text."""
        if missing := [text for text in dict.fromkeys(texts) if text not in self._known]:
            if len(self._known) > _TEXTS:
                self._known.clear()
                missing = [*dict.fromkeys(texts)]
            self._known.update(zip(missing, self.tokenizer.counts(missing), strict=True))
        return [self._known[text] for text in texts]
