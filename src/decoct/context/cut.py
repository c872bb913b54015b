"""Where a text may be cut: after a sentence, never inside one."""

from __future__ import annotations

from collections.abc import Callable

from decoct.text.sentences import sentences


def whole_sentences(text: str, fits: Callable[[int], bool]) -> int:
    """Where the longest prefix of whole sentences ends for which `fits(end)` holds; 0 if none does.

    Found by bisection: `fits` is asked O(log sentences) times and taken to be true up to some sentence and false beyond. Where it is
    not so, the prefix found still fits, but may not be the longest.
    """
    ends = [end for _, end in sentences(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(ends[middle - 1]):
            low = middle
        else:
            high = middle - 1
    return ends[low - 1] if low else 0
