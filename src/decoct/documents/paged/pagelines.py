"""Lines that run along a PDF's pages, told apart from their text: heads, feet and page numbers.

They are known by their place: up to three lines at the top or bottom of a page, set off from the text by more than the distance of two
lines, in letters no larger than the text's, at one height on several pages near each other. Those that say the same there, but for numbers
of pages that grow as the pages do, **run**: they are taken out, and what they say is told once, behind the last page, with its first and
last number. A number counts pages only where it stands alone (`Rules — 12`): that of "Week 12" or "Invoice 1002" is text. Others at such a
height stay as paragraphs of their own, which no sentence crosses. Where nothing would be left, nothing is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import median

from decoct.documents.canonical import one_line
from decoct.documents.counted import as_roman
from decoct.documents.paged.pdf_text import APART, RESIZED, PageLine, usual_height

_EDGE = 3  # lines looked at, at the top and at the bottom
_PAGES = 3  # that must agree; all of fewer
_NEAR = 4  # pages between two of them: left and right pages have heads of their own
_LEVEL = 3.0  # points
_COUNTED = re.compile(
    r"(?:page\s|seite\s|p\.\s?|s\.\s?)?\s*(\d{1,5}|[ivxlc]{1,8})(?:\s*(?:/|of|von|de|av)\s*(\d{1,5}))?", re.IGNORECASE
)
_BETWEEN = re.compile(r"((?:^|\s+)[|·•–—-](?:\s+|$))")
_ROMAN = {as_roman(number): number for number in range(1, 400)}

Said = tuple[tuple[str, int], ...]
"""The parts of a line: words and 0, or nothing and how far a number is ahead of the page's."""
Places = list[tuple[int, PageLine]]


def without_page_lines(pages: Sequence[Sequence[PageLine]]) -> tuple[list[list[PageLine]], list[str], set[int]]:
    """The pages without running lines, what these say, and the pages (from 0) behind which no sentence goes on."""
    kept = [list(lines) for lines in pages]
    told: dict[str, None] = {}
    ends: set[int] = set()
    largest = RESIZED * usual_height(pages)
    steps = [after.top - line.top for lines in pages for line, after in pairwise(lines) if after.top > line.top]
    usual = median(steps) if steps else 0.0
    for below in (False, True):
        edges = [_edge(lines, usual, largest, below=below) for lines in kept]
        running = _near(edges, _keys)
        told |= dict.fromkeys(_running_words(running))
        out = {id(line) for places in running for _, line in places}
        alone = {id(line): page for page, line in chain.from_iterable(_near(edges, lambda *_: [()]))}
        ends.update(page - (not below) for line, page in alone.items() if line not in out)
        for page, lines in enumerate(kept):
            apart = [id(line) in alone for line in lines]
            kept[page] = [
                replace(line, blank=True) if (apart[at] if below else at and apart[at - 1]) else line
                for at, line in enumerate(lines)
                if id(line) not in out
            ]
    if not any(map(any, kept)):
        return [list(lines) for lines in pages], [], set()
    return kept, list(told), ends


def _edge(lines: Sequence[PageLine], usual: float, largest: float, *, below: bool) -> list[PageLine]:
    """The lines at the upper or lower edge of a page, where they stand apart from the others."""
    ordered = sorted((line for line in lines if line.parts or line.table), key=lambda line: line.top, reverse=below)
    for count, (line, after) in enumerate(pairwise(ordered), 1):
        if count > _EDGE or 2 * count > len(ordered) or not line.parts or line.height > largest:
            break
        if abs(after.top - line.top) > APART * max(usual, line.height):
            return ordered[:count]
    return []


def _near(edges: Sequence[Sequence[PageLine]], said: Callable[[PageLine, int], Iterable[Said]]) -> list[Places]:
    """Lines with their pages, of several pages near each other, that stand at one height and are `said` alike."""
    alike: defaultdict[tuple[int, int, Said], Places] = defaultdict(list)
    for page, lines in enumerate(edges):
        for line in lines:
            for key in said(line, page):
                for half in (0, 1):  # of two heights that are nearly equal one half agrees
                    alike[half, round(line.top / _LEVEL + half / 2), key].append((page, line))
    least = max(min(_PAGES, len(edges)), 2)
    found = []
    for places in alike.values():
        near = [places[at : at + least] for at in range(len(places) - least + 1)]
        group = dict.fromkeys(one for some in near if some[-1][0] - some[0][0] <= _NEAR * (least - 1) for one in some)
        if not all(line.table for _, line in group):  # the head of a table on every page is its
            found.append(list(group))
    return found


def _keys(line: PageLine, page: int) -> Iterator[Said]:
    """What a line says: as it is, and with one or all of its numbers as those of pages."""
    parts = _parts(line)
    words: Said = tuple((part, 0) for part in parts)
    counted: Said = tuple((part, 0) if (number := _number(part)) is None else ("", number - page - 1) for part in parts)
    yield from {words, counted, *((*words[:at], one, *words[at + 1 :]) for at, one in enumerate(counted))}


def _parts(line: PageLine) -> list[str]:
    """What stands apart in a line, with the signs and gaps between."""
    return [part for piece in line.parts for part in (*_BETWEEN.split(one_line(piece)), " ") if part][:-1]


def _number(part: str) -> int | None:
    found = _COUNTED.fullmatch(part)
    return (int(found[1]) if found[1].isdigit() else _ROMAN.get(found[1].lower())) if found else None


def _running_words(running: Iterable[Places]) -> Iterator[str]:
    """What running lines say, those of one kind once: numbers of pages that are not those of the file as the first and the last."""
    seen: set[int] = set()
    for places in running:
        if seen.issuperset(id(line) for _, line in places):
            continue
        seen.update(id(line) for _, line in places)
        (page, first), (_, last) = places[0], places[-1]
        words = ""
        for one, other in zip(_parts(first), _parts(last), strict=True):
            number, until = _COUNTED.fullmatch(one), _COUNTED.fullmatch(other)
            if one == other or not number or not until:
                words += one
            elif _number(one) != page + 1:
                words += f"{number[1]}–{until[1]}"
        if any(map(str.isalpha, words)):
            yield words.strip(" |·•–—-")
