"""Which sources are editions of one publication: their names are the same but for a year or the number of a version.

"Pilotage Directions 2021" and "Pilotage Directions 2026" by their titles, `dues-2025.xlsx` and `dues-2026.xlsx` by their files. Where one
of the names has neither ("Pilotage Directions"), the sources' own dates tell the older. A number that is neither year nor version parts
two things of one kind ("Notice 9", "Notice 14").
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TypeAlias

from decoct.context.casc.sources import EvidenceSource

_NUMBER = re.compile(
    r"(?<![\d.,])(?:(?:19|20)\d\d|(?<=\bv)\d+(?:\.\d+)*|(?<=version )\d+(?:\.\d+)*)(?!\d|[-/.,]\d)", re.IGNORECASE
)
_MARK = re.compile(rf"(?:\b(?:version|edition|v)[ ]?)?{_NUMBER.pattern}(?:[ ]edition\b)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_Numbered: TypeAlias = tuple[str, list[tuple[int, ...]]]
_LETTER = re.compile(r"[^\W\d_]{3}")


def is_older_edition(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether `one` is an older edition of the publication that `other` is; such are of one kind."""
    dated = one.day is not None and other.day is not None and one.day < other.day
    return one.kind == other.kind and any(
        _is_older(_numbered(mine), _numbered(theirs)) or (dated and _is_one_numbered(mine, theirs))
        for mine, theirs in ((one.title, other.title), (_stem(one), _stem(other)))
    )


def are_editions(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether both are editions of one publication."""
    if is_older_edition(one, other) or is_older_edition(other, one):
        return True
    return one.kind == other.kind and (
        _is_one_numbered(one.title, other.title) or _is_one_numbered(_stem(one), _stem(other))
    )


def _is_older(mine: _Numbered | None, theirs: _Numbered | None) -> bool:
    return mine is not None and theirs is not None and mine[0] == theirs[0] and mine[1] < theirs[1]


def _is_one_numbered(one: str, other: str) -> bool:
    """Whether the names are the same, and just one of them has a year or version."""
    bare, numbered = (one, other) if _numbered(one) is None else (other, one)
    return _numbered(bare) is None and _numbered(numbered) is not None and _letters(bare) == _letters(numbered)


def _letters(name: str) -> list[str]:
    """The words and other numbers of a name."""
    return _WORD.findall(_MARK.sub(" ", name).casefold())


def _numbered(name: str) -> _Numbered | None:
    """A name without its years and versions, and these; None where it has none, or nothing else."""
    found = [tuple(map(int, number.split("."))) for number in _NUMBER.findall(name)]
    rest = _NUMBER.sub("#", name).casefold()
    return (rest, found) if found and _LETTER.search(rest) else None


def _stem(source: EvidenceSource) -> str:
    """The name of the source's file."""
    return PurePath(source.doc_id).stem.replace("_", "-")
