"""From pieces (sentences, paragraphs …) to the ranges of chunks by the borders that a method chose."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from decoct.chunking.cut import Ruler, pack
from decoct.text.wholes import Place


def ranges_within(ruler: Ruler, pieces: Sequence[Place], ranges: Sequence[Place], size: int) -> list[Place]:
    """The ranges, each of whole `pieces`; those of more than `size` tokens as several, packed from their pieces.

    Where ranges share pieces, a part that would lie within its neighbour is left out.
    """
    found: list[Place] = []
    for start, end in ranges:
        parts = [(start, end)]
        if ruler.tokens(start, end) > size:
            inside = pieces[bisect_left(pieces, (start, 0)) : bisect_left(pieces, (end, 0))]
            parts = pack(inside, ruler.tokens, size, lambda j, i: False)
        for part in parts:
            if found and part[0] == found[-1][0]:
                found.pop()
            if not found or part[1] > found[-1][1]:
                found.append(part)
    return found


def grouped(pieces: Sequence[Place], ends: Sequence[int], *, shared: bool) -> list[Place]:
    """Ranges of consecutive pieces that end with the pieces `ends`; with `shared` the next one begins with that piece too."""
    if not pieces:
        return []
    ranges, first = [], 0
    for last in [*ends, len(pieces) - 1]:
        ranges.append((pieces[first][0], pieces[last][1]))
        first = last if shared else last + 1
    return ranges


def merged_ranges(text: str, ranges: Sequence[Place], words: int) -> list[Place]:
    """Neighbouring ranges joined while together they hold at most `words` words; 0 joins none."""
    if not words:
        return list(ranges)
    counts = [len(text[start:end].split()) for start, end in ranges]
    found: list[Place] = []
    held = 0
    for (start, end), count in zip(ranges, counts, strict=True):
        if found and held + count <= words:
            found[-1] = (found[-1][0], end)
            held += count
        else:
            found.append((start, end))
            held = count
    return found
