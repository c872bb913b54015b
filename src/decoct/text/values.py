"""Values in a text, in canonical form: quantities with their units, money, dates, times of the day, scores, ordinals, yes and no.

A quantity is its interval in the dimension's own unit (0.5 g and 500 mg are one mass; −185 °C and 88 K one temperature), together with how
precisely it is stated. A date is a range of days. `decoct.text.equality` says when two values say the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from decoct.text.dates import When, dates
from decoct.text.lists import ORDINALS
from decoct.text.numbers import Number, after, numbers
from decoct.text.times import Clock, times, weekdays
from decoct.text.units import Money, Unit, money_after, money_before, unit_after
from decoct.text.words import content_stems

Kind: TypeAlias = Literal["number", "date", "score", "ordinal", "bool", "entity", "text"]

_NOUN = re.compile(
    r"[\s-]*(?!(?:and|or|of|in|on|at|to|by|for|with|from|as|is|was|are|were|per|than|but|which|that|the|a|an|while"
    r"|after|when|so)\b)((?:[a-z]+[ -]){0,2}[a-z]+)"
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|of|since|by|from|until|till|to|year|before|after|during|and|around|circa|the|[A-Z][a-z]+),?\s$"
)
_COUNTED = re.compile(r"\s(?:[a-z]+ )?[a-z]{3,}s\b")
_STERLING = re.compile(r"\s?pounds\b")
_RICH = 1e6
_JOINT = re.compile(r",?\s(?:and\s)?|\s?")
_HEAD = re.compile(r"[(\[](?P<unit>[^()\[\]\n]{1,12})[)\]]:\s?$")  # "Load (kg): 630"
_COMPOUND = ("length", "time", "mass")
_FOLD = re.compile(r"[- ]?fold\b", re.IGNORECASE)  # "thirtyfold" and "30-fold" are factors and count no folds
_RATE = re.compile(
    r"(?P<counted>(?: [a-z][a-z-]*){0,2})(?:/| (?:per|an?|each|every) )(?P<time>second|minute|hour|day|week|month|year)\b"
)
_AND_A_HALF = " and a half"
# A result of play: falling, or with a word of it before or after.
_SCORE = re.compile(
    r"(?<![\w.,:/–-])(?P<own>\d{1,3})\s?(?:[–—-]|:|\bto\b)\s?(?P<other>\d{1,3})(?![\w:/%–-]|[.,]\d|\s?[°$€£])"
)
_PLAYED_BEFORE = re.compile(
    r"\b(?:won|win|wins|winning|beat|beats|beaten|lost|lose|loses|losing|drew|draw|drawn|tied|defeat(?:ed|s)?|victory|score[ds]?|result|finished"
    r"|ended|led|lead|ahead|sets?|game|match)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_PLAYED_AFTER = re.compile(
    r"[\s,)]{1,2}(?:\w+ ){0,2}(?:win|victory|defeat|loss|draw|lead|on penalties|after extra time|aet|at half[- ]time|aggregate"
    r"|triumph|thrashing)\b",
    re.IGNORECASE,
)
_MEASURED_AFTER = re.compile(r"\s?(?:[a-zµ°%]|[A-Z]{1,3}\b)")
_NTH = re.compile(
    r"(?<![\w.,])(?P<digits>\d{1,4})(?:st|nd|rd|th)(?![\w-]| century)"
    r"|(?:(?<=\bthe )|(?<=\bin )|(?<=\bplaced )|(?<=\bcame )|(?<=\bfinished )|(?<=\branked )|^\W*)"
    rf"(?P<word>{'|'.join(ORDINALS)})(?![\w-]| (?:century|quarter|half))",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"\W*(?:(?P<yes>yes|true|correct|yeah)|(?P<no>no|false|incorrect|nope))\b(?=[.,;:!]|\s*(?:$|\(|[–—])|\s-\s)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """What characters `start` to `end` of a text say; `low` and `high` are in the dimension's own unit, for a date in days.

    `dimension` is empty for a plain count; `noun` then holds the words that follow, which may say what is counted. Money is of the
    dimension "money" in one of `codes`. A time of the day is a number of the dimension "clock", in seconds; `zone` is in minutes. A date
    without its year is of the dimension "yearless". "Yes" and "no" are the dimension of a bool.

    `step` is the worth of the last digit and `zeros` that of the last digit other than 0; `decoct.text.numbers.Number` tells of
    `about`, `side`, `bound`, `limit` and `spread`. `count` is the number as written, before its unit; `per` the seconds in which a
    number is reached ("60 requests per minute", "£5 a month"); `readings` are further ranges that the same characters may mean.
    """

    raw: str
    kind: Kind
    start: int = 0
    end: int = 0
    low: float = 0.0
    high: float = 0.0
    dimension: str = ""
    step: float = 0.0
    about: bool = False
    bound: str = ""
    noun: str = ""
    unit: str = ""
    count: float = 1.0
    per: float = 0.0
    zeros: float = 0.0
    side: str = ""
    limit: str = ""
    spread: bool = False
    codes: tuple[str, ...] = ()
    zone: int | None = None
    readings: tuple[tuple[float, float], ...] = ()

    @property
    def middle(self) -> float:
        """The quantity, or the middle of its range."""
        return (self.low + self.high) / 2


def parse_values(text: str) -> list[Value]:
    """Every value that `text` states, in order and none inside another, with its place; names are left to `decoct.text.names`."""
    scores, nth = _scores(text), _nth(text)
    taken = [(value.start, value.end) for value in (*scores, *nth)]
    found = [*scores, *nth, *_quantities(text, taken), *_yes_no(text)]
    return sorted(found, key=lambda value: value.start)


def quantities(text: str) -> list[Value]:
    """Those of `parse_values` that are numbers or dates."""
    return [value for value in parse_values(text) if value.kind in ("number", "date")]


def value_of(answer: str) -> Value:
    """The one value that a short answer states: its only quantity, yes or no, else the answer as a name or words."""
    whole = answer.strip(" .,;:\"'“”‘’()")
    found = parse_values(answer) or _one_unit(answer, whole)
    # A plain number may be a part of a name ("Apollo 11", "Route 66").
    in_name = bool(found) and whole[:1].isupper() and not whole.startswith(found[0].raw)
    if len(found) == 1 and (found[0].kind != "number" or found[0].dimension or not in_name):
        return found[0]
    start = answer.find(whole)
    words = [word for word in whole.split() if word[:1].isalpha()]
    named = bool(words) and words[0][:1].isupper() and words[-1][:1].isupper()
    return Value(whole, "entity" if named else "text", start, start + len(whole))


def _one_unit(answer: str, whole: str) -> list[Value]:
    """Words that are one of a unit and no more: "every hour", "a mile and a half"."""
    start, counted = answer.find(whole), whole.partition(" ")[0]
    end = start + len(counted)
    unit = unit_after(answer, end) if counted.lower() in ("every", "each", "a", "an") else None
    if unit is None:
        return []
    value = _in_unit(answer, Value(counted, "number", start, end, 1.0, 1.0, step=1.0, zeros=1.0), unit)
    return [value] if value.end == start + len(whole) else []


def _quantities(text: str, taken: list[tuple[int, int]]) -> list[Value]:
    """Numbers with their units, dates and times. A bare year is a date unless it counts or measures something."""

    def free(start: int, end: int) -> bool:
        return not any(first < end and start < past for first, past in taken)

    written = [when for when in dates(text) if not (when.bare and _counts(text, when.start, when.end))]
    found = [_date(text, when) for when in written if free(when.start, when.end)]
    found += [
        _clock(text, clock)
        for clock in times(text)
        if free(clock.start, clock.end) and not any(w.start < clock.end and clock.start < w.end for w in written)
    ]
    taken = taken + [(value.start, value.end) for value in found]
    end = 0
    measured: list[Value] = []
    for number in numbers(text):
        if number.start < end or not free(number.start, number.end):
            continue
        value = _quantity(text, number)
        end = value.end  # the 100 of "5 mL/100 g" is part of its unit
        if measured and (both := _compound(text, measured[-1], value)) is not None:
            measured[-1] = both
        else:
            measured.append(value)
    return [*found, *measured]


def _date(text: str, when: When) -> Value:
    readings = tuple((float(first), float(last)) for first, last in when.readings)
    dimension = "yearless" if when.yearless else ""
    raw = text[when.start : when.end]
    return Value(raw, "date", when.start, when.end, float(when.first), float(when.last), dimension, readings=readings)


def _clock(text: str, clock: Clock) -> Value:
    readings = () if clock.other is None else ((clock.other, clock.other),)
    raw = text[clock.start : clock.end]
    return Value(
        raw, "number", clock.start, clock.end, clock.seconds, clock.seconds, "clock", clock.step, zone=clock.zone, readings=readings,
        unit="h:m:s" if clock.lasting else "",
    )  # fmt: skip


def _scores(text: str) -> list[Value]:
    found = []
    for match in _SCORE.finditer(text):
        if match["own"].startswith("0") and len(match["own"]) > 1:
            continue  # "sets off at 05:53"
        own, other = int(match["own"]), int(match["other"])
        played = _PLAYED_BEFORE.search(text[max(0, match.start() - 60) : match.start()]) or _PLAYED_AFTER.match(
            text, match.end()
        )
        dash = "–" in match.group() or "-" in match.group() or "—" in match.group()
        alone = text.strip(" .") == match.group() and dash
        falls = dash and own >= other and not _MEASURED_AFTER.match(text, match.end())
        if played is not None or (alone and own >= other) or (falls and own - other < 100):
            found.append(Value(match.group(), "score", match.start(), match.end(), float(own), float(other)))
    return found


def _nth(text: str) -> list[Value]:
    found = []
    inside = [(when.start, when.end) for when in dates(text)]
    for match in _NTH.finditer(text):
        if not any(first < match.end() and match.start() < past for first, past in inside):
            number = float(int(match["digits"]) if match["digits"] else ORDINALS[match["word"].lower()])
            name = "digits" if match["digits"] else "word"
            start = match.start(name)
            found.append(Value(text[start : match.end()], "ordinal", start, match.end(), number, number))
    return found


def _yes_no(text: str) -> list[Value]:
    """The "yes" or "no" that an answer begins with."""
    match = _YES_NO.match(text)
    if match is None:
        return []
    name = "yes" if match["yes"] else "no"
    return [Value(match[name], "bool", *match.span(name), dimension=name)]


def _compound(text: str, big: Value, small: Value) -> Value | None:
    """A compound: "1 h 30 min", "5 feet 11 inches", "two years and six months" as one quantity; None where they are two."""
    between = text[big.end : small.start]
    if big.dimension != small.dimension or big.dimension not in _COMPOUND or not _JOINT.fullmatch(between):
        return None
    if not big.unit or big.unit == small.unit or small.high >= big.low / max(1.0, big.count) or big.low != big.high:
        return None
    raw = text[big.start : small.end]
    low, high = big.low + small.low, big.high + small.high
    return replace(big, raw=raw, end=small.end, low=low, high=high, step=small.step, zeros=small.zeros)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether four digits that may be a year count or measure something: "1920 nodes", "1500 mg", "$1999"."""
    if money_before(text, start) is not None or money_after(text, end) is not None or _in_head(text, start) is not None:
        return True
    if _YEAR_BEFORE.search(text[max(0, start - 12) : start]):
        return False
    return unit_after(text, end) is not None or _COUNTED.match(text, end) is not None


def _quantity(text: str, number: Number) -> Value:
    value = _measured(text, number)
    value = replace(value, per=_rate(text, value))
    said = after(text, value.end)  # "10 kg or more" says its limit behind the unit
    return replace(value, about=value.about or said.about, limit=value.limit or said.limit) if said.length else value


def _measured(text: str, number: Number) -> Value:
    unit = unit_after(text, number.end)
    value = Value(
        text[number.start : number.end], "number", number.start, number.end, number.low, number.high, step=number.step, zeros=number.zeros,
        about=number.about, side=number.side, bound=number.bound, limit=number.limit, spread=number.spread, count=number.middle,
    )  # fmt: skip
    if (money := _money(text, number, unit)) is not None:
        end = max(number.end, money.end)
        named = text[money.start : money.end].strip(" -\u00a0")
        return replace(
            scaled(value, money.factor),
            raw=text[number.start : end],
            end=end,
            dimension="money",
            unit=named,
            codes=money.codes,
        )
    if number.fraction and (unit is None or unit.dimension == "percent"):
        return replace(scaled(value, 100.0), dimension="percent", count=1.0)
    if unit is None and (fold := _FOLD.match(text, number.end)) is not None:
        return replace(value, raw=text[number.start : fold.end()], end=fold.end())
    return _in_unit(text, value, unit) if unit is not None else _by_its_head(text, value)


def _by_its_head(text: str, value: Value) -> Value:
    """A number without a unit: in that of its field's name, else a count, with the words behind it."""
    head = _in_head(text, value.start)
    if isinstance(head, Money):
        return replace(scaled(value, head.factor), dimension="money", codes=head.codes)
    if head is not None:
        return replace(scaled(value, head.factor, head.offset), dimension=head.dimension)
    noun = _NOUN.match(text, value.end)
    return replace(value, noun=noun[1] if noun else "", count=1.0)


def _in_head(text: str, start: int) -> Unit | Money | None:
    """The unit or currency that the name of a field has in brackets, where the number at `start` is all that follows the name."""
    head = _HEAD.search(text[max(0, start - 20) : start])
    found = head and (money_after(head["unit"], 0) or unit_after(head["unit"], 0))
    return found if head and found and found.end == len(head["unit"]) else None


def _in_unit(text: str, value: Value, unit: Unit) -> Value:
    """A number with the unit behind it, and the half of one more: "an hour and a half"."""
    half = text.startswith(_AND_A_HALF, unit.end)
    if half:
        value = replace(
            value, low=value.low + 0.5, high=value.high + 0.5, step=value.step * 0.1, zeros=value.zeros * 0.1
        )
    end = unit.end + half * len(_AND_A_HALF)
    return replace(
        scaled(value, unit.factor, unit.offset), raw=text[value.start : end], end=end, dimension=unit.dimension,
        unit=text[value.end : unit.end].strip(" -"),
    )  # fmt: skip


def _rate(text: str, value: Value) -> float:
    """The seconds in which a number is reached by what stands behind it; nought for none. Only a plain count has a noun between."""
    rate = _RATE.match(text, value.end)
    period = unit_after(rate["time"], 0) if rate and not (value.dimension and rate["counted"]) else None
    return period.factor if period else 0.0


def scaled(value: Value, factor: float, offset: float = 0.0) -> Value:
    """The value in another unit: `low` and `high` times `factor` and plus `offset`, its precision times the size of `factor`."""
    size = abs(factor)
    return replace(
        value,
        low=value.low * factor + offset,
        high=value.high * factor + offset,
        step=value.step * size,
        zeros=value.zeros * size,
    )


def _money(text: str, number: Number, unit: Unit | None) -> Money | None:
    before = money_before(text, number.start)
    if before is not None:
        after = money_after(text, number.end)  # "$5 USD"
        return (
            replace(after, start=before.start)
            if after is not None and after.factor == 1.0
            else replace(before, end=number.end)
        )
    if unit is not None and unit.dimension == "mass" and _STERLING.match(text, number.end) and number.middle >= _RICH:
        return money_after(text, number.end)  # nothing is weighed in millions of pounds
    after = money_after(text, number.end)
    return None if unit is not None and after is not None and unit.dimension == "mass" else after


# Heads of columns and names of rows that are ranges or limits: "7-18 bottles", "from 50 kg", "under 2 hours", "Monday-Thursday".
#
# A question names such a head by what lies in it ("12 bottles"), not by its words.
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
