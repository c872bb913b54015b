"""Dates as people write them, each the range of days it may mean: "9 April 2023" one day, "April 2023" a month, "2023" a year.

Two dates agree where one range holds the other (METHODS 3.4: the coarser contains the finer). Days are proleptic ordinals.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name} | {
    name.lower(): i for i, name in enumerate(calendar.month_abbr) if name
}
MONTHS["sept"] = 9
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"(?<![\w-])(?:(?P<iso>[12]\d{{3}}-[01]\d(?:-[0-3]\d)?)"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\.?,? (?P<y1>[12]\d{{3}})"
    rf"|(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>[12]\d{{3}})"
    rf"|(?P<m3>{_MONTH})\.?,? (?P<y3>[12]\d{{3}})"
    rf"|(?P<d4>\d{{1,2}}) (?P<m4>{_MONTH})(?![\w])"
    rf"|(?P<y5>1[0-9]\d\d|20\d\d)(?:s(?P<decade>))?)(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """Characters `start` to `end` name the days `first` to `last`; `year` alone may also be a plain number."""

    start: int
    end: int
    first: int
    last: int
    bare: bool = False


def dates(text: str) -> list[When]:
    """The dates written in `text`, in order; what is no day of the calendar is left out."""
    found = []
    for match in _DATE.finditer(text):
        days = _days(match)
        if days is not None:
            found.append(When(match.start(), match.end(), *days, bare=match["y5"] is not None))
    return found


def day_of(text: str) -> int | None:
    """The first day that the date at the beginning of `text` (ISO or written) may mean; None where there is no date."""
    return next((when.first for when in dates(text)), None)


def _days(match: re.Match[str]) -> tuple[int, int] | None:
    if match["iso"]:
        iso = [int(part) for part in match["iso"].split("-")]
        return _range(iso[0], iso[1], iso[2] if len(iso) > 2 else 0)
    for i in "1234":
        groups = match.groupdict()
        if groups.get(f"m{i}"):
            year = int(groups.get(f"y{i}") or 0)
            day = int(groups.get(f"d{i}") or 0)
            # A day without a year is compared as one of a nameless leap year: equal days agree.
            return _range(year or 4, MONTHS[match[f"m{i}"].lower()], day)
    year = int(match["y5"])
    if match["decade"] is not None:
        return date(year, 1, 1).toordinal(), date(min(year + 9, 9999), 12, 31).toordinal()
    return _range(year, 0, 0)


def _range(year: int, month: int, day: int) -> tuple[int, int] | None:
    try:
        if not month:
            return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
        last = calendar.monthrange(year, month)[1]
        return date(year, month, day or 1).toordinal(), date(year, month, day or last).toordinal()
    except ValueError:
        return None
