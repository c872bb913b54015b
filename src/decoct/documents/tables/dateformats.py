"""Days and times of a workbook: a number of days since 1900 (or 1904) as its format shows it."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache

_PART = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[(?:h+|m+|s+)\]|\[[^\]]*\]|AM/PM|A/P|am/pm|a/p|yyyy|yy?|mmmmm|mmmm|mmm|mm?|dddd|ddd|dd?|hh?|ss?(?:\.0+)?|e+|g+|b+|.',
    re.IGNORECASE | re.DOTALL,
)
_BARE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SECONDS = 86_400
_MIDNIGHT = datetime.time()
_LAST = 2_958_466  # the first day that a workbook cannot have: 1 January 10000


@lru_cache(maxsize=1024)
def is_date(code: str) -> bool:
    """Whether a number format is one of dates or times."""
    bare = _BARE.sub("", code.partition(";")[0])
    return bool(re.search(r"[dmyhs]", bare, re.IGNORECASE)) and not re.search(
        r"[0#?](?!.*s)|General", bare.replace("s.0", "s")
    )


def moment(value: float, *, of_1904: bool = False) -> datetime.datetime | None:
    """The moment that a number means, to the millisecond; None where it is none."""
    if not 0 <= value < _LAST:
        return None
    # 1900 is no leap year but counted as one, so the days before March are one off.
    epoch = datetime.datetime(1904, 1, 1) if of_1904 else datetime.datetime(1899, 12, 30 if value >= 60 else 31)
    try:
        return epoch + datetime.timedelta(milliseconds=round(value * _SECONDS * 1000))
    except OverflowError:
        return None


def date_shown(value: float, code: str, *, of_1904: bool = False) -> str | None:
    """A number of days as the format shows it; None where it is no day."""
    parts = _parts(code)
    letters = {kind for kind, _ in parts}
    if any(kind in ("[h", "[m", "[s") for kind in letters):
        return _duration(value, parts)
    at = moment(value, of_1904=of_1904)
    if at is None:
        return None
    if "ss" not in letters or not any(kind == "ss" and "." in said for kind, said in parts):
        # Times are stored as rounded fractions.
        at = (at + datetime.timedelta(microseconds=500_000)).replace(microsecond=0)
    if {"y", "mo", "d"} <= letters and not any(kind == "mo" and len(said) > 2 for kind, said in parts):
        day = at.date().isoformat()
        if letters.isdisjoint(("h", "mi", "ss", "am")) or at.time() == _MIDNIGHT:
            return day
        return f"{day} {at:%H:%M:%S}" if "ss" in letters else f"{day} {at:%H:%M}"
    half = "am" in letters
    return " ".join("".join(_part(kind, said, at, half=half) for kind, said in parts).split())


@lru_cache(maxsize=1024)
def _parts(code: str) -> tuple[tuple[str, str], ...]:
    """The parts of a format, each with its kind; an `m` beside hours or seconds is minutes."""
    found: list[tuple[str, str]] = []
    for match in _PART.finditer(code[:500]):
        said, low = match[0], match[0].lower()
        if low[0] == "[" and low[1:2] in ("h", "m", "s") and set(low[1:-1]) <= {low[1]}:
            found.append((f"[{low[1]}", low))
        elif low[0] == "[":
            continue
        elif low in ("am/pm", "a/p"):
            found.append(("am", low))
        elif low[0] == "m":
            after_hour = next((kind for kind, _ in reversed(found) if kind != "'"), "") in ("h", "[h")
            found.append(("mi" if after_hour and len(low) < 3 else "mo", low))
        elif low[0] == "s":
            before = next((n for n in range(len(found) - 1, -1, -1) if found[n][0] != "'"), -1)
            if before >= 0 and found[before][0] == "mo" and len(found[before][1]) < 3:
                found[before] = ("mi", found[before][1])
            found.append(("ss", low))
        elif low[0] in "ydh" and said.isalpha():
            found.append((low[0], low))
        elif said[0] in '"\\':
            found.append(("'", said.strip('"') if said[0] == '"' else said[1:]))
        else:
            found.append(("'", " " if said[0] == "_" else "" if said[0] == "*" and len(said) > 1 else said))
    return tuple(found)


def _part(kind: str, said: str, at: datetime.datetime, *, half: bool) -> str:
    width, month, day = len(said), _MONTHS[at.month - 1], _DAYS[at.weekday()]
    whole, _, part = said.partition(".")
    match kind:
        case "y":
            shown = f"{at.year:04}" if width > 2 else f"{at.year % 100:02}"
        case "mo":
            shown = {3: month[:3], 4: month, 5: month[:1]}.get(width) or f"{at.month:0{width}}"
        case "d":
            shown = {3: day[:3], 4: day}.get(width) or f"{at.day:0{width}}"
        case "h":
            shown = f"{(at.hour % 12 or 12) if half else at.hour:0{width}}"
        case "mi":
            shown = f"{at.minute:0{width}}"
        case "ss":
            shown = f"{at.second:0{len(whole)}}" + (f".{at.microsecond:06}"[: len(part) + 1] if part else "")
        case "am":
            shown = ("AM" if at.hour < 12 else "PM")[: 2 if width > 3 else 1]
        case _:
            shown = said
    return shown


def _duration(value: float, parts: tuple[tuple[str, str], ...]) -> str:
    seconds = round(abs(value) * _SECONDS)
    out = ""
    for kind, said in parts:
        width = len(said.strip("[]").partition(".")[0])
        match kind:
            case "[h":
                out += f"{seconds // 3600:0{width}}"
            case "[m":
                out += f"{seconds // 60:0{width}}"
            case "[s":
                out += f"{seconds:0{width}}"
            case "mi" | "mo":
                out += f"{seconds // 60 % 60:0{width}}"
            case "ss":
                out += f"{seconds % 60:0{width}}"
            case "h":
                out += f"{seconds // 3600 % 24:0{width}}"
            case "'":
                out += said
    return ("-" if value < 0 else "") + " ".join(out.split())
