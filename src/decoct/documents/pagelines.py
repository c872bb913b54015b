"""Lines of a PDF's pages that are no text: running headers and footers, page numbers, tables of contents with dot leaders.

A first or last line of a page **runs** if three pages or more, near each other, have it in the same place: word for word, or but for one
number at its start or end that grows as the pages do. Then the next line of those pages is looked at, up to three at each edge. A line
that ends in dots and a number is one of a **table of contents** if the page has three, whose numbers grow and are pages of the file (the
prices of a menu do not); so are the lines between them.

Where nothing would be left, nothing is taken: a form or a card of one line a page is text. Pages themselves stay, empty perhaps, so that
they can be counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

_EDGE = 3  # lines looked at, at the top and at the bottom
_PAGES = 3  # that must agree
_NEAR = 4  # pages between two of them: left and right pages have headers of their own
_LONGEST = 200
_NUMBER = r"(?:\d{1,5}|[ivxlc]{1,8})"
_AT_START = re.compile(rf"({_NUMBER})(?=\s|$)(.*)", re.S)
_AT_END = re.compile(rf"(.*?)(?:(?<=\s)|^)(?:page\s+)?({_NUMBER})(?:\s*(?:of|/)\s*\d+)?$", re.S | re.I)
_LEADER = re.compile(rf".*?(?:\.\s?){{4,}}\s*({_NUMBER})?\s*$")
_FIRST_OF_CONTENTS = re.compile(r"\s*(table\s+of\s+)?contents\s*", re.I)
_LEADERS = 3
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def without_page_lines(pages: Sequence[str]) -> list[str]:
    """The pages (lines by line breaks) without running lines and tables of contents."""
    kept = _without_running([page.split("\n") for page in pages])
    kept = [_without_contents(lines, len(pages)) for lines in kept]
    if not any(line.strip() for lines in kept for line in lines):
        return list(pages)
    return ["\n".join(lines) for lines in kept]


def _without_running(pages: list[list[str]]) -> list[list[str]]:
    for at in (0, -1):
        for _ in range(_EDGE):
            running = _running(pages, at)
            if not running:
                break
            pages = [_cut(lines, at) if number in running else lines for number, lines in enumerate(pages)]
    return pages


def _running(pages: list[list[str]], at: int) -> set[int]:
    """The pages whose first (`at` 0) or last (-1) line runs."""
    places: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, lines in enumerate(pages):
        for key in _keys(_edge(lines, at), number):
            places[key].append(number)
    found: set[int] = set()
    for numbers in places.values():
        for first in range(len(numbers) - _PAGES + 1):
            group = numbers[first : first + _PAGES]
            if group[-1] - group[0] <= _NEAR * (_PAGES - 1):
                found.update(group)
    return found


def _edge(lines: list[str], at: int) -> str:
    filled = [line for line in lines if line.strip()]
    return " ".join(filled[at].split()) if filled else ""


def _keys(line: str, page: int) -> list[tuple[object, ...]]:
    """What the line has in common with the same line of other pages."""
    if not line or len(line) > _LONGEST:
        return []
    keys: list[tuple[object, ...]] = [(line,)]
    if found := _AT_START.fullmatch(line):
        keys.append(("start", found[2].strip(), _value(found[1]) - page))
    if found := _AT_END.fullmatch(line):
        keys.append(("end", found[1].strip(), _value(found[2]) - page))
    return keys


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    values = [_ROMAN[letter] for letter in number.lower()]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _cut(lines: list[str], at: int) -> list[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] + 1 :] if at == 0 else lines[: filled[-1]]


def _without_contents(lines: list[str], pages: int) -> list[str]:
    found = {number: match for number, line in enumerate(lines) if (match := _LEADER.fullmatch(line))}
    leaders = list(found)
    leads_to = [_value(match[1]) for match in found.values() if match[1]]
    falls = sum(after < before for before, after in pairwise(leads_to))
    if len(leads_to) < _LEADERS or falls * 10 > len(leads_to) or max(leads_to) > pages:
        return lines
    first, last = leaders[0], leaders[-1]
    if len(leaders) * 2 < last - first + 1:  # text with some leaders in it: only those go
        gone = set(leaders)
        return [line for number, line in enumerate(lines) if number not in gone]
    while first and (_FIRST_OF_CONTENTS.fullmatch(lines[first - 1]) or re.search(r"\S\s+\d+\s*$", lines[first - 1])):
        first -= 1
    return lines[:first] + lines[last + 1 :]
