"""What the values of a question of yes or no come to: "Does the lift carry 12 people?" is no where the sentence says eight.

A value of the question is compared with those of its kind that a sentence states: a quantity of that dimension, a count of the same
thing, a time, a date, a day of the week, a month. "At least", "up to", "from nine", "until noon" and "between eight and six" are compared
as what they say. Where a sentence states several of the kind ("6 knots inside the breakwaters and 4 knots in the inner basin"), the clause
that says more of the question has its value. A value that stands above the sentence (title, heading, head of a column) is said too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, TypeAlias

from decoct.text.equality import comparable, same_value
from decoct.text.identifiers import identifiers
from decoct.text.lists import comparatives, listed
from decoct.text.names import runs
from decoct.text.numbers import before as qualifier_before
from decoct.text.numbers import denial, whole
from decoct.text.times import intervals, months, weekdays
from decoct.text.units import money_before
from decoct.text.values import Value, parse_values
from decoct.text.words import content_stems, is_stop

Agreement: TypeAlias = Literal["same", "other", "open"]

# Prepositions that put a time on one side of another (Quirk et al. 1985, 9.36 to 9.38).
_UNTIL = re.compile(r"\b(?:before|earlier than|prior to|until|till|by|no later than|up to)\s+$", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:after|later than|from|since|no earlier than|not before|outside)\s+$", re.IGNORECASE)
_STRICT = re.compile(r"\b(?:before|earlier than|prior to|after|later than)\s+$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+(?:the\s+)?$", re.IGNORECASE)
_WITHIN = re.compile(r"\bwithin\s+$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:to|until|till|through|–|—|-)\s*(?:the\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s|\b(?:and|or|but)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:'t)?")
_SKIPPED = 3  # function words between a denial and what is denied
_AGED = re.compile(r"\b(?:of|aged?|turned|over|under|who is|who are|i am|i['’]m)\s+$", re.IGNORECASE)
_OLD = re.compile(r"\b(?:the )?age of\s+$", re.IGNORECASE)
_THAN = re.compile(r"\b(\w+) than\s+$", re.IGNORECASE)
_AHEAD = re.compile(r"\s+(?:before|ahead|in advance|prior)\b", re.IGNORECASE)
# "Can", "may" and the like ask whether something is within a limit; "is" and "does" ask for the limit itself.
_MODAL = re.compile(
    r"\b(?:can|could|may|might|will|would|shall|should|allowed|permitted|enough|okay|ok|all right)\b", re.IGNORECASE
)
_PAST = frozenset(("was", "were", "did", "had", "has", "have"))
_OPPOSITE: Mapping[str, Agreement] = {"same": "other", "other": "same"}
# "May not visit" under 12 is a no for those of ten, and tells nothing of those of fourteen.
_OF_DENIED: Mapping[str, Agreement] = {"same": "other", "other": "open"}
# What is closed, or open; of a statement hours alone say so too.
_OPEN = re.compile(r"\b(?:(?P<closed>closed|not open)|open(?:s|ed)?)\b", re.IGNORECASE)
_ROUND = 1000.0  # a number in thousands or millions counts money before a noun ("50 million cover")
_YEAR = 31_556_952.0  # seconds
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class AskedValues:
    """What a question states: its `values`, each with its side ("<", ">", "≤", "≥", "" for itself), `days`, `months`; and the `rest`.

    `modal`: it asks whether something is within what is stated, rather than for what is stated; `equal`: for the value itself ("is the
    limit 30 kg", "does it hold 40 bathers"), of which a limit does not tell. `opened`: whether it asks for what is open
    on its days or at its times, or for what is closed; None for neither. `denied`: it denies a word itself;
    `present`: no auxiliary of it speaks of what is past.
    """

    values: tuple[tuple[Value, str], ...]
    days: frozenset[int]
    months: frozenset[int]
    rest: frozenset[str]
    modal: bool = False
    equal: bool = False
    opened: bool | None = None
    denied: bool = False
    present: bool = False

    @property
    def any(self) -> bool:
        """Whether it states anything that can be compared."""
        return bool(self.values or self.days or self.months)

    def agreement(self, said: str, above: str = "") -> Agreement | None:
        """Whether a sentence states the same, with what stands `above` it; None where something of the question is not stated at all."""
        found = [self._of_value(value, side, said, above) for value, side in self.values]
        found += [_of_recurring(self.days, weekdays(said), weekdays(above))] if self.days else []
        found += [_of_recurring(self.months, _months(said), _months(above))] if self.months else []
        told = _together(found)
        if self.opened is None or (opened := _opened(said, hours=True)) is None:
            return _OF_DENIED.get(told or "", told) if not self.denied and denies(said, self.rest) else told
        if opened:
            return told if told not in ("same", "other") or self.opened else _OPPOSITE[told]
        if not self.opened:
            return "other" if told == "other" else "same"
        return "open" if told == "other" else "other"  # what is closed on Mondays may be open on Tuesdays

    def has_ended(self, said: str, today: date) -> bool:
        """Whether a sentence tells of a time that ended before `today`, where the question asks of the present and states no time."""
        if not self.present or self.days or self.months or any(one.kind == "date" for one, _ in self.values):
            return False
        dated = [one for one in parse_values(said) if one.kind == "date" and not one.dimension]
        return any(one.high < today.toordinal() and (_is_range(one) or _side(said, one) == "≤") for one in dated)

    def stands_in(self, said: str) -> bool:
        """Whether a sentence states each value itself, not a limit or a range that holds it."""
        return all(
            any(
                same_value(asked, end)
                for one in _stated(asked, said)
                for end in (one.value, one.last)
                if end is not None
            )
            for asked, _ in self.values
        )

    def _of_value(self, asked: Value, side: str, said: str, above: str) -> Agreement | None:
        stated = _of_clause(_stated(asked, said), said, dict.fromkeys(self.rest, 1.0))
        if not stated and asked.kind == "number":
            asked, stated = (asked, []) if not (bare := self._without_units(asked, said)) else (_bare(asked), bare)
        if not stated:
            return "same" if any(self._compared(asked, side, one) == "same" for one in _stated(asked, above)) else None
        found = [self._compared(asked, side, one) for one in stated]
        return "same" if "same" in found else "open" if "open" in found else "other"

    def _without_units(self, asked: Value, said: str) -> list[StatedValue]:
        """The numbers that are said of a thing of the question, where the sentence leaves out the unit, or the question the currency."""
        counted = frozenset() if asked.dimension or asked.step >= _ROUND else content_stems(asked.noun)
        missing = "money" if not asked.dimension else ""
        return [
            StatedValue(_bare(one), _side(said, one))
            for one in _values(said)
            if (one.kind, one.dimension) == ("number", missing)
            and not one.noun
            and not content_stems(one.raw) & self.rest
            and _last_stem_before(said, one.start) & self.rest - counted
        ]

    def _compared(self, asked: Value, side: str, stated: StatedValue) -> Agreement:
        if stated.value.kind == "date" or stated.value.dimension == "clock":
            return _in_time(asked, side, stated)
        value = stated.value
        if (ages := _ages(asked, value)) is not None:
            asked, value = ages
        ahead = stated.side == "≥" and not value.limit  # and the question says "before" too
        if stated.side and (not self.equal if not side else side == stated.side and (self.modal or ahead)):
            return "same" if _within(asked.low, value.low, value.high, stated.side) else "other"
        if self.modal and value.limit == "≤" and side in (">", "≥"):
            return "same" if _within(asked.low, value.low, value.high, "<" if side == ">" else "≤") else "other"
        if self.modal and not side and not limited(value) and asked.high < value.low and value.dimension:
            return "open"  # who may stay for two hours may stay for one, and who pays eight euros does not pay five
        if stated.last is not None and not side:
            return "same" if value.low <= asked.low <= stated.last.high else "other"
        return _of_quantities(asked, side, value)


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value of a sentence, with its side ("≤", "≥", …); `last` is the other end of a range."""

    value: Value
    side: str = ""
    last: Value | None = None

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return (self.last or self.value).end


def asked_values(question: str, named: Sequence[tuple[int, int]] = ()) -> AskedValues:
    """What a question of yes or no states, but for the numbers of what it names."""
    values = [
        one
        for one in _values(question)
        if one.kind in ("number", "date", "ordinal")
        and not any(one.start < end and start < one.end for start, end in named)
    ]
    dated = any(one.kind == "date" for one in values)
    rest = question
    for one in reversed(values):
        start, end = whole(question, one.start, one.end, dated=one.kind == "date")
        rest = f"{rest[:start]} {rest[end:]}"
    days, told = weekdays(question), frozenset[int]() if dated else _months(question)
    stems = content_stems(rest)
    if days or told:
        stems = frozenset(one for one in stems if not weekdays(one) and not months(one.capitalize()))
    sided = tuple((_as_age(one, question), _side(question, one)) for one in values)
    recurring = not told and all(
        one.dimension == "clock" or (one.kind, one.dimension) == ("number", "") for one in values
    )
    modal, opened = _MODAL.search(question) is not None, _opened(question) if recurring else None
    equal = not modal and any(_is_asked_for(one, question) for one in values)
    present = _PAST.isdisjoint(_WORD.findall(question.lower()))
    return AskedValues(sided, days, told, stems, modal, equal, opened, any(_denied_words(question)), present)


def denies(text: str, stems: frozenset[str]) -> bool:
    """Whether a text denies one of some words ("may not visit"), where that makes no limit of a value ("not exceed 23 kg")."""
    found = [at for at, word in _denied_words(text) if content_stems(word) & stems]
    limits = [(whole(text, one.start, one.end)[0], one.start) for one in (parse_values(text) if found else ())]
    return any(not any(begin <= at < value for begin, value in limits) for at in found)


def _denied_words(text: str) -> Iterator[tuple[int, str]]:
    """The first word with meaning behind each denial, in its clause ("nobody has been hurt"), with where the denial stands."""
    compared, words = comparatives("more") | comparatives("less"), list(_WORD.finditer(text.replace("’", "'")))
    for n, one in enumerate(words):
        if one[0].lower() in listed("words", "negations") or one[0].lower().endswith("n't"):
            for before, word in itertools.pairwise(words[n : n + 2 + _SKIPPED]):
                said = word[0].lower()
                longer = (one[0].lower(), said) == ("no", "longer")
                if (said in compared and not longer) or not text[before.end() : word.start()].isspace():
                    break
                if not is_stop(said) and not longer and said != "yet" and not said.endswith("ly"):
                    yield one.start(), said
                    break


def _is_asked_for(value: Value, question: str) -> bool:
    """Whether a value is what something has, behind a word of its own: "hold 40 bathers", "the limit 30 kg", not "at 70 degrees"."""
    start, _ = whole(question, value.start, value.end, dated=value.kind == "date")
    before = question[:start]
    return not is_stop((_WORD.findall(before.lower()) or ["is"])[-1]) and not _AGED.search(before)


def _together(found: Sequence[Agreement | None]) -> Agreement | None:
    if "other" in found:
        return "other"
    if None in found:
        return None
    return "open" if "open" in found else "same"


def _opened(text: str, *, hours: bool = False) -> bool | None:
    """Whether a text says open (False: closed); None where it says neither, or both. With `hours` a range of times of the day says open."""
    found = {one["closed"] is None for one in _OPEN.finditer(text)}
    clocks = [one for one in parse_values(text) if one.dimension == "clock"] if hours else []
    if any(_TO.fullmatch(text[one.end : other.start]) for one, other in itertools.pairwise(clocks)):
        found.add(True)
    return found.pop() if len(found) == 1 else None


def _months(text: str) -> frozenset[int]:
    """The months named, and those between two dates; "May" at the beginning of a sentence is a verb."""
    named = set(months(re.sub(r"(?:^|(?<=[.!?]\s))\W*May\b", " ", text)))
    dates = [one for one in parse_values(text) if one.kind == "date" and one.dimension == "yearless"]
    for one, other in itertools.pairwise(dates):
        if _TO.fullmatch(text[one.end : other.start]):
            first, last = (date.fromordinal(int(end.low)).month - 1 for end in (one, other))
            named.update(at % 12 for at in range(first, last + 1 if first <= last else last + 13))
    return frozenset(named)


def _stated(asked: Value, text: str) -> list[StatedValue]:
    """The values of the kind that is asked about, ranges as one."""
    values = [_as_clock(_as_age(one, text), asked) for one in _with_units(_values(text), text)]
    return _ranged([one for one in values if _of_one_kind(asked, one)], text)


def _is_range(value: Value) -> bool:
    return value.low < value.high and any(map(_TO.fullmatch, re.findall(r"\w+|[–—]", value.raw)))


def _ranged(values: Sequence[Value], text: str) -> list[StatedValue]:
    """The values with their sides, those that make a range as one."""
    found: list[StatedValue] = []
    for one in values:
        before = found[-1] if found else None
        between = text[before.end : one.start] if before is not None else ""
        ranged = before is not None and before.last is None and before.value.dimension == one.dimension
        joined = _TO.fullmatch(between) or (
            ranged and _AND.fullmatch(between) and before is not None and _BETWEEN.search(text[: before.value.start])
        )
        if before is not None and ranged and joined:
            found[-1] = replace(before, side="", last=one)
        else:
            found.append(StatedValue(one, _side(text, one)))
    return found


def _values(text: str) -> list[Value]:
    """The values of a text, with how often something happens as one: "weekly" is an interval."""
    often = [
        Value(text[start:end], "number", start, end, seconds, seconds, "interval")
        for start, end, seconds in intervals(text)
    ]
    free = [
        one for one in parse_values(text) if not any(one.start < other.end and other.start < one.end for other in often)
    ]
    return sorted([*free, *often], key=lambda one: one.start)


def _with_units(values: Sequence[Value], text: str) -> list[Value]:
    """The values; a bare number has the unit of the one that it is listed or ranged with: "1, 5 or 20 seconds", "from 5 to 100 %"."""
    found: list[Value] = []
    unit = ""
    for one in reversed(values):
        bare = one.kind == "number" and not one.dimension and one.raw.isdecimal()
        if found and bare and unit and _is_listed(text[one.end : found[-1].start]):
            again = parse_values(one.raw + unit)
            if len(again) == 1 and again[0].dimension == found[-1].dimension:
                found.append(replace(again[0], raw=one.raw, start=one.start, end=one.end))
                continue
        else:
            unit = text[one.start : one.end].lstrip("0123456789.,") if one.dimension else ""
        found.append(one)
    return found[::-1]


def _is_listed(between: str) -> bool:
    """Whether what stands between two numbers lists them, or makes a range of them."""
    return between.strip(" ,") in ("", "or", "and") or _TO.fullmatch(between) is not None


def words_alike(said: str, place: tuple[int, int]) -> list[tuple[int, int]]:
    """Where other words stand in a sentence that are of the kind of those at `place`: values, codes or names.

    Of a place with several values each of these too.
    """
    values = parse_values(said)
    held = [one for one in values if one.start < place[1] and place[0] < one.end]
    if not held:
        codes, names = [(one.start, one.end) for one in identifiers(said)], [(a, b) for _, a, b in runs(said)]
        kind = next((places for places in (codes, names) if place in places), [])
        return [(a, b) for a, b in kind if b <= place[0] or place[1] <= a]
    alike = [
        one
        for one in values
        if (one not in held or len(held) > 1) and any(one is own or comparable(own, one) for own in held)
    ]
    return [whole(said, one.start, one.end, dated=one.kind == "date") for one in alike]


def values_meant(asked: Mapping[str, float], said: str, place: tuple[int, int]) -> tuple[list[tuple[int, int]], bool]:
    """Of several values of the kind of those at `place` the ones whose clause says most of what is asked; whether `place` joins several.

    `asked` are the stems of the question with their weights. "46 francs for adults and 23 francs" joins what is said of two things and is
    no whole. Nothing is meant where there is one value, or the clauses tell nothing apart.
    """
    values = parse_values(said)
    held = [one for one in values if one.start < place[1] and place[0] < one.end]
    alike = _ranged([one for one in values if held and (one is held[0] or comparable(held[0], one))], said)
    found = _of_clause(alike, said, asked)
    meant = [end for one in found for end in (one.value, one.last) if end is not None]
    joined = any(
        comparable(one, other) and content_stems(said[one.end : other.start]) for one, other in itertools.pairwise(held)
    )
    if len(found) == len(alike) and not joined:
        return [], False
    return [whole(said, one.start, one.end, dated=one.kind == "date") for one in meant], joined


def _of_clause(stated: Sequence[StatedValue], text: str, rest: Mapping[str, float]) -> Sequence[StatedValue]:
    """Of several values those of the clause that says most of the `rest` of the question, of the words that the clauses do not share."""
    if len(stated) < 2:
        return stated
    cuts = [0]
    for one, other in itertools.pairwise(stated):
        marks = list(_CLAUSE.finditer(text, one.end, other.value.start))
        cuts.append(marks[-1].start() if marks else one.end)
    if content_stems(text[stated[-1].end :]):  # "4 knots in the inner basin": what a value is of stands behind it
        cuts[0] = stated[0].value.start
    else:  # "leaves Kelmouth at 16:00 and Port Ennick at 17:15": before it, in as many words each time
        many = len(_WORD.findall(_CLAUSE.sub(" ", text[cuts[1] : stated[1].value.start])))
        before = [word.start() for word in _WORD.finditer(text, 0, stated[0].value.start)]
        cuts[0] = before[-many] if 0 < many <= len(before) else 0
    clauses = [content_stems(text[a:b]) for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    said = [
        sum(
            weight
            for word, weight in rest.items()
            if word in clause and not any(word in other for other in clauses if other is not clause)
        )
        for clause in clauses
    ]
    most = max(said)
    return [one for one, words in zip(stated, said, strict=True) if words == most]


def _side(text: str, value: Value) -> str:
    """The side on which a value leaves what is said open, by the words beside it."""
    before, limit = text[: value.start], limited(value)
    if (age := _OLD.search(before)) is not None:  # "up to the age of 14"
        said = qualifier_before(text, age.start())
        before, limit = before[: age.start()], said.bound or said.limit
    if value.kind == "date" or value.dimension == "clock":
        head, _, day = before.rstrip().rpartition(" ")
        before = f"{head} " if weekdays(day) else before  # "from Monday 4 January"
        strict = _STRICT.search(before) is not None
        limit = ("<" if strict else "≤") if _UNTIL.search(before) else limit
        limit = (">" if strict else "≥") if _SINCE.search(before) and not _UNTIL.search(before) else limit
    elif not limit and _FROM.search(before):
        limit = "≥"
    elif not limit and value.dimension == "time":
        # what may be done until 48 hours before may be done three days before
        limit = "≤" if _WITHIN.search(before) else "≥" if _AHEAD.match(text, value.end) else ""
    return limit or _compared_side(before)


def _compared_side(before: str) -> str:
    """The side that a comparative says: "higher than", "shorter than"; denied ("must not be longer than") the limit."""
    compared = _THAN.search(before)
    said = compared[1].lower() if compared else ""
    side = ">" if said in comparatives("more") else "<" if said in comparatives("less") else ""
    if compared and side and denial(before[: compared.start()]):
        return "≤" if side == ">" else "≥"
    return side


def _as_age(value: Value, text: str) -> Value:
    """A number that is said of how old somebody is, in years: "my son of six", "children under twelve"."""
    if value.kind != "number" or value.dimension or not 0 < value.low <= 120:
        return value
    return replace(value, noun="") if _AGED.search(text[: value.start]) else value


def _last_stem_before(text: str, at: int) -> frozenset[str]:
    """The stem of the last word with meaning before a number, its currency and what makes a limit of it."""
    at = sign.start if (sign := money_before(text, at)) is not None else at
    words = (content_stems(word) for word in reversed(_WORD.findall(text[: at - qualifier_before(text, at).length])))
    return next((one for one in words if one), frozenset())


def _bare(value: Value) -> Value:
    """A number without its unit, as it is written."""
    part = value.count / value.low if value.dimension and value.low else 1.0
    low, high, step, zeros = (part * one for one in (value.low, value.high, value.step, value.zeros))
    return replace(value, low=low, high=high, step=step, zeros=zeros, dimension="", noun="", codes=())


def _as_clock(value: Value, asked: Value) -> Value:
    """A bare number beside a time of the day that is asked about: "from 9 to 12 o'clock"."""
    if asked.dimension != "clock" or value.kind != "number" or value.dimension or not 0 <= value.low <= 24:
        return value
    return replace(value, low=3600 * value.low, high=3600 * value.high, dimension="clock", step=3600.0)


def _of_one_kind(asked: Value, stated: Value) -> bool:
    """Whether two values can be told apart: of one dimension, and of plain counts the same thing counted."""
    if not comparable(asked, stated):
        kinds = {asked.kind, stated.kind} == {"number"}
        return kinds and ({asked.dimension, stated.dimension} == {"", "clock"} or _ages(asked, stated) is not None)
    if asked.kind != "number" or asked.dimension:
        return True
    mine, others = content_stems(asked.noun), content_stems(stated.noun)
    return bool(mine & others) if mine and others else True


def _ages(asked: Value, stated: Value) -> tuple[Value, Value] | None:
    """Both in years, where one is a bare number and the other says years."""
    years, bare = (asked, stated) if asked.dimension == "time" else (stated, asked)
    if years.dimension != "time" or bare.dimension or bare.noun or not years.unit.startswith("year"):
        return None
    told = replace(bare, low=_YEAR * bare.low, high=_YEAR * bare.high, dimension="time", unit=years.unit, step=_YEAR)
    return (years, told) if years is asked else (told, years)


def _in_time(asked: Value, side: str, stated: StatedValue) -> Agreement:
    """Dates and times of the day: a range holds what lies in it, "from" and "until" what lies on that side."""
    value = stated.value
    if {asked.dimension, value.dimension} == {"", "clock"}:  # "at nine" and "9:00"
        hour, clock = (asked, value) if value.dimension == "clock" else (value, asked)
        hours = replace(hour, low=3600 * hour.low, high=3600 * hour.high, dimension="clock", step=3600.0)
        other = ((hours.low + _DAY / 2) % _DAY,) * 2
        hours = replace(hours, readings=(other,) if hour.low <= 12 else ())
        return _in_time(
            hours if hour is asked else clock, side, replace(stated, value=clock if hour is asked else hours)
        )
    if stated.last is not None:
        low, high = value.low, stated.last.high
        for at, _ in ((asked.low, asked.high), *asked.readings):
            if low <= at <= high if low <= high else (at >= low or at <= high):
                return "same"
        return "other"
    if stated.side and side in ("", *_LIKE[stated.side]):
        ends = [one for one, _ in ((asked.low, asked.high), *asked.readings)]
        at = min(ends, key=lambda one: abs(one - value.low))  # "half past six" is that half of the day which is near
        return "same" if _within(at, value.low, value.high, stated.side) else "other"
    if stated.side:
        return "open"
    return _of_quantities(asked, side, value)


def limited(value: Value) -> str:
    """The side of a value that is told as a limit, "" for one told by itself."""
    return value.bound or value.limit


_LIKE = {"<": ("<", "≤"), "≤": ("<", "≤"), ">": (">", "≥"), "≥": (">", "≥")}


def _within(at: float, low: float, high: float, limit: str) -> bool:
    return {"<": at < high, "≤": at <= high, ">": at > low, "≥": at >= low}[limit]


def _of_quantities(asked: Value, side: str, stated: Value) -> Agreement:
    same = same_value(asked, stated)
    if stated.limit and side:
        return "same" if same else "other" if same is False else "open"
    if side in ("<", ">"):
        return _on_side(asked, side, stated)
    if same or (side == "≥" and stated.low >= asked.low):
        return "same"
    if side == "≤":
        return "other" if stated.high < asked.low else "open"
    beyond = (stated.limit == "≤" and asked.high < stated.low) or (stated.limit == "≥" and asked.low > stated.high)
    return "open" if beyond or same is None else "other"


def _on_side(asked: Value, side: str, stated: Value) -> Agreement:
    if stated.high < asked.low if side == "<" else stated.low > asked.high:
        return "same"
    return "other" if (stated.low >= asked.low if side == "<" else stated.high <= asked.high) else "open"


def _of_recurring(asked: frozenset[int], stated: frozenset[int], above: frozenset[int]) -> Agreement | None:
    if not stated:
        return "same" if asked <= above and above else None
    return "same" if asked <= stated else "open" if asked & stated else "other"
