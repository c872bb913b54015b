"""Which characters of one text are which of another that was made from it: in time that grows with their lengths alone.

Pieces of 16 characters that stand once in each text are the same piece, wherever they stand (columns may have been put in another order);
from there characters are followed to both sides for as long as they are equal. What lies between two pieces is looked at in the same
way with pieces half as long. `difflib` finds a little more and takes the square of the length, which a page can be made to have.
"""

from __future__ import annotations

from typing import Literal

_LONGEST, _SHORTEST = 16, 2
_WINDOW = 64  # characters of the other text that a gap may be looked for in, beyond twice its own length


def aligned(ours: str, theirs: str) -> list[int]:
    """For each character of `ours` its place in `theirs`, or -1; no place is given twice."""
    pairs = _Pairs(ours, theirs)
    work = [(0, len(ours), 0, len(theirs), _LONGEST)]
    while work:
        start, end, low, high, size = work.pop()
        for at, place in _pieces(ours[start:end], theirs[low:high], size):
            pairs.follow(start + at, low + place)
            pairs.follow(start + at - 1, low + place - 1, -1)
        if size > _SHORTEST:
            work += [(*gap, size // 2) for gap in pairs.gaps(start, end, low, high)]
    return pairs.found


def _pieces(ours: str, theirs: str, size: int) -> list[tuple[int, int]]:
    """Where the pieces stand that each text has once."""
    here, there = _once(ours, size), _once(theirs, size)
    return [(at, there[piece]) for piece, at in here.items() if piece in there]


def _once(text: str, size: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    twice: set[str] = set()
    for at in range(len(text) - size + 1):
        piece = text[at : at + size]
        if piece in seen:
            twice.add(piece)
        else:
            seen[piece] = at
    for piece in twice:
        del seen[piece]
    return seen


class _Pairs:
    """Characters of two texts that are the same: `found` is the answer of `aligned` so far."""

    def __init__(self, ours: str, theirs: str) -> None:
        self._ours, self._theirs = ours, theirs
        self._used = bytearray(len(theirs))
        self.found = [-1] * len(ours)

    def follow(self, at: int, place: int, step: Literal[1, -1] = 1) -> None:
        """Pair the characters at these places and those after (before) them, as far as they are equal and in no pair."""
        while self._paired(at, place):
            at, place = at + step, place + step

    def gaps(self, start: int, end: int, low: int, high: int) -> list[tuple[int, int, int, int]]:
        """What has no place yet between `start` and `end`, each with where it can be: between its neighbours' places, if that is near."""
        gaps = []
        at = start
        while at < end:
            if self.found[at] >= 0:
                at += 1
                continue
            begin = at
            while at < end and self.found[at] < 0:
                at += 1
            first = self.found[begin - 1] + 1 if begin > start else low
            last = self.found[at] if at < end else high
            if first < last and last - first <= 2 * (at - begin) + _WINDOW:
                gaps.append((begin, at, first, last))
        return gaps

    def _paired(self, at: int, place: int) -> bool:
        """Pair two characters, if they are equal and in no pair."""
        if not (0 <= at < len(self._ours) and 0 <= place < len(self._theirs)):
            return False
        if self.found[at] >= 0 or self._used[place] or self._ours[at] != self._theirs[place]:
            return False
        self.found[at], self._used[place] = place, 1
        return True
