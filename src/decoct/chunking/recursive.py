"""The coarsest borders that make pieces small enough: paragraphs, else lines, sentences, words, and at last characters.

A range within `size` is one piece. A longer one is split at its coarsest kind of border; consecutive parts that fit are packed
greedily into chunks, and a part that is itself too long is split at the next finer kind. Chunks packed from the same range repeat up to
`overlap` of the end of the one before, in whole parts, as part of their size. `Recursive(tokenizer, 350, 100, "characters")` is the
setting of question compression. The last kind of border is any token, where sizes are in tokens. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import Literal

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, cut, pack
from decoct.data import Chunk, Document
from decoct.errors import ConfigError
from decoct.text.borders import border, words
from decoct.text.sentences import sentences
from decoct.text.wholes import Place

PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
LINE = re.compile(r"\n")
SPACE = re.compile(r"\s+")
KINDS = 5


@dataclass(frozen=True, slots=True)
class Recursive:
    """Chunks of at most `size`, and repeating at most `overlap`, in tokens or characters (`unit`)."""

    tokenizer: SupportsOffsets
    size: int = 150
    overlap: int = 0
    unit: Literal["tokens", "characters"] = "tokens"

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.size:
            raise ConfigError(f"recursive chunks: 0 <= overlap < size must hold, not {self.overlap} and {self.size}")

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document`; none for a blank text."""
        text = document.text
        if self.unit == "tokens":
            ruler = Ruler(text, self.tokenizer)
            descent = _Descent(text, self.size, self.overlap, ruler.tokens, ruler.split)
        else:
            descent = _Descent(
                text, self.size, self.overlap, lambda a, b: b - a, lambda a, b, n: _slices(text, a, b, n)
            )
        return cut(document, descent.ranges(0, len(text), 0))


@dataclass(frozen=True, slots=True)
class _Descent:
    text: str
    size: int
    overlap: int
    length: Callable[[int, int], int]
    slices: Callable[[int, int, int], list[Place]]

    def ranges(self, start: int, end: int, kind: int) -> list[Place]:
        """Chunks of the range; borders coarser than `kind` have been used up."""
        if self.length(start, end) <= self.size or kind == KINDS:
            return [(start, end)]
        found: list[Place] = []
        fitting: list[Place] = []
        for piece in self._pieces(start, end, kind):
            if self.length(*piece) <= self.size:
                fitting.append(piece)
            else:
                found += self._packed(fitting) + self.ranges(*piece, kind + 1)
                fitting = []
        return found + self._packed(fitting)

    def _packed(self, pieces: list[Place]) -> list[Place]:
        def repeat(j: int, i: int) -> bool:
            return self.length(pieces[j][0], pieces[i - 1][1]) <= self.overlap

        return pack(pieces, self.length, self.size, repeat)

    def _pieces(self, start: int, end: int, kind: int) -> Iterator[Place]:
        if kind == 2:
            yield from ((start + a, start + b) for a, b in sentences(self.text[start:end]))
        elif kind == 4:
            yield from self._words(start, end)
        else:
            border = {0: PARAGRAPH, 1: LINE, 3: SPACE}[kind]
            for match in border.finditer(self.text, start, end):
                if start < match.start():
                    yield start, match.start()
                start = match.end()
            if start < end:
                yield start, end

    def _words(self, start: int, end: int) -> Iterator[Place]:
        """What white space does not part: words packed into slices of which both sizes are multiples, longer words whole while they fit."""
        finest = gcd(self.size, self.overlap)
        for first, past in pack(words(self.text, start, end), self.length, finest, lambda j, i: False):
            if self.length(first, past) <= self.size:
                yield first, past
            else:
                yield from self.slices(first, past, finest)


def _slices(text: str, start: int, end: int, size: int) -> list[Place]:
    """A word as parts of at most `size` characters; none ends within what is seen as one character, where that is no longer."""
    parts: list[Place] = []
    while end - start > size:
        at = border(text, start, start + size)
        parts.append((start, at))
        start = at
    return [*parts, (start, end)]
