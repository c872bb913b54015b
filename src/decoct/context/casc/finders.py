"""The values of a sentence that may answer, by what is asked: quantities, dates, effects, yes or no, names.

Each finder gives values with a bonus for what their own sentence says of them: an aside, a comparison, withdrawn, hoped for, of the
dimension asked for, counting the thing asked for. The figures were set on the hand-written conflict set and the generated dev families.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from decoct.context.casc.cues import aside, compared, hedge_of, status_of
from decoct.context.casc.effects import effects
from decoct.context.casc.focus import Focus, head_root
from decoct.context.casc.phrases import expected, framed, of_kind
from decoct.context.casc.roots import roots
from decoct.context.casc.text import Sentence
from decoct.context.casc.truth import answers
from decoct.text.equality import same
from decoct.text.values import Value

_RIGHT_KIND, _RIGHT_NOUN, _WRONG_NOUN = 0.2, 0.25, 0.1
_ASIDE, _COMPARED, _WITHDRAWN, _HOPED, _BOUND = 0.25, 0.12, 0.3, 0.15, 0.1
_OWN = 0.15
_MODIFIER, _UNNAMED, _WIDE, _WHOLE = 0.3, 0.2, 0.15, 0.25
_MEAN, _CONDITION, _NOTHING = 0.1, 0.1, 0.2
_OTHER_EVENT = 0.25
# "Built in", "renovated in the spring of": a participle and a preposition with nothing but small words between it and the date.
_PARTICIPLE = re.compile(
    r"\b([a-z]+ed|built|cast|born|made|begun|written|sold|bought|won|held|laid|led|sunk|sank|dug|drawn|given)"
    r"(?: again| back| first| (?:in|at) [A-Z]\w+,?)?(?: (?:in|on|by|until|since|around|about))?"
    r"(?: (?:the|early|late|mid|spring|summer|autumn|winter|of))*\s$",
    re.IGNORECASE,
)
_YEAR = 31556952.0  # seconds
_LIMIT = re.compile(
    r"\b(?:maximum|minimum|limit|at least|at most|up to|below|above|threshold|tolerance)\b", re.IGNORECASE
)


_REQUIRED = re.compile(
    r"\b(?:at least|minimum(?: of)?|must be|shall be|required|specified|specification|target)\b[^.;]*$", re.IGNORECASE
)
_EXTREME = re.compile(r"percentile|\b(?:maximum|minimum|highest|lowest|peak|least|most)\b", re.IGNORECASE)
_TYPICAL = re.compile(r"\b(?:mean|average[sd]?|median|overall|on average)\b", re.IGNORECASE)
# "Of the 142 patients exposed", "eleven of 142", "out of 1,204"
_OF_WHOLE = re.compile(
    r"(?:^|[,;(]\s?)(?:of|among)(?: the| all)* $|\b(?:out|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|some|many|most|none|few|each"
    r"|half|fewer|part|%)(?: \w+)? of(?: the| all| its| our| their)* $",
    re.IGNORECASE,
)

_QUANTITY = {
    "old": "age", "tall": "height", "high": "height altitude elevation", "long": "length duration", "wide": "width diameter",
    "deep": "depth", "thick": "thickness", "away": "distance", "apart": "distance", "fold": "factor",
}  # fmt: skip
_ADJECTIVE = re.compile(r"[\s-](old|tall|high|long|wide|deep|thick|away|apart)\b", re.IGNORECASE)
_FOLD = re.compile(r"(fold)$", re.IGNORECASE)
_SAID = 0.35  # as much as the noun itself beside the value, which such a sentence need not name

Finder: TypeAlias = Callable[[Sentence, Focus, Sentence | None], list[tuple[Value, float]]]


def _numbers(sentence: Sentence, focus: Focus, before: Sentence | None = None) -> list[tuple[Value, float]]:
    found = []
    for value in (_aged(value, focus) for value in sentence.values):
        if value.kind != "number" or any(same(value, given) and not value.bound for given in focus.given):
            continue
        bonus = _judged(sentence, value) - (_BOUND if value.bound and not _LIMIT.search(focus.text) else 0.0)
        after = sentence.text[value.end : value.end + 12]
        if re.match(r"-[a-z]", after) or "-" in value.unit:
            bonus -= _MODIFIER  # "a 13-billion-parameter model"
        if re.match(r"\s?(?:CI\b|confidence)", after):
            bonus -= _ASIDE
        if not _LIMIT.search(focus.text) and _REQUIRED.search(sentence.text[max(0, value.start - 32) : value.start]):
            bonus -= _HOPED
        if value.low > 0 and value.high > 1.05 * value.low and "±" not in value.raw:
            bonus -= _WIDE
        bonus += _belongs(sentence.text, value, focus)
        if not _EXTREME.search(focus.text) and _TYPICAL.search(sentence.text[max(0, value.start - 24) : value.start]):
            bonus += _MEAN
        if any(given.dimension and same(given, other) for given in focus.given for other in sentence.values):
            bonus += _CONDITION
        found.append((value, bonus + _named(sentence, value, focus) + _said_after(sentence.text, value, focus)))
    return found


def _aged(value: Value, focus: Focus) -> Value:
    """A plain number asked for as an age counts years: "a minimum age of 15"."""
    if value.kind != "number" or value.dimension or value.noun or "age" not in focus.head or value.high > 150:
        return value
    return replace(value, low=_YEAR * value.low, high=_YEAR * value.high, step=_YEAR * value.step, dimension="time")


def _said_after(text: str, value: Value, focus: Focus) -> float:
    """Whether an adjective after the value says the quantity asked for: "30 years old" an age, "thirtyfold" a factor."""
    said = _ADJECTIVE.match(text[value.end : value.end + 12]) or _FOLD.search(value.raw)
    return _SAID if said and roots(_QUANTITY[said[1].lower()]) & focus.head else 0.0


def _belongs(text: str, value: Value, focus: Focus) -> float:
    """Whether "187 for MTF-4" names what the question names or something else."""
    owner = re.match(
        r"\s?(?:for|in|from|by|with|of) (?:the )?(?:class |grade |type |group )?([A-Z][\w-]*)",
        text[value.end : value.end + 40],
    )
    if owner is None:
        return 0.0
    return _OWN if re.search(rf"\b{re.escape(owner[1])}\b", focus.text, re.IGNORECASE) else -_OWN


def _named(sentence: Sentence, value: Value, focus: Focus) -> float:
    """Whether the value is of the dimension asked for, or counts the thing asked for."""
    if value.dimension:
        return _RIGHT_KIND if value.dimension in focus.dimensions else 0.0
    if _OF_WHOLE.search(sentence.text[: value.start]):
        return -_WHOLE
    noun = roots(value.noun)
    if noun & focus.head:
        return _RIGHT_NOUN
    if focus.dimensions == {""}:
        return -_WRONG_NOUN if noun and head_root(focus) not in sentence.roots else 0.0
    return -_UNNAMED if noun else 0.0


def _dates(sentence: Sentence, focus: Focus, before: Sentence | None = None) -> list[tuple[Value, float]]:
    return [
        (value, _judged(sentence, value) + _event(sentence.text[: value.start], focus))
        for value in sentence.values
        if value.kind == "date" and not any(same(value, given) for given in focus.given)
    ]


def _event(before: str, focus: Focus) -> float:
    """Whether a participle just before the date ties it to what is asked ("founded in 2009") or to another event ("built in 1871")."""
    tied = _PARTICIPLE.search(before)
    if tied is None:
        return 0.0
    return _OWN if roots(tied[1]) & focus.words else -_OTHER_EVENT


def _effects(sentence: Sentence, focus: Focus, before: Sentence | None = None) -> list[tuple[Value, float]]:
    return [
        (value, _judged(sentence, value) + (_NOTHING if value.dimension == "none" else 0.0))
        for value in effects(sentence.text)
    ]


def _truths(sentence: Sentence, focus: Focus, before: Sentence | None) -> list[tuple[Value, float]]:
    beside = roots(sentence.source.title) | (before.roots if before is not None else frozenset())
    return [(value, _judged(sentence, value)) for value in answers(sentence.text, beside, focus.text, focus.words)]


def _entities(sentence: Sentence, focus: Focus, before: Sentence | None = None) -> list[tuple[Value, float]]:
    found = []
    kind = expected(focus.noun)
    measured = [v for v in sentence.values if v.dimension] if kind != "version" else []
    for value in of_kind(sentence.text, kind):
        words = roots(value.raw)
        if any(v.start < value.end and value.start < v.end for v in measured):
            continue  # the C of "412 °C"
        if (
            not words
            or (words <= focus.words and value.dimension != "quantified")
            or (words & focus.head and kind == "name")
        ):
            continue
        bonus = _judged(sentence, value) + framed(sentence.text, value, focus.text, head_root(focus))
        found.append((value, bonus - 0.1 * len(words & focus.words) + 0.05 * (value.dimension == kind)))
    return found


def _judged(sentence: Sentence, value: Value) -> float:
    text = sentence.text
    status = status_of(text, value.start, value.end)
    return (
        -_ASIDE * aside(text, value.start)
        - _COMPARED * compared(text, value.start)
        - _WITHDRAWN * (status == "withdrawn")
        - _HOPED * (hedge_of(text) == "strong")
        + 0.1 * (status == "correction")
    )


FINDERS: Mapping[str, Finder] = {
    "number": _numbers,
    "date": _dates,
    "effect": _effects,
    "truth": _truths,
    "entity": _entities,
    "open": lambda sentence, focus, before: [],
}
