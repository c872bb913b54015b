"""Which sources are editions of one publication: their names are the same but for a year or the number of a version.

"Pilotage Directions 2021" and "Pilotage Directions 2026" by their titles, `dues-2025.xlsx` and `dues-2026.xlsx` by their files. A number
that is neither year nor version parts two things of one kind ("Notice 9", "Notice 14").
"""

from __future__ import annotations

import re
from pathlib import PurePath

from decoct.context.casc.sources import EvidenceSource

_NUMBER = re.compile(
    r"(?<![\d.,])(?:(?:19|20)\d\d|(?<=\bv)\d+(?:\.\d+)*|(?<=version )\d+(?:\.\d+)*)(?!\d|[-/.,]\d)", re.IGNORECASE
)
_LETTER = re.compile(r"[^\W\d_]{3}")


def is_older_edition(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether `one` is an older edition of the publication that `other` is; such are of one kind."""
    return one.kind == other.kind and any(
        mine is not None and theirs is not None and mine[0] == theirs[0] and mine[1] < theirs[1]
        for mine, theirs in (
            (_numbered(one.title), _numbered(other.title)),
            (_numbered(_stem(one)), _numbered(_stem(other))),
        )
    )


def are_editions(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether both are editions of one publication."""
    return is_older_edition(one, other) or is_older_edition(other, one)


def _numbered(name: str) -> tuple[str, list[tuple[int, ...]]] | None:
    """A name without its years and versions, and these; None where it has none, or nothing else."""
    found = [tuple(map(int, number.split("."))) for number in _NUMBER.findall(name)]
    rest = _NUMBER.sub("#", name).casefold()
    return (rest, found) if found and _LETTER.search(rest) else None


def _stem(source: EvidenceSource) -> str:
    """The name of the source's file."""
    return PurePath(source.doc_id).stem.replace("_", "-")
