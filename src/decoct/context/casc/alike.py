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


def values_alike(one: Claim, other: Claim) -> bool | None:
    """True or False, None where they cannot be compared."""
    found = same_value(one.value, other.value)
    if found is None and one.value.kind == other.value.kind == "number" and _limits(one.value, other.value):
        return same_value(_bare(one.value), _bare(other.value))
    if found is not None or one.value.kind not in _WORDS or other.value.kind not in _WORDS:
        return found
    if (mine := quantities(one.value.raw)) and (theirs := quantities(other.value.raw)):
        compared = [same_value(x, y) for x in mine for y in theirs]
        if True not in compared and False in compared:
            return False  # "2.0 petrol", "2.3-litre diesel"
    a, b = content_stems(one.value.raw), content_stems(other.value.raw)
    if not a or not b:
        return None
    shared = len(a & b)
    if shared and (shared == min(len(a), len(b)) or shared / len(a | b) >= _SHARED):
        return True
    return None if shared or may_abbreviate(one.value.raw, other.value.raw) else False


def _limits(one: Value, other: Value) -> bool:
    return bool(one.bound or one.limit or other.bound or other.limit)


def _bare(value: Value) -> Value:
    """The number of a limit: asked "how many at most", "fewer than eight" and "six and over" name two limits."""
    return replace(value, bound="", limit="", side="")
