"""Windows of a fixed number of tokens that overlap by a fixed share ("Recall-oriented RAG": 150 tokens, 50 %).

Windows begin every `tokens * (1 - overlap)` tokens, until one reaches the end. A document that fits one window is one chunk. A last
window of less than half of `tokens` is too short to stand alone (75 of 150): the window before it is extended to the end instead.

Borders lie where a token begins, so no token is split; what the tokenizer passes over (white space, control characters) stays with the
token before it. Time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, cut
from decoct.data import Chunk, Document
from decoct.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Fixed:
    """Chunks of `tokens` tokens; neighbours share the fraction `overlap` of them."""

    tokenizer: SupportsOffsets
    tokens: int = 150
    overlap: float = 0.5

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise ConfigError(f"fixed chunks: tokens must be at least 1, not {self.tokens}")
        if not 0 <= self.overlap < 1:
            raise ConfigError(f"fixed chunks: overlap is a share from 0 up to, not including, 1; not {self.overlap}")

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` into windows; none for a blank text."""
        ruler = Ruler(document.text, self.tokenizer, longest=0)  # the paper's windows: a token is a token
        stride = max(1, round(self.tokens * (1 - self.overlap)))
        windows = token_windows(len(ruler), self.tokens, stride)
        return cut(document, ((ruler.border(a), ruler.border(b)) for a, b in windows))


def token_windows(length: int, size: int, stride: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of token numbers; one range, perhaps empty of tokens, for a length within `size`."""
    start = 0
    while start + size < length:
        following = start + stride
        if length - following < size / 2:
            break
        yield start, start + size
        start = following
    yield start, length
