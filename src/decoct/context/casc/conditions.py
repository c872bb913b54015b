"""Under which conditions a claim is said: whether two hold side by side, and whether one is said under another than the question's.

Compared are quantities of one dimension that stand beside the value ("at 300 K", "at 77 K"), days, and, where the question names a
condition in words ("in winter", "under argon") that some document repeats, what another has in its place ("in summer", "under air").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import Focus
from decoct.text.equality import comparable, same_value
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

# "in winter", "on Birds-500", "under dry argon", "among women": a preposition and up to two words without an article.
_NAMED = re.compile(
    r"\b(?P<how>in|on|under|among|during|without|after|before|with|for|by)\s(?P<what>(?!the\b|an?\b|its\b|their\b|this\b|all\b)[^\W\d_][\w-]*(?:\s[^\W\d_][\w-]*)?)",
    re.IGNORECASE,
)
_SET = re.compile(r"\b(at|aged|version|edition|release)\s(?:\w+\s)?$", re.IGNORECASE)
_DAYS = (
    re.compile(
        r"\b(?:weekdays?|working days?|monday to friday|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:weekends?|saturdays?|sundays?|(?:public )?holidays?)\b", re.IGNORECASE),
)


def exclude_each_other(one: Claim, other: Claim) -> bool:
    """Whether the claims are said under conditions that exclude each other."""
    if _apart(_given(one), _given(other)):
        return True
    days, rival = _days(one), _days(other)
    return bool(days) and bool(rival) and not days & rival


def said_otherwise(claim: Claim, claims: Sequence[Claim], focus: Focus) -> bool:
    """Whether `claim` is said under another condition than the question names, and one of `claims` under that very one."""
    if _apart(_given(claim), _conditions(focus.text)):
        return True
    days, wanted = _days(claim), _days_in(focus.text)
    if days and wanted and not days & wanted:
        return True
    return any(_has_another(claim, how, what, claims) for how, what in _named(focus.text))


def _has_another(claim: Claim, how: str, what: str, claims: Sequence[Claim]) -> bool:
    """Whether a claim has another thing in place of the "winter" of "in winter", which its document never names and another claim does."""
    wanted = content_stems(what)
    if not wanted or wanted & content_stems(claim.source.titled_text):
        return False
    if not any(wanted <= content_stems(other.quote) for other in claims):
        return False
    return any(mine == how and _shape(rival) == _shape(what) for mine, rival in _named(claim.quote))


def _named(text: str) -> list[tuple[str, str]]:
    """Prepositions in small letters, each with the words that it makes a condition of."""
    return [(match["how"].lower(), match["what"]) for match in _NAMED.finditer(text)]


def _shape(words: str) -> tuple[bool, bool]:
    """Whether words begin with a capital, and hold a digit: "winter" and "summer", "Birds-500" and "Flowers-102"."""
    return words[:1].isupper(), any(c.isdigit() for c in words)


def _apart(mine: Sequence[tuple[str, Value]], others: Sequence[tuple[str, Value]]) -> bool:
    """Whether some of two lists of conditions can be compared, and none of these say the same."""
    compared = [
        same_value(a, b)
        for how, a in mine
        for by, b in others
        if comparable(a, b) and (a.dimension or how == by != "at")
    ]
    return True not in compared and False in compared


def _conditions(text: str) -> list[tuple[str, Value]]:
    """Quantities that a preposition makes a condition, each after that word."""
    return [
        (match[1].lower(), value)
        for value in quantities(text)
        if value.kind == "number" and (match := _SET.search(text[: value.start])) is not None
    ]


def _given(claim: Claim) -> list[tuple[str, Value]]:
    """The conditions of the sentence, of another dimension than the claim's own."""
    return [(how, value) for how, value in _conditions(claim.quote) if value.dimension != claim.value.dimension]


def _days(claim: Claim) -> frozenset[int]:
    return _days_in(f"{claim.source.title}. {claim.quote}")


def _days_in(text: str) -> frozenset[int]:
    return frozenset(number for number, days in enumerate(_DAYS) if days.search(text))
