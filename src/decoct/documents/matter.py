"""Matter of a text: what stands in it beside its prose, and is no answer to a question about its subject.

- front matter (`frontmatter.py`), and the comment (`<!-- -->`, mostly a licence), badges and trail of links ("Home > Policies") behind it;
- a table of contents: at least three lines that are each a link into the same document, with the line that calls it so;
- a table of contents or an index that sends to pages (`page_lists.py`), anywhere.

It is told by its form, but for lists of pages in the first 64 KB alone. The characters stay where they are: chunks of it are its own
(`chunking/cut.py`), and are found only by what they alone say (`retrieve/front_matter.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from decoct.documents.frontmatter import front_matter
from decoct.text.wholes import Place

_HEAD = 64 * 1024
_LONGEST = 400  # characters of a line of a table of contents
_LEAST = 3  # lines of a table of contents
_COMMENT = re.compile(r"\s*<!--.*?-->[ \t]*(?:\n|\Z)", re.DOTALL)
_IMAGE = r"(?:!\[[^\]\n]*\]\([^)\n]*\)|\[!\[[^\]\n]*\]\([^)\n]*\)\]\([^)\n]*\))"
_LINK = r"\[[^\]\n]+\]\([^)\n]*\)"
_BADGES = re.compile(rf"\s*(?:{_IMAGE}[ \t]*)+(?:\n|\Z)")
_TRAIL = re.compile(rf"\s*{_LINK}(?:[ \t]*[>»›/|·][ \t]*(?:{_LINK}|[^\n\[\]>»›/|·]{{1,80}}))+[ \t]*(?:\n|\Z)")
_ENTRY = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?\[[^\]]+\]\(#[^)]*\)[ \t]*")
_CALLED = re.compile(
    r"[#*_=\s]*(?:table\s+of\s+contents|contents|on\s+this\s+page|in\s+this\s+(?:document|article|guide)|toc)[#*_=:\s]*",
    re.IGNORECASE,
)


def matter(text: str) -> tuple[Place, ...]:
    """The ranges of `text` that are matter, in order, none empty."""
    opening = _opening(text)
    found = sorted((*_contents(text, opening), *page_lists(text, opening)))
    if opening:
        joined = [found.pop(0)] if found and not text[opening : found[0][0]].strip() else []
        found.insert(0, (0, joined[0][1] if joined else opening))
    return tuple(found)


def is_matter(text: str) -> bool:
    """Whether nothing else stands in `text`."""
    return bool(text.strip()) and not without_matter(text).strip()


def without_matter(text: str) -> str:
    """`text` with white space in the place of its matter: every other character stands where it stood."""
    return blanked(text, matter(text))


def blanked(text: str, ranges: Sequence[Place]) -> str:
    """`text` with white space at `ranges`, line breaks as they are."""
    for start, end in ranges:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _opening(text: str) -> int:
    _, end = front_matter(text)
    while found := next((m for one in (_COMMENT, _BADGES, _TRAIL) if (m := one.match(text, end, end + _HEAD))), None):
        end = found.end()
    return end


def _contents(text: str, begin: int) -> list[Place]:
    """The tables of contents behind `begin`."""
    found: list[Place] = []
    called, run = -1, []
    at = begin
    for line in [*text[begin:_HEAD].split("\n"), "."]:
        end = min(at + len(line) + 1, len(text))
        if len(line) <= _LONGEST and _ENTRY.fullmatch(line):
            run.append((at, end))
        elif line.strip():
            if len(run) >= _LEAST:
                found.append((called if called >= 0 else run[0][0], run[-1][1]))
            called, run = (at if _CALLED.fullmatch(line) else -1), []
        at = end
    return found


# Lines that send to pages: a table of contents with dots, and the index at the end of a book ("option, 12, 45, 89–91").
#
# They are told by their form, never by a word over them. A line is an entry if it ends in pages, whole numbers that rise. A run of entries,
# with letters, page numbers and single short lines between them, is a list of pages where
#
# - dots lead to the pages, and the pages rise from line to line or the lines stand in the order of the alphabet;
# - or the lines begin with numbers of sections of several levels, one behind the other (2, 2.1, 2.2, 3), and the pages rise ("2.1 Oil 14"):
#   a table counts its rows on one level;
# - or, without dots, at least twelve short lines stand in the order of the alphabet and send to different numbers of pages, at least two of
#   them to several: the rows of a table have equally many values, and values that fall.
#
# A long one is handed out in pieces, each of which is such a list by itself: a chunk is looked at without its document.
_PIECE = 1_200  # characters
_LEAST_ENTRIES, _LEAST_WITHOUT_DOTS, _SEVERAL = 3, 12, 2  # entries, and of these such with several pages
_LEAST_NUMBERED, _NUMBERED, _RISING = 5, 0.8, 0.9
_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ |]+(?=\S)")
_ORDERED = 0.7  # of the neighbours; those under another entry begin anew
_DOTTED = 0.5  # of the entries: those of a chapter may have none
_DOTS = 4
_LONGEST_ENTRY, _SHORT, _LETTER = (
    400,
    50,
    3,
)  # characters of an entry, of a line between entries, and of one that is no word
_DIGITS = 4  # of a page
_ENDS = frozenset("0123456789,ivxl")  # of a line with pages


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line at `start`..`end`, from the lines on that stand between it and the one before: `term`, then `pages`.

    `section` holds the number that it begins with, level by level.
    """

    start: int
    end: int
    term: str
    pages: tuple[int, ...]
    dotted: bool
    section: tuple[int, ...]


def page_lists(text: str, begin: int) -> Iterator[Place]:
    """The pieces of lists of pages behind `begin`, in order."""
    run: list[_Entry] = []
    since, between, at = -1, 0, begin
    for line in [*text[begin:].split("\n"), "An end."]:
        end, bare = min(at + len(line) + 1, len(text)), line.strip()
        entry = _entry(bare) if len(bare) <= _LONGEST_ENTRY else None
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


def _entry(line: str) -> tuple[str, tuple[int, ...], bool, tuple[int, ...]] | None:
    """The term of a line, its pages, whether dots lead to them, and its section; None where it is no entry."""
    bare = line.strip("| ")
    numbered = _SECTION.match(bare)
    if numbered or bare.count(".") >= _DOTS:  # its parts may stand in cells
        line = bare.replace("|", " ").rstrip()
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
    parted = dotted or ((short or numbered) and listed[0] in ", " and not roman)
    section = tuple(map(int, numbered[1].split("."))) if numbered else ()
    return (title, pages, dotted, section) if rising and parted else None


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
    if len(run) < _LEAST_ENTRIES:
        return False
    terms = ["".join(filter(str.isalnum, one.term)).casefold() for one in run]
    sorted_share = _share(one <= other for one, other in pairwise(terms))
    if sum(one.dotted for one in run) >= _DOTTED * len(run):
        rising_share = _share(one.pages[0] <= other.pages[0] for one, other in pairwise(run))
        return max(sorted_share, rising_share) >= _ORDERED and len({one.pages for one in run}) > 1
    if _is_numbered(run):
        return True
    several = [len(one.pages) for one in run if len(one.pages) > 1]
    varied = len(several) >= _SEVERAL and len({len(one.pages) for one in run}) > 1
    return len(run) >= _LEAST_WITHOUT_DOTS and varied and sorted_share >= _ORDERED


def _is_numbered(run: Sequence[_Entry]) -> bool:
    """Whether the lines begin with sections in their order, on several levels, and their pages rise."""
    sections = [one.section for one in run if one.section]
    if len(sections) < max(_LEAST_NUMBERED, _NUMBERED * len(run)) or len(set(map(len, sections))) < _SEVERAL:
        return False
    pages = [one.pages[0] for one in run if len(one.pages) == 1]
    follow = _share(
        after == (*before, 1) or any(after == (*before[:at], number + 1) for at, number in enumerate(before))
        for before, after in pairwise(sections)
    )
    rises = _share(before <= after for before, after in pairwise(pages)) if len(pages) == len(run) else 0
    return follow >= _NUMBERED and rises >= _RISING and len(set(pages)) > _SEVERAL
