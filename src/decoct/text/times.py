"""Times of the day as a clock shows them: "9:30", "9.30 am", "15:00 UTC", "3 o'clock", "noon", "half past nine", "2:08:41".

A time is its seconds since midnight. "9:30" without a half of the day may also be half past nine in the evening: that is its other reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from decoct.text.lists import table
from decoct.text.units import unit_after

_HOURS = {
    word: n for n, word in enumerate(("one two three four five six seven eight nine ten eleven twelve").split(), 1)
}
_HOUR = r"(?:2[0-4]|[01]?\d)"
_PART = r"(?P<part>in the (?:morning|afternoon|evening)|at night)"
_ZONE = r"(?:\s?(?P<zone>" + "|".join(sorted(table("dates")["zones"], key=len, reverse=True)) + r")(?!\w))?"
_CLOCK = re.compile(
    rf"(?<![\w:.,$€£+])(?P<h>{_HOUR})(?::(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?![\d:])|\.(?P<dot>[0-5]\d)(?=\s?[ap]\.?m\b))?"
    rf"\s?(?P<half>[ap]\.?\s?m\b\.?)?(?P<sharp>\s?o['’]clock(?:\s?{_PART})?)?(?-i:{_ZONE})",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?<=\dT)(?P<h>[01]\d|2[0-3]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?P<zone>Z)?")
_PAST = re.compile(
    rf"\b(?P<amount>half(?= past)|quarter|ten|twenty|five) (?P<way>past|to) (?P<hour>{'|'.join(_HOURS)})\b(?:\s{_PART})?",
    re.IGNORECASE,
)
_SPELT = re.compile(
    rf"\b(?:(?P<hour>{'|'.join(_HOURS)})(?=\s(?:o['’]clock|in the [mae]|at night))(?:\so['’]clock)?(?:\s{_PART})?|noon|midday|midnight)\b",
    re.IGNORECASE,
)
_MINUTES = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_HALF_DAY = 43200.0
DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Characters `start` to `end` say `seconds` since midnight, stated to `step` seconds; `other` is the further reading.

    `zone` is minutes before or after UTC where the text names a zone. `lasting`: hours, minutes and seconds, which may be a duration.
    """

    start: int
    end: int
    seconds: float
    step: float
    other: float | None = None
    zone: int | None = None
    lasting: bool = False


def times(text: str) -> list[Clock]:
    """The times written in `text`, in order, none inside another."""
    found = [*_written(text), *_spelt(text)]
    kept: list[Clock] = []
    for clock in sorted(found, key=lambda clock: (clock.start, -clock.end)):
        if not kept or clock.start >= kept[-1].end:
            kept.append(clock)
    return kept


def _written(text: str) -> list[Clock]:
    found = []
    for match in (*_CLOCK.finditer(text), *_ISO.finditer(text)):
        groups = match.groupdict()
        minutes = groups["m"] or groups.get("dot")
        half = (groups.get("half") or groups.get("part") or "").lower()
        if minutes is None and not half and not groups.get("sharp"):
            continue
        hours = int(groups["h"])
        known = bool(half) or hours > 12 or hours == 0 or groups["h"].startswith("0") or match.re is _ISO
        if half and 1 <= hours <= 12:
            hours = hours % 12 + (12 if _is_late(half, hours % 12) else 0)
        seconds = 3600.0 * hours + 60 * int(minutes or 0) + int(groups["s"] or 0)
        zone = table("dates")["zones"][groups["zone"]] if groups.get("zone") else None
        step = 1.0 if groups["s"] else 60.0 if minutes else 3600.0
        lasting = groups["s"] is not None and not half
        end = match.start() + len(match.group().rstrip())
        other = None if known else (seconds + _HALF_DAY) % DAY
        found.append(Clock(match.start(), end, seconds, step, other, zone, lasting))
    return found


def _is_late(half: str, hours: float) -> bool:
    """Whether "pm", "in the evening" and the like put an hour of the dial (0 to 12) into the second half of the day."""
    return half[0] == "p" or half.endswith(("afternoon", "evening")) or (half.endswith("night") and hours >= 6)


def _spelt(text: str) -> list[Clock]:
    found = []
    for match in _PAST.finditer(text):
        minutes = _MINUTES[match["amount"].lower()] * (1 if match["way"].lower() == "past" else -1)
        found.append(_told_by_words(match, 60.0 * minutes, 60.0))
    for match in _SPELT.finditer(text):
        word = match.group().lower()
        if match["hour"]:
            found.append(_told_by_words(match, 0.0, 3600.0))
        else:
            found.append(Clock(*match.span(), 0.0 if word == "midnight" else _HALF_DAY, 3600.0))
    return found


def _told_by_words(match: re.Match[str], beside: float, step: float) -> Clock:
    """The time `beside` seconds from the hour of `match`, in one half of the day where the words tell which."""
    hour, part = _HOURS[match["hour"].lower()], (match["part"] or "").lower()
    seconds = (3600.0 * (hour % 12) + beside) % _HALF_DAY if part or beside else 3600.0 * hour
    if part:
        return Clock(*match.span(), (seconds + (_HALF_DAY if _is_late(part, seconds / 3600) else 0.0)) % DAY, step)
    return Clock(*match.span(), seconds % DAY, step, (seconds + _HALF_DAY) % DAY)


# The days of the week and the months that a text speaks of, of any year: "on Mondays", "Tuesday to Friday", "March and October".
_DAYS: dict[str, int] = {name: day for day, line in enumerate(table("dates")["weekdays"]) for name in line.split()}
_MONTHS: dict[str, int] = {name: month for month, line in enumerate(table("dates")["months"]) for name in line.split()}
WEEKDAYS = frozenset(_DAYS)
"""The names of the days and their abbreviations, in lower case."""

_GROUPS = {
    "weekday": range(5),
    "weekdays": range(5),
    "working day": range(5),
    "working days": range(5),
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


# How often something happens: "weekly", "twice a year".
_OFTEN: dict[str, str] = table("dates")["often"]
_TIMES: dict[str, int] = {"once": 1, "twice": 2, "thrice": 3}
_INTERVAL = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_OFTEN)})|(?P<times>{'|'.join(_TIMES)}|(?P<many>\d+|{'|'.join(_HOURS)}) times) (?:an?|per|each|every)"
    r" (?P<unit>hour|day|week|month|quarter|year))\b",
    re.IGNORECASE,
)


def intervals(text: str) -> list[tuple[int, int, float]]:
    """Where a text says how often something happens, with the seconds from one time to the next."""
    found = []
    for match in _INTERVAL.finditer(text):
        if match["word"]:
            seconds = _seconds(_OFTEN[match["word"].lower()])
        else:
            many = match["many"] or ""
            count = int(many) if many.isdigit() else _HOURS.get(many.lower()) or _TIMES[match["times"].lower()]
            seconds = _seconds(match["unit"].lower()) / max(1, count)
        found.append((*match.span(), seconds))
    return found


def _seconds(period: str) -> float:
    """How long a period lasts, by the units of time."""
    many: int
    many, name = table("dates")["periods"].get(period, (1, period))
    unit = unit_after(name, 0)
    if unit is None:
        raise KeyError(period)
    return many * unit.factor
