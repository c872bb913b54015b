"""Whole sentences, packed up to a number of tokens.

Sentences are added to a chunk while it holds at most `tokens` tokens; then the next chunk begins, with the last `overlap` sentences of
the one before (fewer where they would not fit). A sentence that alone is longer is cut at token borders. Linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, bounded, cut, pack
from decoct.data import Chunk, Document
from decoct.errors import ConfigError
from decoct.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class SentencePacked:
    """Chunks of whole sentences, at most `tokens` tokens each; neighbours share `overlap` sentences."""

    tokenizer: SupportsOffsets
    tokens: int = 150
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.tokens < 1 or self.overlap < 0:
            raise ConfigError(
                f"sentence chunks: tokens must be at least 1 and overlap a number of sentences from 0, not {self.tokens}, {self.overlap}"
            )

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` between sentences; none for a blank text."""
        ruler = Ruler(document.text, self.tokenizer)
        pieces = bounded(ruler, sentences(document.text), self.tokens)
        return cut(document, pack(pieces, ruler.tokens, self.tokens, lambda j, i: i - j <= self.overlap))
