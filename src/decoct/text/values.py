"""Values in canonical form, and when two of them say the same (METHODS 3.4, step 1).

A quantity is its interval in the dimension's own unit (0.5 g and 500 mg are one mass; −185 °C and 88 K one temperature). A date is a
range of days. Two quantities of one dimension agree if their intervals meet within the largest of 1 %, the precision with which the
coarser is stated, and what a word such as "roughly" allows. Names agree after folding case, articles and acronyms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from decoct.text.dates import dates
from decoct.text.numbers import Number, numbers
from decoct.text.units import Unit, unit_after
from decoct.text.words import content_stems as stems

Kind: TypeAlias = Literal["number", "date", "entity", "bool", "text"]

TOLERANCE = (
    0.01  # METHODS 3.4: two measurements of one thing rarely agree closer, two different facts rarely this close
)
ABOUT = 0.075  # "almost four" for 3.8, "roughly five and a half thousand" for 5,480
_BEYOND = 1.5  # "more than 600" may stand for 655, not for 60,000
_NOUN = re.compile(
    r"[\s-]*(?!(?:and|or|of|in|on|at|to|by|for|with|from|as|is|was|are|were|per|than|but|which|that|the|a|an|while"
    r"|after|when|so)\b)((?:[a-z]+[ -]){0,2}[a-z]+)"
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|of|since|by|from|until|till|to|year|before|after|during|and|around|circa|the|[A-Z][a-z]+),?\s$"
)
_COUNTED = re.compile(r"\s(?:[a-z]+ )?[a-z]{3,}s\b")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound", "USD": "dollar", "EUR": "euro", "GBP": "pound"}
_CODE = re.compile(r"\b(USD|EUR|GBP)\s?$")
_STERLING = re.compile(r"\s?pounds\b")
_RICH = 1e6
_CLOCK = re.compile(
    r"(?<![\d:.])(?P<h>[0-2]?\d)(?::(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?)?\s?(?P<half>[ap]\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
_JOINT = re.compile(r",?\s(?:and\s)?|\s?")
_COMPOUND = ("length", "time", "mass")
_ONLY = ("only", "solely", "exclusively")
_QUANTIFIER = re.compile(r"(only|solely|exclusively|all|any|every|both)\b", re.IGNORECASE)
_FOLD = re.compile(r"[- ]?fold\b", re.IGNORECASE)  # "thirtyfold" and "30-fold" are factors and count no folds
_RATE = re.compile(r"(?: [a-z][a-z-]*){1,2} (?:per|an?|each|every) (?P<time>second|minute|hour|day|week|month|year)\b")
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|this|that|these|those|only|in)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Value:
    """What characters `start` to `end` of a text say; `low` and `high` are in the dimension's own unit, for a date in days.

    `dimension` is empty for a plain count; `noun` then holds the words that follow, which may say what is counted. `count` is the
    number as written, before its unit; `per` the seconds in which a plain count is reached ("60 requests per minute").
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

    @property
    def middle(self) -> float:
        """The quantity, or the middle of its range."""
        return (self.low + self.high) / 2


def quantities(text: str) -> list[Value]:
    """Every number with its unit and every date in `text`, in order. A bare year is both a date and, for a count, a number."""
    written = [when for when in dates(text) if not (when.bare and _counts(text, when.start, when.end))]
    found = [Value(text[w.start : w.end], "date", w.start, w.end, float(w.first), float(w.last)) for w in written]
    found += _clocks(text)
    taken = [(value.start, value.end) for value in found]
    end = 0
    measured: list[Value] = []
    for number in numbers(text):
        if number.start < end or any(start < number.end and number.start < stop for start, stop in taken):
            continue
        value = _quantity(text, number)
        end = value.end  # the 100 of "5 mL/100 g" is part of its unit
        if measured and (both := _compound(text, measured[-1], value)) is not None:
            measured[-1] = both
        else:
            measured.append(value)
    return sorted([*found, *measured], key=lambda value: value.start)


def _clocks(text: str) -> list[Value]:
    """Times as a clock shows them, in seconds: "9:30", "2:08:41", "9 am"."""
    found = []
    for match in _CLOCK.finditer(text):
        if match["m"] is None and match["half"] is None:
            continue
        hours = int(match["h"])
        if match["half"]:
            hours = hours % 12 + (12 if match["half"][0] in "pP" else 0)
        seconds = 3600.0 * hours + 60 * int(match["m"] or 0) + int(match["s"] or 0)
        found.append(Value(match.group(), "number", match.start(), match.end(), seconds, seconds, "clock"))
    return found


def _compound(text: str, big: Value, small: Value) -> Value | None:
    """A compound: "1 h 30 min", "5 feet 11 inches", "two years and six months" as one quantity; None where they are two."""
    between = text[big.end : small.start]
    if big.dimension != small.dimension or big.dimension not in _COMPOUND or not _JOINT.fullmatch(between):
        return None
    if not big.unit or big.unit == small.unit or small.high >= big.low / max(1.0, big.count) or big.low != big.high:
        return None
    raw = text[big.start : small.end]
    return replace(big, raw=raw, end=small.end, low=big.low + small.low, high=big.high + small.high, step=small.step)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether four digits that may be a year count or measure something: "1920 nodes", "1500 mg"."""
    if _YEAR_BEFORE.search(text[max(0, start - 12) : start]):
        return False
    return unit_after(text, end) is not None or _COUNTED.match(text, end) is not None


def _quantity(text: str, number: Number) -> Value:
    unit = unit_after(text, number.end)
    if unit is not None and unit.dimension == "mass" and _STERLING.match(text, number.end) and number.middle >= _RICH:
        unit = Unit(unit.end, "pound", 1.0)  # nothing is weighed in millions of pounds
    shared = {"about": number.about, "bound": number.bound}
    money = text[number.start - 1 : number.start]
    code = _CODE.search(text, max(0, number.start - 4), number.start)
    money = code[1] if unit is None and code is not None else money
    if unit is None and money in _MONEY:
        name = _MONEY[money]
        return Value(text[number.start : number.end], "number", number.start, number.end, number.low, number.high, name,
                     number.step, unit=money, **shared)  # type: ignore[arg-type]  # fmt: skip
    if number.fraction and (unit is None or unit.dimension == "percent"):
        return Value(text[number.start : number.end], "number", number.start, number.end, 100 * number.low, 100 * number.high,
                     "percent", 100 * number.step, **shared)  # type: ignore[arg-type]  # fmt: skip
    if unit is None and (fold := _FOLD.match(text, number.end)) is not None:
        return Value(text[number.start : fold.end()], "number", number.start, fold.end(), number.low, number.high, "",
                     number.step, **shared)  # type: ignore[arg-type]  # fmt: skip
    if unit is None:
        noun, rate = _NOUN.match(text, number.end), _RATE.match(text, number.end)
        period = unit_after(rate["time"], 0) if rate else None
        return Value(text[number.start : number.end], "number", number.start, number.end, number.low, number.high, "",
                     number.step, noun=noun[1] if noun else "", per=period.factor if period else 0.0, **shared)  # type: ignore[arg-type]  # fmt: skip
    low, high = number.low * unit.factor + unit.offset, number.high * unit.factor + unit.offset
    return Value(
        text[number.start : unit.end], "number", number.start, unit.end, low, high, unit.dimension, number.step * abs(unit.factor),
        unit=text[number.end : unit.end].strip(" -"), count=number.middle, **shared,  # type: ignore[arg-type]
    )  # fmt: skip


def same(one: Value, other: Value) -> bool:
    """Whether two values say the same: what may be compared and agrees within the precision stated."""
    if one.kind != other.kind:
        return False
    if one.kind == "number":
        one, other = _as_percent(one, other), _as_percent(other, one)
        if one.per and other.per and one.per != other.per:
            one, other = _each_second(one), _each_second(other)
        return one.dimension == other.dimension and _close(one, other)
    if one.kind == "date":
        return (one.low >= other.low and one.high <= other.high) or (other.low >= one.low and other.high <= one.high)
    if one.kind == "bool":
        return one.dimension == other.dimension
    return _quantifier(one.raw) == _quantifier(other.raw) and same_name(one.raw, other.raw)


def _quantifier(name: str) -> str:
    """Names are told apart by their reach: "all employees" is not "only full-time employees"."""
    found = _QUANTIFIER.match(name.strip())
    return "" if found is None else "only" if found[1].lower() in _ONLY else "all"


def _as_percent(value: Value, beside: Value) -> Value:
    """0.87 beside 87 % is 87 %; a plain number above 1 is no share."""
    if (
        value.dimension
        or beside.dimension != "percent"
        or not 0 <= value.low <= value.high <= 1
        or not 0 < value.step < 1
    ):
        return value
    return replace(value, low=100 * value.low, high=100 * value.high, step=100 * value.step, dimension="percent")


def _each_second(value: Value) -> Value:
    return replace(value, low=value.low / value.per, high=value.high / value.per, step=value.step / value.per)


def _close(one: Value, other: Value) -> bool:
    if one.bound and not other.bound:
        one, other = other, one
    if other.bound and not one.bound:
        beyond = one.low > other.high if other.bound == ">" else one.high < other.low
        near = max(abs(one.middle), abs(other.middle)) <= _BEYOND * min(abs(one.middle), abs(other.middle))
        return (beyond and near) or _meet(one, other)
    return _meet(one, other)


def _meet(one: Value, other: Value) -> bool:
    gap = max(one.low, other.low) - min(one.high, other.high)
    if gap <= 0:
        return True
    size = max(abs(one.middle), abs(other.middle))
    # An absolute temperature hides a difference behind 273 degrees: there only the stated precision counts.
    allowed = 0.0 if one.dimension == "temperature" else TOLERANCE * size
    if one.about or other.about:
        allowed = max(allowed, ABOUT * size)
    rounding = max(one.step, other.step) / 2 if one.step != other.step else 0.0
    rounding = max(rounding, 0.6) if one.dimension == "temperature" and not (one.about or other.about) else rounding
    return gap <= allowed or gap < rounding + 1e-9 * size


def comparable(one: Value, other: Value) -> bool:
    """Whether two values are of one kind and dimension, so that they can agree or contradict each other."""
    return one.kind == other.kind and (one.kind != "number" or _as_percent(one, other).dimension == other.dimension)


def same_name(one: str, other: str) -> bool:
    """Whether two names or phrases are the same after folding case, articles, number and order of words, or as an acronym."""
    a, b = _name(one), _name(other)
    if a.folded == b.folded:
        return True
    if a.words and b.words and (a.words <= b.words or b.words <= a.words):
        return True
    return a.acronym == b.folded.replace(".", "") or b.acronym == a.folded.replace(".", "")


class _Name(NamedTuple):
    folded: str
    words: frozenset[str]
    acronym: str


@lru_cache(maxsize=16384)  # every candidate is compared with every other
def _name(name: str) -> _Name:
    folded = _folded(name)
    words = frozenset(word.removesuffix("s") for word in stems(folded.replace("s ", " ").removesuffix("s")))
    return _Name(folded, words, _acronym(folded))


def _folded(name: str) -> str:
    return " ".join(_ARTICLE.sub("", name.strip(" .,;:\"'“”‘’()")).casefold().replace("-", " ").split())


def _acronym(name: str) -> str:
    words = [word for word in name.split() if word not in ("of", "the", "and", "for", "in")]
    return "".join(word[0] for word in words) if len(words) > 1 else "\x00"
