"""What of a text is one whole, which words of an answer never reach over: a sentence, an item of a list, a cell of a table.

The mark of a list is no part of its item ("1." is nobody's answer), nor is a bar part of a cell.
"""

from __future__ import annotations

import re
from functools import lru_cache

from decoct.text.sentences import sentences

Place = tuple[int, int]
"""Characters of a text: from the first to behind the last."""
ITEM_MARK = re.compile(r"(?:[-*+•‣◦▪·]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)")
"""The mark that an item of a list begins with, and the white space behind it."""
FIELD = re.compile(
    rf"[ \t]*(?:{ITEM_MARK.pattern})?[*_]{{0,3}}([^\W_][^\n:|]{{0,40}}?)(?:[*_]{{0,3}}:|:[*_]{{1,3}})[ \t]+"
    r"(\S(?:(?![.!?][ \t]+[^\W\d_a-z])[^\n])*)"
)
"""A line that is a field: its name and its value, which holds no second sentence ("phone: 4417", "**Phone:** 4417")."""

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"), ('"', '"'), ("`", "`"))
_REACH = 40  # characters in which the other half of a bracket stands
_IN_NUMBERS = (".", ",", ":", "'", "’")
_BLANK = " \t\n\r\f\v\u00a0"


@lru_cache(maxsize=512)
def wholes(text: str) -> tuple[Place, ...]:
    """The sentences, items and cells of `text` in order, without marks of lists and bars; none is empty and none overlaps another."""
    found: list[Place] = []
    for start, end in sentences(text):
        mark = ITEM_MARK.match(text, start, end)
        at = mark.end() if mark else start
        for cell in text[at:end].split("|"):
            bare = cell.strip()
            if bare:
                begin = at + cell.index(bare)
                found.append((begin, begin + len(bare)))
            at += len(cell) + 1
    return tuple(found)


def whole_words(text: str, start: int, end: int) -> Place | None:
    """What of characters `start` to `end` lies in the one whole that holds most of them (the first of equals).

    A bracket or quotation mark that it opens or closes alone is taken with its other half, where that is near, and a number whole.
    None where no letter or digit is left: the mark of a list, a bar, a blank cell.
    """
    held = [(low, high) for low, high in wholes(text) if low < end and start < high]
    if not held:
        return None
    first, last = max(held, key=lambda whole: min(end, whole[1]) - max(start, whole[0]))
    low, high = max(start, first), min(end, last)
    while low < high and text[low] in _BLANK:
        low += 1
    while low < high and text[high - 1] in _BLANK:
        high -= 1
    while first < low and _in_number(text, low):
        low -= 1
    while low < high < last and _in_number(text, high):
        high += 1
    low, high = _closed(text, low, high, (max(first, low - _REACH), min(last, high + _REACH)))
    return (low, high) if any(map(str.isalnum, text[low:high])) else None


def _in_number(text: str, at: int) -> bool:
    """Whether a cut before character `at` parts digits from digits, which may have one mark between them ("1,876.67", "10:30")."""
    left, right = text[max(0, at - 2) : at], text[at : at + 2]
    left = left[:-1] if left[-1:] in _IN_NUMBERS else left
    right = right[1:] if right[:1] in _IN_NUMBERS else right
    return left[-1:].isdigit() and right[:1].isdigit()


def _closed(text: str, low: int, high: int, within: Place) -> Place:
    """The characters `low` to `high`, and up to the other half of a bracket or quotation mark that stands alone in them."""
    for opens, closes in _PAIRS:
        said = text[low:high]
        more = said.count(opens) - said.count(closes) if opens != closes else said.count(opens) % 2
        past = text.find(closes, high, within[1]) if more > 0 else -1
        before = text.rfind(opens, within[0], low) if more < 0 or (more > 0 and opens == closes and past < 0) else -1
        low, high = (before if before >= 0 else low), (past + 1 if past >= 0 else high)
    return low, high
