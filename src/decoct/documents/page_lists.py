"""Lines that send to pages: a table of contents with dots, and the index at the end of a book ("option, 12, 45, 89–91").

They are told by their form, never by a word over them. A line is an entry if it ends in pages, whole numbers that rise. A run of entries,
with letters, page numbers and single short lines between them, is a list of pages where

- dots lead to the pages, and the pages rise from line to line or the lines stand in the order of the alphabet;
- or, without dots, at least twelve short lines stand in the order of the alphabet and send to different numbers of pages, at least two of
  them to several: the rows of a table have equally many values, and values that fall.

A long one is handed out in pieces, each of which is such a list by itself: a chunk is looked at without its document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from decoct.text.wholes import Place

_PIECE = 1_200  # characters
_LEAST, _LEAST_WITHOUT_DOTS, _SEVERAL = 3, 12, 2  # entries, and of these such with several pages
_ORDERED = 0.7  # of the neighbours; those under another entry begin anew
_DOTTED = 0.8  # of the entries
_DOTS = 4
_LONGEST, _SHORT, _LETTER = 400, 50, 3  # characters of an entry, of a line between entries, and of one that is no word
_DIGITS = 4  # of a page
_ENDS = frozenset("0123456789,ivxl")  # of a line with pages


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line at `start`..`end`, from the lines on that stand between it and the one before: `term`, then `pages`."""

    start: int
    end: int
    term: str
    pages: tuple[int, ...]
    dotted: bool


def page_lists(text: str, begin: int) -> Iterator[Place]:
    """The pieces of lists of pages behind `begin`, in order."""
    run: list[_Entry] = []
    since, between, at = -1, 0, begin
    for line in [*text[begin:].split("\n"), "An end."]:
        end, bare = min(at + len(line) + 1, len(text)), line.strip()
        entry = _entry(bare) if len(bare) <= _LONGEST else None
        if entry is not None:
            run.append(_Entry(at if since < 0 else since, end, *entry))
            since, between = -1, 0
        elif bare:
            word = len(bare) > _LETTER and not bare.isdecimal()
            between += word
            if between > 1 or len(bare) > _SHORT or (word and not bare[-1].isalpha()):
                yield from _pieces(run)
                run, since, between = [], -1, 0
            if word and not run:
                since, between = (at, 1) if bare[-1].isalpha() and len(bare) <= _SHORT else (-1, 0)
            elif since < 0:
                since = at
        at = end


def _entry(line: str) -> tuple[str, tuple[int, ...], bool] | None:
    """The term of a line, its pages, and whether dots lead to them; None where it is no entry."""
    if line[-1:] not in _ENDS:
        return None
    line = line.rstrip(",")
    term = line.rstrip("0123456789,-–— ")
    listed = line[len(term) :]
    if roman := not listed:  # "iv" stands before 1
        term = line.rstrip("ivxl")
        listed = " 1" if len(term) < len(line) and term.endswith((".", " ")) else ""
    title = term.rstrip(" \t.")
    dotted = term.count(".", len(title)) >= _DOTS
    ends = [one.replace("–", "-").replace("—", "-").split("-")[0].strip() for one in listed.strip(" ,").split(",")]
    if not any(map(str.isalpha, title)) or not all(one.isdecimal() and len(one) <= _DIGITS for one in ends):
        return None
    pages = tuple(map(int, ends))
    rising = all(one < other for one, other in pairwise((0, *pages)))
    short = len(title) <= _SHORT and (title[-1].isalnum() or title[-1] in ")\"'”’")
    parted = dotted or (short and listed[0] in ", " and not roman)
    return (title, pages, dotted) if rising and parted else None


def _pieces(run: Sequence[_Entry]) -> Iterator[Place]:
    """The run as pieces, none where it is no list of pages."""
    if not _is_list(run):
        return
    pieces: list[Sequence[_Entry]] = [[]]
    for at, entry in enumerate(run):
        if _is_long(pieces[-1]) and _is_long(rest := run[at:]) and _is_list(pieces[-1]) and _is_list(rest):
            pieces.append([])
        pieces[-1] = [*pieces[-1], entry]
    yield from ((piece[0].start, piece[-1].end) for piece in pieces)


def _is_long(run: Sequence[_Entry]) -> bool:
    return len(run) > 0 and run[-1].end - run[0].start >= _PIECE


def _share(kept: Iterable[bool]) -> float:
    told = list(kept)
    return sum(told) / len(told)


def _is_list(run: Sequence[_Entry]) -> bool:
    if len(run) < _LEAST:
        return False
    terms = ["".join(filter(str.isalnum, one.term)).casefold() for one in run]
    sorted_share = _share(one <= other for one, other in pairwise(terms))
    if sum(one.dotted for one in run) >= _DOTTED * len(run):
        rising_share = _share(one.pages[0] <= other.pages[0] for one, other in pairwise(run))
        return max(sorted_share, rising_share) >= _ORDERED and len({one.pages for one in run}) > 1
    several = [len(one.pages) for one in run if len(one.pages) > 1]
    varied = len(several) >= _SEVERAL and len({len(one.pages) for one in run}) > 1
    return len(run) >= _LEAST_WITHOUT_DOTS and varied and sorted_share >= _ORDERED
