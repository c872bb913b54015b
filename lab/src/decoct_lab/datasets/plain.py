"""Normalised text that remembers where its characters came from.

`Plain` is NFKC with straight quotes and plain dashes and every run of white space as one space. Only the places where positions shift
are recorded, so text that is plain but for quotes and dashes (most is) costs a few searches, and mapping a position back is one bisection.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

_STRAIGHT = dict(zip("‘’‚‛“”„‟«»′″‐‑‒–—―−", '\'\'\'\'""""""\'"-------', strict=True))
# White space that is not a single blank; a letter with the combining marks after it; any other character outside ASCII.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
_CHANGING = re.compile(rf"\s{{2,}}|[^\S ]|\S[{_MARKS}]+|[^\x00-\x7f\s]")
_CHANGING_IN_NFKC = re.compile(rf"\s{{2,}}|[^\S ]|[{''.join(_STRAIGHT)}]")


@dataclass(slots=True)
class Plain:
    """`text` normalised; `starts` and `origins` mark where runs of it begin, in it and in the original; odd runs were rewritten."""

    text: str
    starts: list[int] = field(default_factory=lambda: [0])
    origins: list[int] = field(default_factory=lambda: [0])
    length: int = 0

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original behind characters `start` to `end` (at least one) of `text`."""
        if len(self.starts) == 1:
            return start, end
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        low = self.origins[first] + (0 if first % 2 else start - self.starts[first])
        if last % 2:
            return low, self.origins[last + 1] if last + 1 < len(self.origins) else self.length
        return low, self.origins[last] + end - self.starts[last]


def plain(text: str) -> Plain:
    """Normalise `text`; linear."""
    if is_plain(text):
        return Plain(text, length=len(text))
    if text.isprintable() and "  " not in text and unicodedata.is_normalized("NFKC", text):
        return Plain(_straight(text), length=len(text))
    changing = _CHANGING_IN_NFKC if unicodedata.is_normalized("NFKC", text) else _CHANGING
    result = Plain("", length=len(text))
    parts: list[str] = []
    at = written = 0
    for found in changing.finditer(text):
        old = found.group()
        new = " " if old[0].isspace() else _STRAIGHT.get(old) or unicodedata.normalize("NFKC", old)
        if new == old:
            continue
        parts += (text[at : found.start()], new)
        written += found.start() - at
        result.starts += (written, written + len(new))
        result.origins += (found.start(), found.end())
        written += len(new)
        at = found.end()
    result.text = "".join((*parts, text[at:]))
    return result


def is_plain(text: str) -> bool:
    """Whether `text` is surely normalised already, told from the quickest signs alone."""
    return text.isascii() and text.isprintable() and "  " not in text


def _straight(text: str) -> str:
    """`text` with straight quotes and plain dashes: one character for one, so no position shifts."""
    for curly, straight in _STRAIGHT.items():
        if curly in text:
            text = text.replace(curly, straight)
    return text
