"""The scope test that comes before contradiction (METHODS 3.4): values under different conditions do not conflict.

Conditions are typed slots read from what a source says beside its value: temperature, pressure, age group, atmosphere, sample, species, and
identifiers of one shape (K2 and K3, version 1 and version 2). A claim is *out of scope* if the question fills a slot and the source fills
it otherwise and nowhere as the question does. Two claims are *apart* if they fill a slot differently; ranges that overlap do not differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import Focus
from decoct.context.casc.subject import other_identifier, other_subject
from decoct.text.dates import dates
from decoct.text.equality import same
from decoct.text.values import Value, quantities

# Words of one family exclude each other as conditions; a family is one slot.
_FAMILIES: Mapping[str, str] = {
    "atmosphere": "air nitrogen argon helium oxygen vacuum hydrogen",
    "sample": "blood saliva urine serum plasma stool sputum",
    "species": "mice rats dogs monkeys humans patients volunteers",
    "age": "children adolescents infants newborns adults pensioners",
    "sex": "men women",
    "text": "news clinical legal biomedical",
    "severity": "mild moderate severe",
    "depth": "surface core bulk",
    "certainty": "certified uncertified",
    "place": "indoor outdoor",
    "state": "summer winter spring autumn",
}
_FAMILY = {word: (name, word) for name, words in _FAMILIES.items() for word in words.split()}
_AGES = re.compile(
    r"\b(?:aged?|ages|between)\s(?:of\s)?(?P<low>\d{1,2})\s?(?:to|and|-|–)\s?(?P<high>\d{1,2})\b(?! per)|\b(?:aged?"
    r"|over|of)\s(?P<from>\d{2})\s(?:years\s)?(?:and|or)\s(?:over|older|above)"
    r"|\b(?P<over>\d{2})\syears\s(?:and|or)\s(?:over|older)|\bover\s(?P<past>\d{2})\b|\bunder\s(?P<below>\d{2})\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")
# "The free plan", "power-saving mode", "the northern district": what stands before such a noun says which one of several.
_MODIFIED = re.compile(
    r"\b(?P<which>[\w-]+) (?P<head>plan|mode|edition|tier|variant|model|subscription|account|licence|package|programme|program|class"
    r"|district|region|zone|season|cohort|arm|group|subgroup|fund|branch|platform|option|setting|grade|trim|route|quarter|half)s?\b",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    "the a an this that each every any its their our same one no another other whole first second which in of per".split()
)
_ACIDITY = re.compile(r"\bpH(?: of| =|=)? ?(\d{1,2}(?:\.\d+)?)")
_DURING = re.compile(r"\b(?:in|during|for|fiscal|year|throughout|as of|at the end of)\s$", re.IGNORECASE)
_PLACES = ("temperature", "pressure")
_ROOM = re.compile(r"\b(?:room[- ]temperature|ambient temperature|at room)\b", re.IGNORECASE)
_ROOM_VALUE = Value("room temperature", "number", low=288.15, high=303.15, dimension="temperature")


@lru_cache(maxsize=1024)  # asked for every claim of a source
def conditions(text: str, value: Value | None = None) -> Mapping[str, tuple[str, ...]]:
    """The slots that `text` fills, each with how it fills them; `value` is the answer itself and no condition."""
    found: dict[str, list[str]] = {}
    for word in _WORD.findall(text.lower()):
        if word in _FAMILY:
            slot, filled = _FAMILY[word]
            found.setdefault(slot, []).append(filled)
    for number in _measured(text):
        if value is None or number.dimension != value.dimension:
            found.setdefault(number.dimension, []).append(number.raw)
    for match in _MODIFIED.finditer(text):
        overlaps = value is not None and (match["which"] in value.raw or value.raw in match.group())
        if match["which"].lower() not in _VAGUE and not overlaps and text[match.end() : match.end() + 1] != "-":
            found.setdefault(f"which {match['head'].lower()}", []).append(match["which"].lower())
    if value is None or value.kind != "date":
        for when in dates(text):
            if _DURING.search(text[: when.start]):
                found.setdefault("period", []).append(text[when.start : when.end])
    for match in _ACIDITY.finditer(text):
        found.setdefault("pH", []).append(str(round(float(match[1]))))
    for match in _AGES.finditer(text):
        found.setdefault("years", []).append(match.group())
    return {slot: tuple(dict.fromkeys(filled)) for slot, filled in found.items()}


@lru_cache(maxsize=4096)
def contrary(text: str, question: str) -> bool:
    """Whether `text` names another member of a family than the question does ("mild" for "moderate"), and not the question's own."""
    asked = {slot: found for slot, found in _members(question).items() if len(found) == 1}
    if not asked:
        return False
    said = _members(text)
    return any(slot in said and not said[slot] & wanted for slot, wanted in asked.items())


def _members(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in _WORD.findall(text.lower()):
        if word in _FAMILY:
            slot, member = _FAMILY[word]
            found.setdefault(slot, set()).add(member)
    return found


def out_of_scope(claim: Claim, focus: Focus) -> str:
    """The condition by which the claim is about something else than the question; empty where it is not."""
    asked = conditions(focus.text)
    near = f"{claim.source.title}. {claim.quote}"
    whole = f"{claim.source.title}. {claim.source.text}"
    for slot, wanted in asked.items():
        if slot.startswith("which ") or (slot == "period" and focus.target == "date"):
            continue
        said = conditions(near, claim.value).get(slot, ())
        if not said and slot not in _PLACES:  # a temperature elsewhere in the text belongs to something else
            said = conditions(whole, claim.value).get(slot, ())
        anywhere = conditions(whole, claim.value).get(slot, ())
        if said and not _meet(slot, wanted, said) and not _meet(slot, wanted, anywhere):
            return ", ".join(said)
    return other_identifier(claim, focus) or other_subject(claim, focus)


def apart(one: Claim, other: Claim) -> str:
    """The slot by which two claims differ in their conditions; empty where none does."""
    mine, theirs = conditions(one.quote, one.value), conditions(other.quote, other.value)
    for slot in mine:
        if (
            slot in theirs
            and (slot in (*_PLACES, "atmosphere", "years", "sample", "age", "pH") or slot.startswith("which "))
            and not _meet(slot, mine[slot], theirs[slot])
        ):
            return slot
    return ""


def _meet(slot: str, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if slot in _PLACES:
        left, right = [_measured(raw) for raw in one], [_measured(raw) for raw in other]
        return any(same(a, b) for found in left for a in found for more in right for b in more)
    if slot == "years":
        return any(_years(a)[0] <= _years(b)[1] and _years(b)[0] <= _years(a)[1] for a in one for b in other)
    if slot == "period":
        return any(same(a, b) for x in one for a in quantities(x) for y in other for b in quantities(y))
    return bool(set(one) & set(other))


def _measured(text: str) -> list[Value]:
    found = [value for value in quantities(text) if value.kind == "number" and value.dimension in _PLACES]
    return [*found, _ROOM_VALUE] if _ROOM.search(text) else found


def _years(text: str) -> tuple[int, int]:
    match = _AGES.search(text)
    if match is None:
        return 0, 200
    if match["low"]:
        return int(match["low"]), int(match["high"])
    if match["below"]:
        return 0, int(match["below"]) - 1
    return int(match["from"] or match["over"] or match["past"]), 200
