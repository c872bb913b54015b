"""Which side of a conflict to believe (lab/docs/methods.md): the rules in order, the first that fires; else both sides are flagged.

    correction  a source of the side is an erratum, or says that its value takes another's place, and is not older; or it alone is left
                when a notice withdraws the others
    recency     the other sides rest on older editions of what this one rests on (`editions`); or the quantity changes with time: the
                newest source that can be held to account (and any that no source of the conflict outranks by 0.3)
    authority   the best sources of the sides differ by 0.3 and more
    majority    at least two independent sources

A side is believed only if it was read well enough itself: below `settles`, the probability from which on a reading may decide, the
conflict is flagged whatever speaks for the side. Confidence is the chosen side's share of the weight; a correction or a later date is
no vote, so there it has a floor. Below 0.6 the
conflict is flagged whatever was chosen. `policy` is the order of the rules; leaving one out switches it off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decoct.context.casc.claims import Claim, Side, Verdict
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import is_older_edition, numbers_of_edition

Rule: TypeAlias = Literal["correction", "recency", "authority", "majority"]

POLICY: tuple[Rule, ...] = ("correction", "recency", "authority", "majority")
_GAP, _SUPPORT = 0.3, 2
_FLAG_BELOW = 0.6
_CORRECTED, _NEWEST = (
    0.9,
    0.75,
)  # floors of confidence: in the hand-written set these rules were right 6 of 6 and 7 of 8 times
_ACCOUNTABLE = 0.5  # a blog's or a newspaper's date says when somebody wrote, not since when it holds
HEDGE = {"none": 1.0, "weak": 0.7, "strong": 0.4}


# A question of how things are, by its verb: what was once and for all ("When did", "Who won") does not change.
_TENSE = re.compile(
    r"\b(?:(?P<past>did|was|were|had)|is|are|does|do|has|have|can|may|must|will|should)\b", re.IGNORECASE
)
_MEASURED = frozenset({"paper", "preprint", "report", "standard"})


@dataclass(frozen=True, slots=True)
class _Choice:
    side: int
    reason: str
    floor: float = 0.0


def weight_of(claim: Claim) -> float:
    """What one source adds to its side: authority times its hedge."""
    return claim.source.authority * HEDGE[claim.hedge]


def resolve(sides: Sequence[Side], focus: Focus, policy: Sequence[Rule] = POLICY, settles: float = 0.0) -> Verdict:
    """The verdict on the sides of one conflict, at least two of them; no side is believed that was read with less than `settles`."""
    total = sum(side.weight for side in sides) or 1.0
    for rule in policy:
        choice = _RULES[rule](sides, focus)
        if choice is None:
            continue
        if sides[choice.side].sure < settles:
            return Verdict("flagged", rule, None, 0.0, f"{choice.reason}, but that is not surely read")
        confidence = round(max(sides[choice.side].weight / total, choice.floor), 2)
        if confidence >= _FLAG_BELOW:
            return Verdict("resolved", rule, choice.side, confidence, choice.reason)
        return Verdict("flagged", rule, None, confidence, f"{choice.reason}, but the other side weighs as much")
    best = max(side.weight for side in sides) / total
    return Verdict("flagged", "none", None, round(best, 2), "sources of equal standing disagree and nothing decides")


def _correction(sides: Sequence[Side], focus: Focus) -> _Choice | None:
    strength = [max(_corrects(claim, sides, i) for claim in side.claims) for i, side in enumerate(sides)]
    best = max(range(len(sides)), key=lambda i: strength[i])
    if not strength[best] or strength.count(strength[best]) > 1:
        return _outlasting(sides)
    speaker = max(sides[best].claims, key=lambda claim: _corrects(claim, sides, best))
    return _Choice(best, f"{speaker.source.label} corrects or replaces what others say", _CORRECTED)


def _outlasting(sides: Sequence[Side]) -> _Choice | None:
    """The only side left once those are gone whose sources are withdrawn."""
    gone = [side for side in sides if all(claim.status == "withdrawn" for claim in side.claims)]
    left = [at for at, side in enumerate(sides) if side not in gone]
    if not gone or len(left) != 1:
        return None
    return _Choice(left[0], f"{gone[0].best.source.label} has been replaced or withdrawn", _CORRECTED)


def _corrects(claim: Claim, sides: Sequence[Side], mine: int) -> int:
    """2 for an erratum, 1 for a source that says it replaces another; 0 unless some source of another side is not newer."""
    rivals = [c for i, side in enumerate(sides) if i != mine for c in side.claims]
    if claim.day is not None and rivals and all(other.day is not None and other.day > claim.day for other in rivals):
        return 0
    best = max((c.source.authority for c in rivals), default=1.0)
    if claim.status == "withdrawn" or claim.source.authority < min(_ACCOUNTABLE, best):
        return 0
    if claim.source.kind == "erratum":
        return 2
    return 1 if claim.status == "correction" else 0


def _is_past(focus: Focus) -> list[bool]:
    """Of each verb of the question that tells a time, whether it tells the past."""
    return [match["past"] is not None for match in _TENSE.finditer(focus.text)]


def _newest_edition(sides: Sequence[Side], focus: Focus) -> _Choice | None:
    """The only side whose sources are not all older editions of another side's.

    What has been is not replaced: reports of two years tell of two years, unless the question names the year of which both tell.
    """
    if (told := _is_past(focus)) and all(told) and not numbers_of_edition(focus.text):
        return None
    newer: dict[int, tuple[Claim, Claim]] = {}
    for i, side in enumerate(sides):
        others = [claim for j, other in enumerate(sides) if j != i for claim in other.claims]
        found = [next((c for c in others if is_older_edition(mine.source, c.source)), None) for mine in side.claims]
        if found[0] is not None and None not in found:
            newer[i] = (side.claims[0], found[0])
    left = [i for i in range(len(sides)) if i not in newer]
    if not newer or len(left) != 1:
        return None
    old, new = next(iter(newer.values()))
    return _Choice(left[0], f"{new.source.label} is a newer edition of {old.source.label}", _CORRECTED)


def _recency(sides: Sequence[Side], focus: Focus) -> _Choice | None:
    dated = any(side.best.value.kind == "date" for side in sides)
    lasting = _is_past(focus)[-1:] == [False] and not dated
    if not (focus.latest or lasting):
        return None
    # Where no side has an accountable source, the best there are must do: among newspapers the latest record stands.
    best = max((c.source.authority for side in sides for c in side.claims), default=0.0)
    newest: list[tuple[int, int, Claim]] = []
    for i, side in enumerate(sides):
        told = [
            (c.day, c) for c in side.claims if c.day is not None and _is_accountable(c, best) and c.hedge != "strong"
        ]
        if told:
            day, claim = max(told, key=lambda pair: pair[0])
            newest.append((day, i, claim))
    if not newest:
        return None
    newest.sort(key=lambda found: -found[0])
    if len(newest) > 1 and newest[0][0] == newest[1][0]:
        return None
    day, side_of, claim = newest[0]
    if not focus.latest:
        # What is said of how things are holds until somebody who knows says otherwise later; what was measured does not expire.
        older = [c.day for i, side in enumerate(sides) if i != side_of for c in side.claims if c.day is not None]
        measured = any(c.source.kind in _MEASURED for side in sides for c in side.claims)
        if not lasting or measured or not older:
            return None
    return _Choice(side_of, f"more recent ({claim.source.date})", _NEWEST)


def _is_accountable(claim: Claim, best: float) -> bool:
    """Whether its source's date says since when a claim holds: of accountable sources, and those that the best does not outrank."""
    standing = claim.source.authority
    return standing >= min(_ACCOUNTABLE, best) or standing > best - _GAP + 1e-9


def _authority(sides: Sequence[Side], focus: Focus) -> _Choice | None:
    standing = [max(c.source.authority for c in side.claims) for side in sides]
    order = sorted(range(len(sides)), key=lambda i: -standing[i])
    best, second = order[0], order[1]
    if standing[best] - standing[second] < _GAP - 1e-9:
        return None
    kinds = sorted({claim.source.kind for claim in sides[best].claims})
    return _Choice(best, f"better sources ({', '.join(kinds)})", standing[best] / (standing[best] + standing[second]))


def _majority(sides: Sequence[Side], focus: Focus) -> _Choice | None:
    best = max(range(len(sides)), key=lambda i: (sides[i].support, sides[i].weight))
    return (
        _Choice(best, f"{sides[best].support} independent sources agree") if sides[best].support >= _SUPPORT else None
    )


_RULES: Mapping[str, Callable[[Sequence[Side], Focus], _Choice | None]] = {
    "correction": _correction,
    "recency": lambda sides, focus: _newest_edition(sides, focus) or _recency(sides, focus),
    "authority": _authority,
    "majority": _majority,
}
