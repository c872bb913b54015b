"""LongLLMLingua's subsequence recovery: an answer's words that were copied from a compressed context become the documents' own again.

A reader that copies "Wilhelm Röntgen, Phys" from a compressed passage gives words without their missing tokens (section 4.4 of arXiv
2310.06839). The longest runs of the answer's words that stand in a compressed passage are replaced by the stretch of the original that they
were left of. The official package searches for that stretch; here it is known, since the compression keeps what came from where
(`Compressed`), so a name is never taken from another place. Kept: the longest run first, from left to right, and that words left of
one run lie near each other (`GAP`). Ours: the stretch is widened to whole words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

GAP = 60
"""Characters of the original between two kept pieces, at most: the package's limit of ten tokens."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Compressed:
    """What was left of a passage. `pieces` are (start in `text`, start in `original`, length), in order; what lies between was added."""

    text: str
    original: str
    pieces: tuple[tuple[int, int, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """`text`, `original`, and the `pieces` as lists, JSON-ready."""
        return {"text": self.text, "original": self.original, "pieces": [list(piece) for piece in self.pieces]}


class CompressedPassages(tuple[Compressed, ...]):
    """The note `compressed` of a context."""

    __slots__ = ()

    def recovered(self, answer: str) -> str:
        """`answer` with what it copied from these passages in the documents' own words; evaluations ask for it before they score."""
        return recovered(answer, self)


def recovered(answer: str, passages: Iterable[Compressed]) -> str:
    """`answer` with every run of words that stands in one of the compressed `passages` as the original has it."""
    known = list(passages)
    words = [(found.start(), found.end()) for found in _WORD.finditer(answer)]
    parts: list[str] = []
    at = first = 0
    while first < len(words):
        start = words[first][0]
        last = first
        stretch = None
        while last < len(words) and (found := _stretch(answer[start : words[last][1]], known)) is not None:
            stretch, last = found, last + 1
        if stretch is not None:
            parts += (answer[at:start], stretch)
            at = words[last - 1][1]
        first = max(last, first + 1)
    return "".join((*parts, answer[at:]))


def _stretch(run: str, passages: Sequence[Compressed]) -> str | None:
    """What the first passage that holds the run as whole words had there; the run itself where its pieces lay too far apart."""
    for passage in passages:
        found = re.search(rf"(?<!\w){re.escape(run)}(?!\w)", passage.text)
        if found:
            return _original(passage, found.start(), found.end()) or run
    return None


def _original(passage: Compressed, start: int, end: int) -> str:
    """The original's characters behind `start` to `end` of the compressed text, as whole words; "" where a gap is too wide."""
    starts = [piece[0] for piece in passage.pieces]
    first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    for (_, before, length), (_, after, _) in zip(
        passage.pieces[first:last], passage.pieces[first + 1 : last + 1], strict=True
    ):
        if after - before - length > GAP:
            return ""
    low = passage.pieces[first][1] + start - passage.pieces[first][0]
    high = passage.pieces[last][1] + end - passage.pieces[last][0]
    while low > 0 and passage.original[low - 1 : low + 1].isalnum():
        low -= 1
    while high < len(passage.original) and passage.original[high - 1 : high + 1].isalnum():
        high += 1
    return passage.original[low:high]
