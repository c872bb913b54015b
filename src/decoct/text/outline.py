"""What stands over a place of a text: the headings above it and the items of the list that it lies below.

A heading is a line with `#`, an underlined or numbered one, or a short line by itself; none stands in fenced code or is a field of a
record. A question by itself is one too, and may be longer: what follows answers it. Headings of Markdown and underlined ones have levels,
any other is below those. An item is below the last one before it that is less indented; a term is over itself and all that is said of it
further in (`terms`). A text is a row of parts, each with the headings, items and terms over it: who reads "Day ticket: 5 euros" has to
know that it is below "Children".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from decoct.text.sentences import fenced_code
from decoct.text.terms import terms
from decoct.text.wholes import FIELD, ITEM_MARK, Place

_LONGEST_HEADING, _MOST_WORDS = 80, 12
_LONGEST_QUESTION, _MOST_ASKED = 160, 25  # characters and words of a question by itself
_FULL_LINE = 60  # characters: no line is broken much before, so where the next word would have reached there it may have been broken
_LONGEST_ITEM = 120  # characters of an item that names what is below it
_MARKED = re.compile(r"(#{1,6})\s+\S")
_UNDERLINE = re.compile(r"([=\-~^\"'`*+#:.<>_])\1{2,}\s*")
_NUMBERED = re.compile(r"\(?\d{1,3}(?:\.\d{1,3})*[.)]?\s+\S")
_OPENERS = "\"'“‘«([`*_"
_GOES_ON = re.compile(r"[.!;,:…|]$")
_LOWEST = 7  # the level of a heading that says none
_BOLD = ("**", "__")
_DRESS = " \t#*_`="


@dataclass(frozen=True, slots=True)
class HeadedSection:
    """The words of its heading, "" where the text begins without one, the place of what stands under it, and of the fenced code in that.

    `above` are the headings over it, outermost first, its own last.
    """

    heading: str
    place: Place
    code: tuple[Place, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """Characters `start` to `end` of a text; `above` are the headings and the items over them, outermost first."""

    start: int
    end: int
    above: tuple[str, ...]


def sections(text: str) -> Iterator[HeadedSection]:
    """The sections of `text` that hold something, in order."""
    code, named = fenced_code(text), terms(text)
    lines = [(found.start(), found.group()) for found in re.finditer(r"[^\n]+", text)]
    over: list[tuple[int, str]] = []
    heading, begin = "", 0
    for number, (at, line) in enumerate(lines):
        headed = bool(heading and not text[begin:at].strip())
        before = text[:at].endswith("\n\n") or not text[:at].strip() or headed
        below = lines[number + 1] if number + 1 < len(lines) else (len(text), "")
        after = below[1].strip()
        goes_on = after.lstrip(_OPENERS)[:1].islower() and not ITEM_MARK.match(after)
        full = len(line) + len(after.partition(" ")[0]) >= _FULL_LINE and not _UNDERLINE.fullmatch(after)
        beside = (below[1], lines[number - 1][1] if number else "")
        record = _is_named(line) and (headed or any(map(_is_named, beside)))
        # A line of running text, broken, or of a record; a question is at its end.
        wrapped = below[0] == at + len(line) + 1 and (goes_on or (full and not _asks(line)))
        wrapped |= record and not _asks(line)
        wrapped |= below[1][:1].isspace() and ITEM_MARK.match(after) is not None  # an item with others below it
        if within(code, at) or within(named, at) or not _is_heading(line.strip(), after, alone=before and not wrapped):
            continue
        if text[begin:at].strip():
            yield _section(heading, (begin, at), code, over)
            heading = ""
        if not _UNDERLINE.fullmatch(line.strip()):
            level = _level(line.strip(), after)
            over = [*(one for one in over if one[0] < level), (level, line.strip(_DRESS))]
        heading = f"{heading} {line.strip()}".strip()
        begin = at + len(line)
    if text[begin:].strip():
        yield _section(heading, (begin, len(text)), code, over)


@lru_cache(maxsize=512)
def outline(text: str) -> tuple[PlacedPart, ...]:
    """The parts of `text` that hold something, in order; headings lie in none."""
    return tuple(part for section in sections(text) for part in _parts(text, section))


def above(text: str, at: int) -> tuple[str, ...]:
    """The headings and items over character `at`, outermost first."""
    return next((part.above for part in outline(text) if part.start <= at < part.end), ())


def item_name(words: str) -> str:
    """What an item is called by those below it: its words without its mark, the first of them."""
    return words.strip().rstrip(":")[:_LONGEST_ITEM]


def _parts(text: str, section: HeadedSection) -> Iterator[PlacedPart]:
    """The section cut where the items over its lines are others; whole where no item has others below it."""
    found: list[PlacedPart] = []
    over: list[tuple[int, str]] = []  # items and terms, each with its indent
    named = {start: item_name(" ".join(text[start:end].split())) for start, end in terms(text)}
    defined = set[int]()  # the indents of terms in `over`
    for line in re.finditer(r"[^\n]*\S[^\n]*", text[: section.place[1]][section.place[0] :]):
        at, end = section.place[0] + line.start(), section.place[0] + line.end()
        bare = line.group().lstrip()
        indent = len(line.group()) - len(bare)
        mark, code = ITEM_MARK.match(bare), within(section.code, at)
        term = None if code else named.get(end - len(bare))
        if code:
            pass
        elif mark or term:
            over = [one for one in over if one[0] < indent]
        elif not indent:
            over = []
        else:
            over = [one for one in over if one[0] < indent or one[0] not in defined]
        defined &= {column for column, _ in over}
        if term:
            over.append((indent, term))
            defined.add(indent)
        last_names = mark or code or (over and over[-1][0] in defined)
        path = (*section.above, *(name for _, name in (over if last_names else over[:-1])))
        if found and found[-1].above == path:
            found[-1] = PlacedPart(found[-1].start, end, path)
        else:
            found.append(PlacedPart(at, end, path))
        if mark and not code:
            over = [*over, (indent, item_name(bare[mark.end() :]))]
    yield from found


def _section(heading: str, place: Place, code: Sequence[Place], over: Sequence[tuple[int, str]]) -> HeadedSection:
    inside = tuple(one for one in code if place[0] <= one[0] and one[1] <= place[1])
    return HeadedSection(heading, place, inside, tuple(name for _, name in over if name))


def _level(line: str, after: str) -> int:
    if (marked := _MARKED.match(line)) is not None:
        return len(marked[1])
    if (under := _UNDERLINE.fullmatch(after)) is not None:
        return 1 if under[1] == "=" else 2
    return _LOWEST


def within(ranges: Sequence[Place], at: int) -> bool:
    """Whether character `at` lies in one of the ranges."""
    return any(start <= at < end for start, end in ranges)


def _asks(line: str) -> bool:
    return line.rstrip(_DRESS).endswith("?")


def _is_named(line: str) -> bool:
    """Whether a line is a field ("Default: 30"), and no numbered heading ("Chapter 2: Installation")."""
    field = FIELD.fullmatch(line)
    return field is not None and not any(map(str.isdigit, field[1]))


def _is_heading(line: str, after: str, *, alone: bool) -> bool:
    if _MARKED.match(line) or _UNDERLINE.fullmatch(line):
        return True
    longest, most = (_LONGEST_QUESTION, _MOST_ASKED) if _asks(line) else (_LONGEST_HEADING, _MOST_WORDS)
    if not alone or not after or len(line) > longest or len(line.split()) > most:
        return False
    if _GOES_ON.search(line) or "|" in line or (line.startswith(_BOLD) and FIELD.fullmatch(line)):
        return False  # "**Default:** 30" is a field of what is above it
    if ITEM_MARK.match(line):  # "4. Termination" above its clauses, and no step of several
        return _NUMBERED.match(line) is not None and _NUMBERED.match(after) is None
    return True
