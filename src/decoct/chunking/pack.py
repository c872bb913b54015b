"""From pieces (sentences, paragraphs …) to the ranges of chunks: packing by size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from decoct.chunking.cut import Ruler
from decoct.text.wholes import Place


def pack(
    pieces: Sequence[Place], length: Callable[[int, int], int], size: int, repeat: Callable[[int, int], bool]
) -> list[Place]:
    """Pack greedily: ranges that each hold whole pieces, in order, of at most `size` by `length(start, end)` (a longer piece stands alone).

    A new chunk, which begins for piece `i`, also repeats pieces `j` to `i - 1` of the one before, for the smallest `j` where
    `repeat(j, i)` allows it and the size still holds. `j` only grows: linear in the pieces if `length` takes constant time.
    """
    packed: list[Place] = []
    first = 0
    for i, (_, end) in enumerate(pieces):
        if i > first and length(pieces[first][0], end) > size:
            packed.append((pieces[first][0], pieces[i - 1][1]))
            first += 1
            while first < i and not (repeat(first, i) and length(pieces[first][0], end) <= size):
                first += 1
    if pieces:
        packed.append((pieces[first][0], pieces[-1][1]))
    return packed


def bounded(ruler: Ruler, pieces: Sequence[Place], size: int) -> list[Place]:
    """The same pieces, with those of more than `size` tokens cut between words."""
    return [
        part
        for start, end in pieces
        for part in ([(start, end)] if ruler.tokens(start, end) <= size else ruler.split(start, end, size))
    ]
