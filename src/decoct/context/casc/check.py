"""CheckResolve(I_all): claims to sides, sides to agreement or conflict, conflicts to verdicts (lab/docs/methods.md, CASC: check).

1. A value answers one part of the question: a claim for another part with the same value is dropped.
2. Claims under the other of two named conditions are set aside, and those of sources about another thing or year, where a source of
   the very one makes a claim too (`same_question`).
3. Claims of a part that say the same (`values_alike`) are one side, in which no two are known to differ.
4. Support counts independent sources (`independent`), weight their standing (`resolve`).
5. Sides that are known to differ conflict. Claims that are not sure enough to be a side of their own are told beside, uncompared; so are,
   where nothing decides, those that plain reading of their document alone does not answer with.
6. One side agrees only if two independent sources say it and both were surely read; nobody else may be heard to say otherwise.

From which probability on a claim counts is calibrated (`weighing.thresholds`): `sure` for "agreed", `differs` for a side of a conflict
(below it a claim is told as "not compared"), `settles` for a side that may be believed before the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from decoct.context.casc.claims import Claim, Cluster, ConflictType, Findings, Side, sides_differ, values_alike
from decoct.context.casc.focus import Focus
from decoct.context.casc.independent import Independence, independence
from decoct.context.casc.resolve import POLICY, Rule, resolve, weight_of
from decoct.context.casc.same_question import of_others
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.context.casc.weighing import thresholds
from decoct.text.equality import comparable, known_equal, same_value
from decoct.text.times import weekdays
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

# Under which conditions a claim is said: whether two hold side by side, and whether one is said under another than the question's.
#
# Compared are quantities of one dimension that stand beside the value ("at 300 K", "at 77 K"), days, and, where the question names a
# condition in words ("in winter", "under argon") that some document repeats, what another has in its place ("in summer", "under air").

# "in winter", "on Birds-500", "under dry argon", "among women": a preposition and up to two words without an article.
_NAMED = re.compile(
    r"\b(?P<how>in|on|under|among|during|without|after|before|with|for|by)\s(?P<what>(?!the\b|an?\b|its\b|their\b|this\b|all\b)[^\W\d_][\w-]*(?:\s[^\W\d_][\w-]*)?)",
    re.IGNORECASE,
)
_SET = re.compile(r"\b(at|aged|version|edition|release)\s(?:\w+\s)?$", re.IGNORECASE)


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
    """The days of the week that a claim is said of; what it says itself is no condition of it."""
    start, end = claim.within
    return _days_in(f"{claim.source.title}. {claim.quote[:start]} {claim.quote[end:]}")


def _days_in(text: str) -> frozenset[int]:
    return weekdays(text) or weekdays("weekend" if "holiday" in text.casefold() else "")


_TYPES: dict[str, ConflictType] = {
    "number": "numeric",
    "date": "date",
    "entity": "entity",
    "bool": "polarity",
    "text": "entity",
}


def check(
    question: str,
    sources: Sequence[EvidenceSource],
    parts: Sequence[Focus],
    claims: Sequence[Claim],
    policy: Sequence[Rule] = POLICY,
    *,
    limits: Mapping[str, float] | None = None,
) -> Findings:
    """What the claims come to, part by part; `limits` stand in place of the calibrated thresholds."""
    limits = limits or thresholds()
    editions = [(i, j) for (i, one), (j, other) in combinations(enumerate(sources), 2) if are_editions(one, other)]
    origin = independence([source.doc_id for source in sources], [source.text for source in sources], editions)
    clusters: list[Cluster] = []
    aside: list[Claim] = []
    gaps: list[str] = []
    kept = _one_part_each(claims, parts)
    for number, focus in enumerate(parts):
        mine = [claim for claim in kept if claim.part == number]
        within = _as_asked(_of_the_thing(mine, focus), focus)
        aside += [claim for claim in mine if claim not in within]
        if not within:
            gaps.append(focus.text)
            continue
        clusters.append(_cluster(within, number, focus, origin, policy=policy, limits=limits))
    return Findings(question, tuple(sources), tuple(clusters), tuple(aside), tuple(gaps))


def _of_the_thing(claims: Sequence[Claim], focus: Focus) -> Sequence[Claim]:
    """Without what sources about another thing or year say, where others speak of the very one."""
    others = of_others(focus, tuple({claim.source.doc_id: claim.source for claim in claims}.values()))
    return [claim for claim in claims if claim.source.doc_id not in others]


def _as_asked(claims: Sequence[Claim], focus: Focus) -> Sequence[Claim]:
    """Without what a draft says, or is said under another condition than the question's, where others say what is, or of that very one."""
    stated = [claim for claim in claims if claim.source.kind != "draft"] or claims
    asked = [claim for claim in stated if not said_otherwise(claim, stated, focus)]
    return asked or stated


def _one_part_each(claims: Sequence[Claim], parts: Sequence[Focus]) -> list[Claim]:
    """The claims without those that give the value of another part: what is told under a part's condition is that part's.

    Where neither sentence nor document names a condition, a value that any source gives under one belongs there, and else to the part on
    which the reader holds the sentence for better evidence.
    """
    if len(parts) < 2:
        return list(claims)
    under = [parts[c.part].answered_in(c.quote, c.source.titled_text) is True for c in claims]
    kept: list[int] = []
    for i in sorted(range(len(claims)), key=lambda i: (not under[i], -claims[i].relevance)):
        mine = claims[i]
        rivals = [j for j in kept if claims[j].part != mine.part and known_equal(claims[j].value, mine.value)]
        if not any(claims[j].source.doc_id == mine.source.doc_id or under[j] > under[i] for j in rivals):
            kept.append(i)
    return [claims[i] for i in sorted(kept)]


def _cluster(
    claims: Sequence[Claim],
    part: int,
    focus: Focus,
    origin: Independence,
    *,
    policy: Sequence[Rule],
    limits: Mapping[str, float],
) -> Cluster:
    sides = _sides(claims, origin, focus)
    about = focus.about or focus.text.rstrip("?")
    rivals = [side for side in sides if side.sure >= limits["differs"]]
    if len(rivals) < 2:
        agreed = len(sides) == 1 and _agreed(sides[0], origin, limits)
        return Cluster(about, part, sides, "agree" if agreed else "single")
    if focus.several or all(exclude_each_other(one.best, other.best) for one, other in combinations(rivals, 2)):
        return Cluster(about, part, sides, "conditional", "scope")
    # Square kilometres beside metres contradict nothing: what is not known to differ from the best-read rival is told beside.
    best = max(rivals, key=lambda side: side.sure)
    rivals = [one for one in rivals if one is best or sides_differ(one, best, focus.words)]
    if len(rivals) > 1 and resolve(rivals, focus, policy, limits["settles"]).chosen is None:
        rivals = [one for one in rivals if any(claim.alone() for claim in one.claims)] or [best]
    beside = tuple(side for side in sides if side not in rivals)
    if len(rivals) < 2:
        return Cluster(about, part, tuple(rivals), "single", beside=beside)
    verdict = resolve(rivals, focus, policy, limits["settles"])
    return Cluster(about, part, tuple(rivals), "conflict", type_of(rivals), verdict, beside)


def _agreed(side: Side, origin: Independence, limits: Mapping[str, float]) -> bool:
    sure = [claim for claim in side.claims if claim.sure >= limits["sure"]]
    return origin.count([(claim.source.doc_id, claim.quote) for claim in sure]) > 1


def _sides(claims: Sequence[Claim], origin: Independence, focus: Focus) -> tuple[Side, ...]:
    group = _said_alike(claims, focus)
    sides = [
        side_of(tuple(claim for claim, of in zip(claims, group, strict=True) if of == first), origin)
        for first in dict.fromkeys(group)
    ]
    return tuple(sorted(sides, key=lambda side: (-side.weight, side.value)))


def _said_alike(claims: Sequence[Claim], focus: Focus) -> list[int]:
    """For each claim the first of those that say the same.

    "1963" is like two days of that year: it does not put them together, so that no source is told for a value that another one says.
    """
    group = list(range(len(claims)))
    pairs = combinations(range(len(claims)), 2)
    alike = {(i, j): values_alike(claims[i], claims[j], focus.words) for i, j in pairs}
    for pair, same in alike.items():
        low, high = sorted(group[i] for i in pair)
        joined = [i for i, of in enumerate(group) if of in (low, high)]
        if same and not any(alike[other] is False for other in combinations(joined, 2)):
            group = [low if of == high else of for of in group]
    return group


def side_of(claims: tuple[Claim, ...], origin: Independence) -> Side:
    """Claims that say the same, with their independent sources counted."""
    depends = origin.of([(claim.source.doc_id, claim.quote) for claim in claims])
    weights: dict[int, float] = {}
    for claim, on in zip(claims, depends, strict=True):
        weights[on] = max(weights.get(on, 0.0), weight_of(claim))
    spoken = Side("", claims, len(weights), sum(weights.values()), claims[0].value.kind)
    return replace(spoken, value=spoken.best.value.raw)


def type_of(sides: Sequence[Side]) -> ConflictType:
    """What kind of conflict sides are in that exclude each other."""
    values = [side.best.value for side in sides]
    if values[0].kind == "number" and any(
        _slipped(one.low, other.low, one.raw, other.raw) for one, other in combinations(values, 2)
    ):
        return "unit"
    return _TYPES[values[0].kind]


def _slipped(one: float, other: float, raw: str, rival: str) -> bool:
    """Whether two quantities have the same digits and differ by their unit alone."""
    digits = re.compile(r"\d[\d.,]*")
    left, right = digits.search(raw), digits.search(rival)
    return left is not None and right is not None and left.group() == right.group() and one != other and raw != rival
