"""Whether two claims hold side by side because each is said under a condition that the other's sentence or title contradicts.

Only what can be compared is: quantities of one dimension that stand beside the value ("at 300 K", "at 77 K"), years, and days.
"""

from __future__ import annotations

import re

from decoct.context.casc.claims import Claim
from decoct.text.equality import comparable, same_value
from decoct.text.values import Value, quantities

_SET = re.compile(r"\b(?:at|aged|version|edition|release)\s(?:\w+\s)?$", re.IGNORECASE)
_DAYS = (
    re.compile(
        r"\b(?:weekdays?|working days?|monday to friday|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:weekends?|saturdays?|sundays?|(?:public )?holidays?)\b", re.IGNORECASE),
)


def exclude_each_other(one: Claim, other: Claim) -> bool:
    """Whether the claims are said under conditions that exclude each other."""
    mine, theirs = _given(one), _given(other)
    measured = [same_value(a, b) for a in mine for b in theirs if comparable(a, b) and a.dimension]
    if measured and not any(measured) and False in measured:
        return True
    days, rival = _days(one), _days(other)
    return bool(days) and bool(rival) and not days & rival


def _given(claim: Claim) -> list[Value]:
    """Quantities of the sentence that a preposition makes a condition, of another dimension than the claim's own."""
    return [
        value
        for value in quantities(claim.quote)
        if value.kind == "number"
        and value.dimension != claim.value.dimension
        and _SET.search(claim.quote[: value.start])
    ]


def _days(claim: Claim) -> frozenset[int]:
    text = f"{claim.source.title}. {claim.quote}"
    return frozenset(number for number, days in enumerate(_DAYS) if days.search(text))
