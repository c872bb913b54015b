"""The numbers of a Word document's lists and headings, counted as Word counts them (ECMA-376 part 1, 17.9).

A paragraph belongs to a list by its own properties or by its style's. Lists that share a definition go on counting, unless one begins
anew; a level counts from its start again after one above it has counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from decoct.documents.counted import counted, whole

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BULLET = "-"
_PLACE = re.compile(r"%([1-9])")
_LEVELS = 9
_KINDS = {
    "lowerRoman": "i", "upperRoman": "I", "lowerLetter": "aa", "upperLetter": "AA", "decimalZero": "01", "ordinal": "1st",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListMark:
    """What stands before a paragraph of a list: its number, or `BULLET`, and how deep its level is, from 0."""

    text: str
    level: int


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str
    style: str
    legal: bool
    restart: int  # it counts on below levels from this one on


@dataclass(slots=True)
class _List:
    """A list that paragraphs name: whose definition it counts with, its levels, and where they begin anew."""

    definition: str
    levels: dict[int, _Level]
    anew: dict[int, int]
    begun: set[int] = field(default_factory=set)


class Numbering:
    """Counts the paragraphs of a document in their order. `numbering` and `styles` are the roots of those parts, or None."""

    def __init__(self, numbering: Any, styles: Any) -> None:  # noqa: ANN401 - lxml has no types
        self._styles = _styles(styles)
        self._lists = _lists(numbering, self._styles) if numbering is not None else {}
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def mark(self, paragraph: Any) -> ListMark | None:  # noqa: ANN401
        """The mark of the next paragraph; None where it is in no list, or its level shows none."""
        place = self._place(paragraph)
        found = self._lists.get(place[0]) if place else None
        if found is None or place is None or (level := found.levels.get(place[1])) is None:
            return None
        at = place[1]
        counts = self._counts[found.definition]
        if at in found.anew and at not in found.begun:
            counts.pop(at, None)
        found.begun.add(at)
        for number in range(at):
            counts.setdefault(
                number, found.anew.get(number, found.levels[number].start if number in found.levels else 1)
            )
        counts[at] = counts.get(at, found.anew.get(at, level.start) - 1) + 1
        for deeper in [
            one for one in counts if one > at and (one not in found.levels or at < found.levels[one].restart)
        ]:
            del counts[deeper]
        if level.form == "bullet":
            return ListMark(BULLET, at)
        text = _PLACE.sub(lambda place: _counted(found, counts, int(place[1]) - 1, legal=level.legal), level.text)
        return ListMark(" ".join(text.split()), at) if level.form != "none" and text.strip() else None

    def _place(self, paragraph: Any) -> tuple[str, int] | None:  # noqa: ANN401
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return None
        own = properties.find(f"{W}numPr")
        style = properties.find(f"{W}pStyle")
        named, level = self._of_style(style.get(f"{W}val", "") if style is not None else "")
        if own is not None:
            number, depth = own.find(f"{W}numId"), own.find(f"{W}ilvl")
            named = number.get(f"{W}val", "") if number is not None else named
            level = _whole(depth, 0) if depth is not None else level
        return (named, level) if named and named != "0" else None

    def _of_style(self, style: str) -> tuple[str, int]:
        """The list and level that a style, or one that it is based on, puts its paragraphs in."""
        first, seen = style, set()
        while style in self._styles and style not in seen:
            seen.add(style)
            named, level, base = self._styles[style]
            if named:
                levels = self._lists[named].levels if named in self._lists else {}
                own = next((at for at, one in levels.items() if one.style in (first, style)), None)
                return named, level if level is not None else own or 0
            style = base
        return "", 0


def _styles(root: Any) -> dict[str, tuple[str, int | None, str]]:  # noqa: ANN401
    """By style: the list it names, the level, and the style it is based on."""
    found: dict[str, tuple[str, int | None, str]] = {}
    for style in root.iterchildren(f"{W}style") if root is not None else ():
        number = style.find(f"{W}pPr/{W}numPr/{W}numId")
        level = style.find(f"{W}pPr/{W}numPr/{W}ilvl")
        base = style.find(f"{W}basedOn")
        found[style.get(f"{W}styleId", "")] = (
            number.get(f"{W}val", "") if number is not None else "",
            _whole(level, 0) if level is not None else None,
            base.get(f"{W}val", "") if base is not None else "",
        )
    return found


def _lists(root: Any, styles: dict[str, tuple[str, int | None, str]]) -> dict[str, _List]:  # noqa: ANN401
    definitions = {one.get(f"{W}abstractNumId", ""): one for one in root.iterchildren(f"{W}abstractNum")}
    named = {one.get(f"{W}numId", ""): one for one in root.iterchildren(f"{W}num")}
    found: dict[str, _List] = {}
    for number, one in named.items():
        key = _value(one.find(f"{W}abstractNumId"))
        definition = definitions.get(key)
        link = _value(definition.find(f"{W}numStyleLink")) if definition is not None else ""
        if link and (other := named.get(styles.get(link, ("", None, ""))[0])) is not None:
            key = _value(other.find(f"{W}abstractNumId"))
            definition = definitions.get(key)
        levels = _levels(definition) if definition is not None else {}
        anew: dict[int, int] = {}
        for override in one.iterchildren(f"{W}lvlOverride"):
            at = whole(override.get(f"{W}ilvl"), 0)
            if (start := override.find(f"{W}startOverride")) is not None:
                anew[at] = _whole(start, 1)
            levels |= _levels(override)
        found[number] = _List(key, levels, anew)
    return found


def _levels(element: Any) -> dict[int, _Level]:  # noqa: ANN401
    found: dict[int, _Level] = {}
    for level in element.iterchildren(f"{W}lvl"):
        at = level.get(f"{W}ilvl") or ""
        if at.isdecimal() and int(at) < _LEVELS:
            found[int(at)] = _Level(
                _whole(level.find(f"{W}start"), 0 if level.find(f"{W}start") is None else 1),
                _value(level.find(f"{W}numFmt")) or "decimal",
                _value(level.find(f"{W}lvlText")),
                _value(level.find(f"{W}pStyle")),
                level.find(f"{W}isLgl") is not None,
                _whole(level.find(f"{W}lvlRestart"), _LEVELS),
            )
    return found


def _counted(found: _List, counts: dict[int, int], at: int, *, legal: bool) -> str:
    number = counts.get(at, 1)
    form = found.levels[at].form if at in found.levels and not legal else "decimal"
    return "" if form in ("none", "bullet") else counted(number, _KINDS.get(form, "1"))


def _value(element: Any) -> str:  # noqa: ANN401
    return "" if element is None else element.get(f"{W}val") or ""


def _whole(element: Any, otherwise: int) -> int:  # noqa: ANN401
    return whole(_value(element), otherwise)
