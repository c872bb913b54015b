"""Terms above what is said of them, as manuals list options: a short line by itself, and further in, right below it, its definition.

    -w, --wait seconds
        How long a gate waits. More than a minute is refused.

Terms right below each other share a definition. The first line of a paragraph that hangs is none: it is as long as the others, or what
goes on below it begins with a small letter hardly further in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_LINE = re.compile(r"^([ \t]*)(\S.*?)[ \t]*$", re.M)
_NONE = re.compile(r"(?:[-*+•‣◦▪·–—]|\(?\w{1,3}[.)])\s|[#>|!]|```|~~~|.*(?: {2}|\||[.!?;:,…{\\]$)")
_LONGEST, _MOST_WORDS = 120, 12
_SHORT = 40  # characters of one with another below it
_FULL_LINE = 60  # characters: no line is broken much before
_SAYS = 3  # words of a definition's first line: fewer, without a mark at their end, are code
_IN, _FURTHER_IN = 2, 4  # columns that a definition stands further in, and one that begins with a small letter


@lru_cache(maxsize=512)
def terms(text: str) -> tuple[tuple[int, int], ...]:
    """The places of the terms, in order, each with those right below it that share its definition."""
    return tuple(_found(text)) if "\n " in text or "\n\t" in text else ()


def term_above(text: str, above: tuple[str, ...]) -> str:
    """The first word of the last of the names `above` a place of the text, in small letters, where that is a term; else ""."""
    known = {text[start:end].split(maxsplit=1)[0] for start, end in terms(text)} if above else ()
    first = next(iter(above[-1].split()), "") if above else ""
    return first.strip("`*_,").casefold() if first in known else ""


def _found(text: str) -> Iterator[tuple[int, int]]:
    lines = [(found.start(2), found.end(2), len(found[1].expandtabs(8))) for found in _LINE.finditer(text)]
    begin: int | None = None  # of the lines that may be terms
    for number, (start, end, indent) in enumerate(lines[:-1]):
        before = lines[number - 1] if number else None
        opens = before is None or text.count("\n", before[1], start) > 1 or before[2] > indent
        if not opens and begin is None:
            continue
        if opens:
            begin = None
        low, _, below = lines[number + 1]
        joined = text.count("\n", end, low) == 1
        if not joined or below < indent or end - start > _LONGEST or _NONE.match(text, start, end):
            begin = None
        elif below == indent:
            begin = None if end - start > _SHORT or ": " in text[start:end] else start if begin is None else begin
        else:
            begin = start if begin is None else begin
            if len(text[begin:end].split()) <= _MOST_WORDS and _defines(text, lines, number):
                yield begin, end
            begin = None


def _defines(text: str, lines: list[tuple[int, int, int]], number: int) -> bool:
    """Whether the line below says what that of `number` is."""
    (start, end, indent), (low, high, below) = lines[number : number + 2]
    words = text[low:high].split()
    if len(words) < _SAYS and text[high - 1] not in ".!?":
        return False
    if not any(word[:1].islower() for word in words):
        return False
    if below - indent < (_FURTHER_IN if text[low].islower() else _IN):
        return False
    widest = max([_FULL_LINE, *(last - first + far for first, last, far in lines[number + 1 : number + 4])])
    return indent + end - start + 1 + len(words[0]) < widest
