"""Which of the passages are of an edition that a later one among them replaces: "Shift rules 2023" where "Shift rules 2025" is read too.

Two names are of editions of one thing where they are the same words but for their years; the one with the later year holds, unless the
question names the year of the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")


def replaced_editions(question: str, names: Sequence[str]) -> frozenset[str]:
    """Those of `names` that a later edition among them replaces."""
    asked = set(_YEAR.findall(question))
    years = {name: set(_YEAR.findall(name)) for name in names}
    latest: dict[tuple[str, ...], str] = {}
    for name, held in years.items():
        if held:
            frame = _frame(name)
            latest[frame] = max(latest.get(frame, ""), *held)
    return frozenset(
        name for name, held in years.items() if held and not held & asked and max(held) < latest[_frame(name)]
    )


def _frame(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(name))
