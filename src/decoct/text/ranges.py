"""Heads of columns and names of rows that are ranges or limits: "7-18 bottles", "from 50 kg", "under 2 hours", "Monday-Thursday".

A question names such a head by what lies in it ("12 bottles"), not by its words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from decoct.text.times import weekdays
from decoct.text.values import Value, parse_values
from decoct.text.words import content_stems

_FROM = re.compile(r"from\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedRange:
    """From `low` to `high`, without these ends where the range is `open` there, of what `value` counts or measures."""

    value: Value
    low: float
    high: float
    open: bool

    def holds(self, value: Value) -> bool:
        """Whether a value of this kind lies in the range; a count of another noun is of another kind."""
        nouns = content_stems(value.noun), content_stems(self.value.noun)
        if (
            value.kind != "number"
            or value.dimension != self.value.dimension
            or (all(nouns) and not nouns[0] & nouns[1])
        ):
            return False
        if self.open:
            return self.low < value.low and value.high < self.high
        return self.low <= value.low and value.high <= self.high


def held_by_ranges(question: str, heads: Sequence[str]) -> frozenset[int]:
    """Which of several heads that are ranges or limits hold a quantity, or the days, of the question."""
    values, days = [one for one in parse_values(question) if one.kind == "number"], weekdays(question)
    if not values and not days:
        return frozenset()
    ranges = {n: one for n, head in enumerate(heads) if (one := _range_of(head)) is not None}
    spans = {n: told for n, head in enumerate(heads) if days and len(told := weekdays(head)) > 1}
    held = {n for n, one in ranges.items() if len(ranges) > 1 and any(map(one.holds, values))}
    return frozenset(held | {n for n, told in spans.items() if days <= told})


@lru_cache(maxsize=4096)
def _range_of(head: str) -> NamedRange | None:
    values = parse_values(head)
    if len(values) != 1 or values[0].kind != "number":
        return None
    value = values[0]
    side = value.bound or value.limit or ("≥" if _FROM.match(head) else "")
    if not side:
        return NamedRange(value, value.low, value.high, open=False) if value.low < value.high else None
    above = side in (">", "≥")
    return NamedRange(
        value, value.low if above else -math.inf, math.inf if above else value.high, open=side in ("<", ">")
    )
