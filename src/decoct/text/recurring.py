"""The days of the week and the months that a text speaks of, of any year: "on Mondays", "Tuesday to Friday", "March and October"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.text.lists import table

_DAYS: dict[str, int] = {name: day for day, line in enumerate(table("dates")["weekdays"]) for name in line.split()}
_MONTHS: dict[str, int] = {name: month for month, line in enumerate(table("dates")["months"]) for name in line.split()}
WEEKDAYS = frozenset(_DAYS)
"""The names of the days and their abbreviations, in lower case."""

_GROUPS = {
    "weekday": range(5),
    "weekdays": range(5),
    "weekend": range(5, 7),
    "weekends": range(5, 7),
    "daily": range(7),
}
_TO = r"\s?(?:to|till|until|through|–|—|-)\s?"
_DAY = re.compile(
    rf"(?<![\w-])(?P<first>{'|'.join(_DAYS)})s?\.?(?:{_TO}(?P<last>{'|'.join(_DAYS)})s?)?(?![\w])"
    rf"|(?<![\w-])(?P<group>{'|'.join(_GROUPS)}|every day)(?!\w)",
    re.IGNORECASE,
)
# A capital, for "may" and "march" are verbs too.
_NAMES = "|".join(sorted((name.capitalize() for name in _MONTHS), key=len, reverse=True))
_MONTH = re.compile(rf"(?<![\w-])(?P<first>{_NAMES})\.?(?:{_TO}(?P<last>{_NAMES}))?(?!\w)")


def weekdays(text: str) -> frozenset[int]:
    """The days of the week that `text` names, Monday 0."""
    found: set[int] = set()
    for match in _DAY.finditer(text):
        group = (match["group"] or "").lower()
        if group:
            found.update(_GROUPS.get(group, range(7)))
        elif match["first"].lower() not in ("sun", "sat", "mon", "wed") or match["first"][0].isupper():
            found.update(_around(_DAYS, match, 7))
    return frozenset(found)


def months(text: str) -> frozenset[int]:
    """The months that `text` names, January 0; with a capital, as English has it."""
    return frozenset(month for match in _MONTH.finditer(text) for month in _around(_MONTHS, match, 12))


def _around(numbers: dict[str, int], match: re.Match[str], size: int) -> Sequence[int]:
    first = numbers[match["first"].lower()]
    last = numbers[match["last"].lower()] if match["last"] else first
    return [number % size for number in range(first, last + 1 if last >= first else last + size + 1)]
