"""Whether two claims say the same: by their values, and answers in words by the words that they share.

Words that share nothing are two answers ("stack overflow", "integer truncation") unless a synonym stands behind them, which nothing
here can know: so a difference in words weighs less than one in values, and sameness in words is never certain ("agreed" asks for more).
"""

from __future__ import annotations

from dataclasses import replace

from decoct.context.casc.claims import Claim
from decoct.text.aliases import may_abbreviate
from decoct.text.equality import same_value
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

_SHARED = 0.5
_WORDS = ("entity", "text")


def values_alike(one: Claim, other: Claim, asked: frozenset[str] = frozenset()) -> bool | None:
    """`same_answer` of their values."""
    return same_answer(one.value, other.value, asked)


def same_answer(one: Value, other: Value, asked: frozenset[str] = frozenset()) -> bool | None:
    """Whether two values answer the same: True or False, None where they cannot be compared.

    `asked` are the question's stems: where both have other words, those alone tell them apart ("raised the pulse", "lowered the pulse").
    """
    found = same_value(one, other)
    if found is None and one.kind == other.kind == "number" and _limits(one, other):
        return same_value(_bare(one), _bare(other))
    if found is not None or one.kind not in _WORDS or other.kind not in _WORDS:
        return found
    if (mine := quantities(one.raw)) and (theirs := quantities(other.raw)):
        compared = [same_value(x, y) for x in mine for y in theirs]
        if True not in compared and False in compared:
            return False  # "2.0 petrol", "2.3-litre diesel"
    a, b = content_stems(one.raw), content_stems(other.raw)
    if a - asked and b - asked:
        a, b = a - asked, b - asked
    if not a or not b:
        return None
    shared = len(a & b)
    if shared and (shared == min(len(a), len(b)) or shared / len(a | b) >= _SHARED):
        return True
    return None if shared or may_abbreviate(one.raw, other.raw) else False


def _limits(one: Value, other: Value) -> bool:
    return bool(one.bound or one.limit or other.bound or other.limit)


def _bare(value: Value) -> Value:
    """The number of a limit: asked "how many at most", "fewer than eight" and "six and over" name two limits."""
    return replace(value, bound="", limit="", side="")
