"""Dates as people write them, each the range of days that it may mean: "9 April 2023" one day, "April 2023" a month, "2023" a year.

Read are ISO dates, "3 May 2021", "May 3rd, 2021", "2021 May 3", "3. Mai 2021", "03.05.2021", "2021年5月3日", a day without its year,
quarters, halves, seasons, "early 2021", decades, centuries, years BC, and ranges of days, months and years. "03/05/2021" has two
readings, as have seasons (of both hemispheres). What is no day of the calendar is left out. Days are proleptic Gregorian ordinals, as
`date.toordinal`.

Not dateparser or dateutil: both make a date of "5 kg" or "may" in running text, and neither keeps how precisely a date is stated.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from decoct.text.lists import MONTHS, ORDINALS

Days = tuple[int, int]

YEARLESS = 4  # a day without a year is kept as one of this leap year, so that equal days agree

_NO_DAY = (1, 0)  # what looks like a date and is none ("31 February 2021"); nothing inside it is one either
_M = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_Y = r"[12]\d{3}"
_D = r"(?:[0-3]?\d)"
_TH = r"(?:st|nd|rd|th|er|º|\.)?"
_TO = r"\s?(?:[–—-]|to|and|until|till|bis|through)\s?"
_DASH = r"\s?[–—-]\s?"
_STOP = re.compile(r"[^\W\d_]{3,}\.$")
_NTH = r"(?:\d{1,2}(?:st|nd|rd|th)|" + "|".join(sorted(ORDINALS, key=len, reverse=True)) + ")"
_BC = r"(?:B\.?\s?C\.?(?:\s?E\.?)?)(?!\w)"


@dataclass(frozen=True, slots=True)
class When:
    """Characters `start` to `end` name the days `first` to `last`, or those of one of the further `readings`.

    `bare`: a year alone, which may also be a plain number. `yearless`: a day or month of any year.
    """

    start: int
    end: int
    first: int
    last: int
    bare: bool = False
    yearless: bool = False
    readings: tuple[Days, ...] = ()


def dates(text: str) -> list[When]:
    """The dates written in `text`, in order, none inside another."""
    if not any(letter.isdigit() for letter in text) and "century" not in text:
        return []
    found: list[When] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            readings = dict.fromkeys(days for days in read(match) if days is not None)
            (first, last), *more = readings or {_NO_DAY: None}
            start, end = match.span()
            end -= _STOP.search(match.group()) is not None  # the full stop after "17 July" is the sentence's
            found.append(When(start, end, first, last, read is _year, read is _yearless, tuple(more)))
    kept: list[When] = []
    for when in sorted(found, key=lambda when: (when.start, -when.end)):
        if not kept or when.start >= kept[-1].end:
            kept.append(when)
    return [when for when in kept if (when.first, when.last) != _NO_DAY]


def day_of(text: str) -> int | None:
    """The first day that the date at the beginning of `text` (ISO or written) may mean; None where there is no date."""
    return next((when.first for when in dates(text)), None)


def ordinal(year: int, month: int, day: int) -> int:
    """`date(year, month, day).toordinal()`, also for years before 1 (0 is 1 BC): Hinnant's `days_from_civil`."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 305


def _span(year: int, month: int = 0, day: int = 0) -> Days | None:
    """The days of a year, month or day; None where the calendar has none such."""
    if not month:
        return ordinal(year, 1, 1), ordinal(year, 12, 31)
    if not 1 <= month <= 12:
        return None
    leap = 4 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 1
    last = calendar.monthrange(leap, month)[1]
    if not 0 <= day <= last:
        return None
    return ordinal(year, month, day or 1), ordinal(year, month, day or last)


def _across(one: Days | None, other: Days | None) -> Days | None:
    return (one[0], other[1]) if one and other and one[0] <= other[1] else None


def _month(match: re.Match[str], name: str = "m") -> int:
    return MONTHS[match[name].rstrip(".").lower()]


def _day(match: re.Match[str]) -> Iterator[Days | None]:
    """A day or month with its year, by names `y`, `m` (a word) or `n` (a number), and `d`."""
    groups = match.groupdict()
    if groups.get("m") == "Mars" and not groups.get("d"):
        return  # the planet
    month = _month(match) if groups.get("m") else int(groups.get("n") or 0)
    yield _span(int(match["y"]), month, int(groups.get("d") or 0))


def _yearless(match: re.Match[str]) -> Iterator[Days | None]:
    yield _span(YEARLESS, _month(match), int(match["d"]))


def _numeric(match: re.Match[str]) -> Iterator[Days | None]:
    """Day first, and where a stroke or hyphen leaves it open month first too."""
    year = int(match["y"]) if len(match["y"]) == 4 else int(match["y"]) + (2000 if int(match["y"]) < 69 else 1900)
    one, other = int(match["a"]), int(match["b"])
    if one and other:
        yield _span(year, other, one)
        if match["s"] != ".":
            yield _span(year, one, other)


def _days_of_month(match: re.Match[str]) -> Iterator[Days | None]:
    year = int(match.groupdict().get("y") or YEARLESS)
    yield _across(_span(year, _month(match), int(match["d"])), _span(year, _month(match), int(match["e"])))


def _months(match: re.Match[str]) -> Iterator[Days | None]:
    groups, year = match.groupdict(), int(match["y"])
    first = _span(int(groups.get("x") or year), _month(match), int(groups.get("d") or 0))
    yield _across(first, _span(year, _month(match, "k"), int(groups.get("e") or 0)))


def _years(match: re.Match[str]) -> Iterator[Days | None]:
    first, last = match["y"], match["z"]
    yield _across(_span(int(first)), _span(int(first[: 4 - len(last)] + last)))


def _part(match: re.Match[str]) -> Iterator[Days | None]:
    """A quarter or half of a year."""
    number, size = (match["q"], 3) if match["q"] else (match["h"], 6)
    which = int(number[0]) if number[0].isdigit() else ORDINALS[number.lower()]
    if 1 <= which <= 12 // size:
        year = int(match["y"])
        yield _across(_span(year, size * (which - 1) + 1), _span(year, size * which))


def _season(match: re.Match[str]) -> Iterator[Days | None]:
    """The months of the season north and south of the equator; a winter begins or ends in the year."""
    year, north = int(match["y"]), _SEASONS.index(match["season"].lower().replace("fall", "autumn"))
    for quarter in (north, (north + 2) % 4):
        if quarter == 3:
            yield _across(_span(year, 12), _span(year + 1, 2))
            yield _across(_span(year - 1, 12), _span(year, 2))
        else:
            yield _across(_span(year, 3 * quarter + 3), _span(year, 3 * quarter + 5))


def _about(match: re.Match[str]) -> Iterator[Days | None]:
    """An early, middle or late part of a year or decade, generously: five of twelve months, seven of them in the middle."""
    year, size = int(match["y"]), 10 if match["s"] else 1
    first, last = ordinal(year, 1, 1), ordinal(year + size - 1, 12, 31)
    which, days = match["part"].lower(), last - first
    if which.startswith(("early", "beginning", "start")):
        yield first, first + days * 5 // 12
    elif which.startswith("mid"):
        yield first + days * 5 // 24, last - days * 5 // 24
    else:
        yield last - days * 5 // 12, last


def _decade(match: re.Match[str]) -> Iterator[Days | None]:
    year = int(match["y"])
    yield _across(_span(year), _span(year + (99 if year % 100 == 0 and year < 2000 else 9)))


def _century(match: re.Match[str]) -> Iterator[Days | None]:
    nth = match["nth"].lower()
    number = ORDINALS[nth] if nth in ORDINALS else int(nth[:-2])
    if number:
        first = 1 - 100 * number if match["bc"] else 100 * (number - 1) + 1
        yield _across(_span(first), _span(first + 99))


def _era(match: re.Match[str]) -> Iterator[Days | None]:
    year = int(match["y"] or match["ad"])
    if year:
        yield _span(1 - year if match["bc"] else year)


def _year(match: re.Match[str]) -> Iterator[Days | None]:
    yield _span(int(match["y"]))


_SEASONS = ["spring", "summer", "autumn", "winter"]
_BEFORE, _AFTER = r"(?<![\w/-])(?<!\d[.,])", r"(?![\w-]|[.,]\d)"
_Read = Callable[[re.Match[str]], Iterator[Days | None]]


def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


_PATTERNS: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_compiled(rf"{_BEFORE}(?P<y>{_Y})-(?P<n>0[1-9]|1[0-2])(?:-(?P<d>[0-3]\d))?(?:(?=T\d)|(?![\w-]))"), _day),
    (_compiled(rf"{_BEFORE}(?P<y>{_Y})([/.])(?P<n>\d\d?)\2(?P<d>\d\d?){_AFTER}"), _day),
    (_compiled(rf"(?P<y>{_Y})\s?年(?:\s?(?P<n>\d\d?)\s?月(?:\s?(?P<d>\d\d?)\s?日)?)?"), _day),
    (_compiled(rf"(?<![\w/.,-])(?P<a>\d\d?)(?P<s>[/.-])(?P<b>\d\d?)(?P=s)(?P<y>{_Y})(?![\w/-]|[.,]\d)"), _numeric),
    (_compiled(r"(?<![\w/.,-])(?P<a>\d\d?)(?P<s>/)(?P<b>\d\d?)/(?P<y>\d\d)(?![\w/-]|[.,]\d)"), _numeric),
    (_compiled(r"(?<![\w/.,-])(?P<a>\d\d)(?P<s>\.)(?P<b>\d\d)\.(?P<y>\d\d)(?![\w/-]|[.,]\d)"), _numeric),
    (_compiled(rf"{_BEFORE}(?P<d>{_D}){_TH}(?: of| de)? (?P<m>{_M}),?(?: de| of)? (?P<y>{_Y}){_AFTER}"), _day),
    (_compiled(rf"{_BEFORE}(?P<m>{_M}) (?:the )?(?P<d>{_D}){_TH},? (?:of )?(?P<y>{_Y}){_AFTER}"), _day),
    (_compiled(rf"{_BEFORE}(?P<y>{_Y}),? (?P<m>{_M}) (?P<d>{_D}){_TH}{_AFTER}"), _day),
    (_compiled(rf"{_BEFORE}(?P<m>{_M}),?(?: of| de)? (?P<y>{_Y}){_AFTER}"), _day),
    (_compiled(rf"{_BEFORE}(?P<d>{_D}){_TH}{_TO}(?P<e>{_D}){_TH}(?: of)? (?P<m>{_M}),? (?P<y>{_Y}){_AFTER}"), _days_of_month),
    (_compiled(rf"{_BEFORE}(?P<m>{_M}) (?P<d>{_D}){_TH}{_TO}(?P<e>{_D}){_TH},? (?P<y>{_Y}){_AFTER}"), _days_of_month),
    (_compiled(
        rf"{_BEFORE}(?P<d>{_D}){_TH} (?P<m>{_M})(?: (?P<x>{_Y}))?{_TO}(?P<e>{_D}){_TH} (?P<k>{_M}),? (?P<y>{_Y}){_AFTER}"), _months),
    (_compiled(
        rf"{_BEFORE}(?P<m>{_M}) (?P<d>{_D}){_TH}(?:,? (?P<x>{_Y}))?{_TO}(?P<k>{_M}) (?P<e>{_D}){_TH},? (?P<y>{_Y}){_AFTER}"), _months),
    (_compiled(rf"{_BEFORE}(?P<m>{_M})(?: (?P<x>{_Y}))?{_TO}(?P<k>{_M}) (?P<y>{_Y}){_AFTER}"), _months),
    (_compiled(rf"{_BEFORE}(?P<y>{_Y}){_DASH}(?P<z>{_Y}|(?!0\d)\d\d){_AFTER}"), _years),
    (_compiled(rf"(?<=\bfrom )(?P<y>{_Y}) (?:to|until|till|through) (?P<z>{_Y}){_AFTER}"), _years),
    (_compiled(rf"(?<=\bbetween )(?P<y>{_Y}) and (?P<z>{_Y}){_AFTER}"), _years),
    (_compiled(
        rf"\b(?:Q(?P<q>[1-4])|H(?P<h>[12]))(?:[\s,/-]*| of )(?:FY\s?)?(?P<y>{_Y}){_AFTER}"), _part),
    (_compiled(rf"{_BEFORE}(?:FY\s?)?(?P<y>{_Y})[\s-]*(?:Q(?P<q>[1-4])|H(?P<h>[12]))(?!\w)"), _part),
    (_compiled(
        rf"\b(?:(?P<q>{_NTH})[ -]quarter|(?P<h>first|second|1st|2nd) half)"
        rf"(?: of)?(?: the)?(?: fiscal)?(?: year)?,? (?P<y>{_Y}){_AFTER}"), _part),
    (_compiled(rf"\b(?P<season>spring|summer|autumn|fall|winter)(?: of)?,? (?P<y>{_Y}){_AFTER}"), _season),
    (_compiled(
        rf"\b(?P<part>early|mid|late|(?:the )?(?:beginning|start|end|middle) of)(?: in)?(?: the)?[\s-]"
        rf"(?P<y>{_Y})(?P<s>s)?{_AFTER}"), _about),
    (_compiled(rf"{_BEFORE}(?P<y>[12]\d\d0)['’]?s(?!\w)"), _decade),
    (_compiled(rf"\b(?P<nth>{_NTH})[ -]century(?: (?P<bc>{_BC}))?"), _century),
    (_compiled(
        rf"(?<![\w.,])(?:(?P<y>\d{{1,4}})\s?(?:(?P<bc>{_BC})|(?-i:A\.?D\.?|CE|C\.E\.)(?!\w))"
        r"|(?-i:AD|A\.D\.)\s?(?P<ad>\d{1,4})(?!\w))"), _era),
    (_compiled(rf"{_BEFORE}(?P<d>{_D}){_TH}(?: of)? (?P<m>(?=[A-ZÀ-Þ])(?i:{_M}))(?!\w)", 0), _yearless),
    (_compiled(rf"{_BEFORE}(?P<m>(?=[A-ZÀ-Þ])(?i:{_M})) (?P<d>{_D}){_TH}(?![\w%]|[.,:]\d)", 0), _yearless),
    (_compiled(rf"{_BEFORE}(?P<y>1[0-9]\d\d|20\d\d){_AFTER}", 0), _year),
)  # fmt: skip
