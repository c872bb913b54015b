"""Whether two values say the same: True, False, or None where they cannot be compared.

Numbers are compared as they are stated, not by a flat percentage. A number stands for everything that would be rounded to it: 14 and 14.29
are the same, 2,309 m and 2,314 m are not, and neither are 99.5 % and 99.9 %. What the other's rounding would explain although the two are
far apart (2 million and 2.4 million) is left open. "About" widens a number to the worth of half its last digit that is not 0, at most to a
tenth. The rest, in short (lab/docs/text.md has the table):

- A range holds its numbers; two ranges are the same if their ends are, apart if they do not meet, else nothing is known.
- "More than 600" contradicts 590, is the same as 655, and leaves 60,000 open. "Up to 10" is the same as 10.
- Dates: the coarser holds the finer ("2021", "May 2021"); an ambiguous date agrees if one of its readings does.
- Units of one dimension are converted; of other dimensions, currencies and kinds nothing is known.
"""

from __future__ import annotations

from dataclasses import replace

from decoct.text.aliases import same_name
from decoct.text.dates import YEARLESS
from decoct.text.values import Value, scaled

ABOUT = 0.1  # "about 5" may stand for 5.4, not for 6
ROUNDED = 0.075  # 2.8 may be told as 3; beyond that share rounding may explain a difference, or not
CONVERTED = 0.01  # "100 miles" told as "160 km": a round number in another system of units
NEAR = 1.1  # "more than 600" tells the same as 655
_TINY = 1e-9


def same_value(one: Value, other: Value) -> bool | None:
    """Whether two values say the same; None where they cannot be compared."""
    if one.kind in ("entity", "text") and other.kind in ("entity", "text"):
        return same_name(one.raw, other.raw)
    if one.kind != other.kind:
        return _across_kinds(one, other)
    if one.kind in ("ordinal", "bool"):  # an ordinal by its number, "yes" and "no" by their dimension
        return (one.low, one.dimension) == (other.low, other.dimension)
    compare = {"date": _same_date, "score": _same_score}
    return compare.get(one.kind, _same_quantity)(one, other)


def known_equal(one: Value, other: Value) -> bool:
    """Whether two values are known to say the same."""
    return same_value(one, other) is True


def comparable(one: Value, other: Value) -> bool:
    """Whether two values are of one kind and dimension, so that they can agree or contradict each other."""
    return one.kind == other.kind and (one.kind != "number" or _as_share(one, other).dimension == other.dimension)


def _across_kinds(one: Value, other: Value) -> bool | None:
    """A number beside a bare year or an ordinal that are written alike is the same; nothing else is known."""
    if {one.kind, other.kind} == {"number", "date"} and not one.dimension and not other.dimension:
        return True if one.raw == other.raw else None
    return None


def _same_score(one: Value, other: Value) -> bool | None:
    if (one.low, one.high) == (other.low, other.high):
        return True
    return (
        None if (one.low, one.high) == (other.high, other.low) else False
    )  # told from the other side, or another result


# -- dates -------------------------------------------------------------------------------------------------------------
def _same_date(one: Value, other: Value) -> bool | None:
    if one.dimension != other.dimension:
        return _yearless(one, other) if one.dimension else _yearless(other, one)
    found = [_days(a, b) for a in _ranges(one) for b in _ranges(other)]
    if all(agree is False for agree in found):
        return False
    both_open = len(_ranges(one)) > 1 and len(_ranges(other)) > 1
    if both_open and _ranges(one) != _ranges(other) and one.raw.casefold() != other.raw.casefold() and not found[0]:
        return None  # 03/05/2021 and 05/03/2021
    return True if True in found else None


def _ranges(value: Value) -> list[tuple[float, float]]:
    return [(value.low, value.high), *value.readings]


def _days(one: tuple[float, float], other: tuple[float, float]) -> bool | None:
    if (one[0] >= other[0] and one[1] <= other[1]) or (other[0] >= one[0] and other[1] <= one[1]):
        return True
    return False if one[0] > other[1] or other[0] > one[1] else None


def _yearless(day: Value, dated: Value) -> bool | None:
    """A day of any year beside a date: "3 May" and "3 May 2021" are the same day; of a longer time nothing is known."""
    from datetime import date

    if not 1 <= dated.low <= dated.high <= date.max.toordinal():
        return None
    first, last = date.fromordinal(int(dated.low)), date.fromordinal(int(dated.high))
    if (first.year, first.month) != (last.year, last.month):
        return None
    low, high = (date(YEARLESS, end.month, end.day).toordinal() for end in (first, last))
    return _days((day.low, day.high), (float(low), float(high)))


# -- quantities --------------------------------------------------------------------------------------------------------
def _same_quantity(one: Value, other: Value) -> bool | None:
    if {one.dimension, other.dimension} == {"clock", "time"}:
        return _lasting(one, other)
    one, other = _as_share(one, other), _as_share(other, one)
    if one.dimension != other.dimension:
        return None
    if one.dimension == "clock":
        return _same_time(one, other)
    if one.dimension == "money" and not set(one.codes) & set(other.codes):
        return None
    if one.per and other.per and one.per != other.per:
        one, other = scaled(one, 1 / one.per), scaled(other, 1 / other.per)
    return _bounded(one, other) if one.bound or other.bound or one.limit or other.limit else _meet(one, other)


def _same_time(one: Value, other: Value) -> bool | None:
    """Times of the day, in one zone where both name theirs."""
    zoned = one.zone is not None and other.zone is not None
    shift = 60.0 * ((one.zone or 0) - (other.zone or 0)) if zoned else 0.0
    allowed = 900.0 if one.about or other.about else 0.0
    found = []
    for a, _ in _ranges(one):
        for b, _ in _ranges(other):
            apart = abs(a - shift - b) % 86400.0
            found.append(min(apart, 86400.0 - apart) <= allowed)
    clear = other if one.readings else one  # written with its half of the day, as an answer to "9:30" would be?
    if found[0] or (True in found and bool(one.readings) != bool(other.readings) and "m" in clear.raw.lower()):
        return True
    if True in found:
        return None  # 9:30 may be half past nine in the evening
    return None if (one.zone is None) != (other.zone is None) else False


def _lasting(one: Value, other: Value) -> bool | None:
    """Hours, minutes and seconds beside a duration: "2:08:41" and "2 h 8 min 41 s"."""
    clock, time = (one, other) if one.dimension == "clock" else (other, one)
    if clock.unit != "h:m:s":
        return None
    return _meet(replace(clock, dimension="time", unit="s", readings=()), time)


def _as_share(value: Value, beside: Value) -> Value:
    """0.87 beside 87 % is 87 %; a plain number above 1 is no share."""
    if (
        value.dimension
        or beside.dimension != "percent"
        or not 0 <= value.low <= value.high <= 1
        or not 0 < value.step < 1
    ):
        return value
    return replace(scaled(value, 100), dimension="percent")


def _bounded(one: Value, other: Value) -> bool | None:
    """One or both state only an end: "more than", "up to"."""
    ends = [(value.bound or {"≤": "<", "≥": ">"}.get(value.limit, "")) for value in (one, other)]
    if all(ends):
        return _meet(one, other) if ends[0] == ends[1] else None
    value, end, bound = (other, one, ends[0]) if ends[0] else (one, other, ends[1])
    if end.limit and _meet(one, other):
        return True
    outside = value.high < end.low if bound == ">" else value.low > end.high
    if outside or (not end.limit and value.low == value.high == end.low):
        return bool(_meet(one, other)) and (value.about or end.about)
    if end.limit:
        return None  # 8 is "up to 10", and does not say it
    sizes = sorted((abs(value.middle), abs(end.middle)))
    return True if sizes[1] <= NEAR * sizes[0] else None


def _meet(one: Value, other: Value) -> bool | None:
    if one.low != one.high and other.low != other.high and not (one.spread or other.spread):
        ends = [_points(one, other, one.low, other.low), _points(one, other, one.high, other.high)]
        if ends == [True, True]:
            return True
        return False if max(one.low, other.low) > min(one.high, other.high) else None
    gap = max(one.low, other.low) - min(one.high, other.high)
    return True if gap <= 0 else _points(one, other, min(one.high, other.high), max(one.low, other.low))


def _points(one: Value, other: Value, low: float, high: float) -> bool | None:
    """Whether two numbers, of the precision of `one` and `other`, are the same."""
    gap, size = abs(high - low), max(abs(low), abs(high))
    if gap <= _TINY * size:
        return True
    near = gap <= max((_softened(value, size) for value in (one, other) if value.about), default=0.0) * (1 + _TINY)
    if near:
        return all(_on_side(value, low, high) for value in (one, other))
    rounding = _rounding(one, other)
    if gap > rounding * (1 + _TINY) + _TINY * size:
        return False
    # An absolute temperature hides a difference behind 273 degrees: there the stated precision is all.
    if gap <= ROUNDED * size or one.dimension == "temperature":
        return True
    return None if gap < rounding * (1 - _TINY) else False  # who has a half to say does not say "two" for it


def _softened(value: Value, size: float) -> float:
    """How far a number that is told with "about" may be off."""
    if value.dimension == "temperature":
        return max(value.zeros / 2, value.step)
    return min(max(value.zeros / 2, value.step), ABOUT * size)


def _on_side(value: Value, low: float, high: float) -> bool:
    """Nearly 20 is not 21, and just over 20 is not 19."""
    return value.side != ("below" if value.high <= low else "above") or value.low == value.high == low == high


def _rounding(one: Value, other: Value) -> float:
    """How far two numbers may be apart if the coarser is the finer one rounded, or one of them was converted."""
    converted = _unit(one) != _unit(other)
    if abs(one.step - other.step) <= _TINY * max(one.step, other.step):
        rounding = one.step / 2 if converted else 0.0
    else:
        # Nothing and everything are not rounded to: "0" and "100 %".
        free = (v for v in (one, other) if v.middle != 0.0 and (v.dimension, v.middle) != ("percent", 100.0))
        rounding = max((value.step for value in free), default=0.0) / 2
    if converted and one.dimension != "temperature":
        round_one = max(one.zeros, other.zeros) / 2
        rounding = max(rounding, min(round_one, CONVERTED * max(abs(one.middle), abs(other.middle))))
    return rounding


def _unit(value: Value) -> float:
    """What one of the number's digits before the unit is worth: the same for values in one unit, also by another name."""
    if value.dimension == "temperature":
        return float("CFK".find(value.unit.rstrip("elsiuahrnvt")[-1:].upper()))
    decimals = value.step
    while decimals and decimals < 0.9999999:
        decimals *= 10
    scale = decimals
    while scale >= 9.9999999:
        scale /= 10
    return round(scale, 6)
