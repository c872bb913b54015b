"""Lines of a PDF's pages that are no text: running headers and footers, and page numbers (tables of contents: `matter`).

A first or last line of a page **runs** if three pages or more, near each other, have it in the same place: word for word, or but for one
number at its start or end that grows as the pages do. Then the next line of those pages is looked at, up to three at each edge.

Where nothing would be left, nothing is taken: a form or a card of one line a page is text. Pages themselves stay, empty perhaps, so that
they can be counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from decoct.documents.counted import as_roman

_EDGE = 3  # lines looked at, at the top and at the bottom
_PAGES = 3  # that must agree
_NEAR = 4  # pages between two of them: left and right pages have headers of their own
_LONGEST = 200
_NUMBER = r"(?:\d{1,5}|[ivxlc]{1,8})"
_AT_START = re.compile(rf"({_NUMBER})(?=\s|$)(.*)", re.S)
_AT_END = re.compile(rf"(.*?)(?:(?<=\s)|^)(?:page\s+)?({_NUMBER})(?:\s*(?:of|/)\s*\d+)?$", re.S | re.I)
_ROMAN = {as_roman(number): number for number in range(1, 400)}


def without_page_lines(pages: Sequence[str]) -> list[str]:
    """The pages (lines by line breaks) without running lines."""
    kept = _without_running([page.split("\n") for page in pages])
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
    return int(number) if number.isdigit() else _ROMAN.get(number.lower(), 0)


def _cut(lines: list[str], at: int) -> list[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] + 1 :] if at == 0 else lines[: filled[-1]]
