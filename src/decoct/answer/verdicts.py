"""What the values of a question of yes or no come to: "Does the lift carry 12 people?" is no where the sentence says eight.

A sentence decides that speaks of most of the question, values aside, and states a value of the same kind (a quantity of that dimension, a
count of the same thing, a time, a date, a day of the week, a month). "At least", "up to", "more than", "before" and "after" are compared as
what they say; a value between two that the sentence states is left open, and so is one in a sentence that denies. A "yes" needs its value:
where no sentence states it, none is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from decoct.answer.quotable import is_quotable
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.surroundings import surroundings
from decoct.text.equality import comparable, same_value
from decoct.text.overlap import rarities
from decoct.text.qualified import whole
from decoct.text.recurring import months, weekdays
from decoct.text.sentences import sentences
from decoct.text.values import Value, parse_values
from decoct.text.words import content_stems

Agreement: TypeAlias = Literal["same", "other", "open"]

_LEAST_AROUND, _LEAST_INSIDE = 0.6, 0.3  # of the question without its values: said around the sentence, and in it
_ALL = 0.8  # from there on a sentence with the same value says what is asked
_SURE, _MORE = 0.5, 0.45
_DENIES = re.compile(r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot)\b|n['’]t\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|earlier than|prior to)\s+$", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|later than)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedValues:
    """What a question states: its `values`, each with its side ("<", ">", "≤", "≥", "" for itself), `days`, `months`; and the `rest`."""

    values: tuple[tuple[Value, str], ...]
    days: frozenset[int]
    months: frozenset[int]
    rest: frozenset[str]

    @property
    def any(self) -> bool:
        """Whether it states anything that can be compared."""
        return bool(self.values or self.days or self.months)

    def agreement(self, sentence: str) -> Agreement | None:
        """Whether a sentence states the same; None where it states nothing of the kind."""
        found = [self._of_value(value, side, sentence) for value, side in self.values]
        found += [_of_days(mine, others) for mine, others in self._recurring(sentence)]
        known = [one for one in found if one is not None]
        if not known or len(known) < len(found):
            return None if "other" not in known else "open" if _DENIES.search(sentence) else "other"
        if _DENIES.search(sentence):
            return "open"
        return "other" if "other" in known else "open" if "open" in known else "same"

    def _recurring(self, sentence: str) -> list[tuple[frozenset[int], frozenset[int]]]:
        pairs = []
        if self.days:
            pairs.append((self.days, weekdays(sentence)))
        if self.months:
            pairs.append((self.months, months(sentence)))
        return pairs

    def _of_value(self, asked: Value, side: str, sentence: str) -> Agreement | None:
        stated = [one for one in parse_values(sentence) if _of_one_kind(asked, one)]
        if not stated:
            return None
        found = [_compared(asked, side, one) for one in stated]
        if "same" in found:
            return "same"
        low, high = min(one.low for one in stated), max(one.high for one in stated)
        between = len(stated) > 1 and low < asked.low <= asked.high < high
        return "open" if between or "open" in found else "other"


def asked_values(question: str, named: Sequence[tuple[int, int]] = ()) -> AskedValues:
    """What a question of yes or no states, but for the numbers of what it names."""
    values = [
        one
        for one in parse_values(question)
        if one.kind in ("number", "date", "ordinal")
        and not any(one.start < end and start < one.end for start, end in named)
    ]
    dated = any(one.kind == "date" for one in values)
    rest = question
    for one in reversed(values):
        start, end = whole(question, one.start, one.end, dated=one.kind == "date")
        rest = f"{rest[:start]} {rest[end:]}"
    days, told = weekdays(question), frozenset[int]() if dated else months(question)
    stems = content_stems(rest)
    if days or told:
        stems = frozenset(one for one in stems if not weekdays(one) and not months(one.capitalize()))
    return AskedValues(tuple((one, _side(question, one)) for one in values), days, told, stems)


def judged_by_values(
    asked: AskedValues, read: Sequence[ReadPassage], is_of_another: Callable[[FoundWords], bool]
) -> tuple[Agreement, FoundWords, float] | None:
    """How the sentence that says most of the question agrees with its values, that sentence ("yes" or "no") and how much of it it says.

    None where no sentence states a value of the kind of those `asked`.
    """
    texts = [content_stems(f"{one.passage.title}\n{one.passage.text}") for one in read]
    rare = rarities(sorted(asked.rest), texts) if asked.rest else {}
    best: tuple[float, Agreement, FoundWords, float] | None = None
    for one in read:
        for place in sentences(one.passage.text):
            quote = one.passage.text[slice(*place)]
            agreement = asked.agreement(quote) if is_quotable(quote) else None
            if agreement is None:
                continue
            inside, around = _spoken(rare, one, place)
            if around < _LEAST_AROUND or (rare and inside < _LEAST_INSIDE):
                continue
            weight = _SURE + _MORE * (inside + around) / 2
            word = "no" if agreement == "other" else "yes"
            found = FoundWords(one, place, place, word, weight, judged=True, form="verdict")
            if not is_of_another(found) and (best is None or inside + around > best[0]):
                best = inside + around, agreement, found, around
    return None if best is None else best[1:]


def judged_with_values(
    valued: tuple[Agreement, FoundWords, float] | None, judged: Sequence[FoundWords]
) -> list[FoundWords]:
    """The verdicts that hold where the question states values: a yes with the sentence that states them, a no."""
    denied = [one for one in judged if one.words == "no"]
    if valued is None or valued[0] == "open":
        return denied
    agreement, found, spoken = valued
    if agreement == "other" or (spoken >= _ALL and not denied):
        return [found]
    if judged and judged[0].words == "yes":
        return [replace(found, weight=judged[0].weight)]
    return denied


def _spoken(rare: Mapping[str, float], one: ReadPassage, place: tuple[int, int]) -> tuple[float, float]:
    """The share of the question's words in a sentence, and around it."""
    around = surroundings(one.passage, place, place, judged=True)
    if not rare:
        return 1.0, 1.0
    inside = sum(weight for word, weight in rare.items() if word in around.stems)
    return inside, sum(weight for word, weight in rare.items() if word in around.all_stems)


def _side(question: str, value: Value) -> str:
    before = question[: value.start]
    if value.kind == "date" or value.dimension == "clock" or not (value.bound or value.limit):
        if _BEFORE.search(before):
            return "<"
        if _AFTER.search(before):
            return ">"
    return value.bound or value.limit


def _of_one_kind(asked: Value, stated: Value) -> bool:
    """Whether two values can be told apart: of one dimension, and of plain counts the same thing counted."""
    if not comparable(asked, stated):
        return {asked.kind, stated.kind} == {"number"} and {asked.dimension, stated.dimension} == {"", "clock"}
    if asked.kind != "number" or asked.dimension:
        return True
    mine, others = content_stems(asked.noun), content_stems(stated.noun)
    return bool(mine & others) if mine and others else True


def _compared(asked: Value, side: str, stated: Value) -> Agreement:
    if {asked.dimension, stated.dimension} == {"", "clock"}:  # "at nine" and "9:00"
        hour, clock = (asked, stated) if stated.dimension == "clock" else (stated, asked)
        return "same" if (clock.low / 3600 - hour.low) % 12 == 0 else "other"
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


def _of_days(asked: frozenset[int], stated: frozenset[int]) -> Agreement | None:
    if not stated:
        return None
    return "same" if asked <= stated else "open" if asked & stated else "other"
