"""Words that say how a value is meant: withdrawn or put in place of another, changed since, planned, or passed on from others."""

from __future__ import annotations

import re
from functools import lru_cache

from decoct.context.casc.claims import Hedge, Status
from decoct.context.casc.effects import effects
from decoct.text.dates import dates
from decoct.text.values import quantities

# Before a value: what follows is the old or wrong one.
_OLD_BEFORE = re.compile(
    r"(?:printed as|(?:in error|by mistake|mistakenly|wrongly)(?: \w+)? as|was (?:given|stated|listed|reported"
    r"|published) as|appeared as|instead of|rather than|not"
    r"|erroneous(?:ly)?[\w ]{0,24}|incorrect(?:ly)?[\w ]{0,24}"
    r"|wrong(?:ly)?[\w ]{0,24}|originally[\w ]{0,24}|previous(?:ly)?[\w ]{0,30}|formerly[\w ]{0,24}"
    r"|earlier[\w ]{0,24}|the old(?:er)?[\w ]{0,24}|takes? the place of[\w ]{0,12}|replac(?:es|ed|ing)[\w ]{0,24}"
    r"|(?:up|down) from|used to be|in place of[\w ]{0,12}|the withdrawn[\w ]{0,16}|the (?:first|initial) (?:version"
    r"|edition)[\w ]{0,24}|superseded[\w ]{0,24}|predecessor[\w ]{0,24})\s*$",
    re.IGNORECASE,
)
# After a value: it was the old or wrong one.
_OLD_AFTER = re.compile(
    r"^[^.;]{0,40}\b(?:is our mistake|was (?:a|an|our) (?:mistake|error|misprint|typo)|in error|is (?:wrong"
    r"|incorrect)|was (?:wrong|incorrect)|misprint|"
    r"(?:can|could) ?not be (?:reproduced|replicated|verified|relied)|should not be (?:used|cited)|is (?:not reproducible|unreliable)|"
    r"should (?:have )?(?:read|been|be)|is superseded|was (?:turned down|rejected|withdrawn|replaced|superseded)|no longer)",
    re.IGNORECASE,
)
_NEW_BEFORE = re.compile(
    r"(?:should (?:have )?(?:read|been|be)|correct(?:ed)? (?:value|figure|number|dose|date|name)?\s?(?:is|was|to"
    r"|reads)?|actual(?:ly)?[\w ]{0,30}|in fact[\w ]{0,30}|is now|are now|now(?! also\b)[\w ]{0,16}"
    r"|(?:moves?|rises?|raised|lowered|changed|revised|updated|amended|increased|reduced|corrected|extended|postponed|moved|rescheduled"
    r"|delayed|pushed back|brought forward) (?:it )?(?:to|until)|as of"
    r"|the true[\w ]{0,20}|the right[\w ]{0,20})\s*$",
    re.IGNORECASE,
)
CORRECTS = re.compile(
    r"\b(?:errat(?:um|a)|corrigendum|correction|retract(?:ed|ion|s)?|withdrawn|withdraws?|misprint(?:ed)?"
    r"|should (?:have )?read|printed as|in error|our mistake|"
    r"stated wrongly|wrongly stated|supersedes?|superseded|obsoletes?|obsoleted|replaces|invalid(?:ated)?|incorrectly"
    r"|corrected (?:themselves|to|figure|value)"
    r"|(?:was|were|is|are) (?:wrong|incorrect|mistaken|inaccurate|erroneous)|an? (?:earlier|previous) version of this"
    r"|contrary to (?:earlier|previous)|not \S+(?: \S+)? as (?:previously|earlier|originally|first|initially)"
    r"|(?:extended|postponed|rescheduled|delayed|pushed back|brought forward) (?:to|until)"
    r"|has been (?:revised|amended|updated|changed) to)\b",
    re.IGNORECASE,
)
CHANGED = re.compile(
    r"\b(?:no longer|any ?more|ceased to|now|with immediate effect|new (?:rules?|limits?|fares?|prices?|hours|rates?|conditions)"
    r"|(?:has|have|had) (?:been )?(?:changed|altered|adjusted|raised|lowered|replaced|moved)|have had to \w+|changes? to|as of)\b",
    re.IGNORECASE,
)
RETRACTS = re.compile(r"\b(?:retract(?:ed|ion|s)?|withdrawn)\b", re.IGNORECASE)
_HOPED = re.compile(
    r"\b(?:plan(?:s|ned)?|target|goal|aims?|expect(?:s|ed)?|would|will be|propos(?:es|ed|al)|draft|predict(?:s|ed)?"
    r"|simulat(?:ed|ion)|calculat(?:ed|ions?)|"
    r"theoretical|projected|forecast|hoped?|suggests? that)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned)?(?: to)?|(?:aim|intend|expect)(?:s|ed)? to|hop(?:es|ed) to|will"
    r"|(?:is|are|was|were) (?:expected|scheduled|due) to|should be able|is to (?:be|open|cost|start|begin)|budget(?:ed)?|estimated at"
    r"|projected|target (?:of|is|was)|envisage[sd]?)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|but|while|whereas|who|which)\s", re.IGNORECASE)
_CLAIMED = re.compile(
    r"\b(?:claim(?:s|ed)?|alleged(?:ly)?|reported(?:ly)?|rumou?r(?:s|ed)?|according to|says?|said|promis(?:es|ed)"
    r"|circulate[sd]?|puts? the|apparently|it seems|"
    r"has not been (?:attempted|verified|confirmed|certified)|unverified|uncertified|unconfirmed)\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:(?<!\d )(?-i:may)(?! \d)|might|could|possibly|perhaps|probably|presumably|likely|appears? to|seems? to|preliminary|tentative)\b",
    re.IGNORECASE,
)
# "changed from 30 s to 10 s": the first is the old one. "Open from 8:00 to 18:30", "from 5 °C to 40 °C" say how far something reaches.
_FROM = re.compile(r"\bfrom\s(?:(?:about|around|some|nearly|over)\s)?\W?\s?$", re.IGNORECASE)
_ON_TO = re.compile(
    r"\s?(?:\([^()]{1,40}\)\s)?(?:up |down )?to\s(?:(?:about|around|some|nearly|over)\s)?\W?\s?", re.IGNORECASE
)
_TURNS = re.compile(
    r"\b(?:chang|mov|shift|switch|went|go(?:es|ne)\b|adjust|amend|revis|updat|extend|postpon|delay|alter|brought|push|correct"
    r"|expand|grow)\w*(?:\s\w+){0,4}\s$",
    re.IGNORECASE,
)
_PHRASE = 60  # characters before "from" in which its verb stands
_AS_OF = re.compile(r"\b(?:as of|as at|at the end of|census of|estimate of)(?: [a-z]+){0,2}\s$", re.IGNORECASE)
_OPENS = re.compile(r"\W*(?:in|by|at the end of)(?: [a-z]+)?\s", re.IGNORECASE)
_IN = re.compile(r"(?: [a-z]+){0,3} \(?(?:in|by)\s")


@lru_cache(maxsize=16384)
def status_of(text: str, start: int, end: int) -> Status:
    """Whether the value at `start`..`end` of a sentence is withdrawn there, put in place of another, or simply stated."""
    before = text[max(0, start - 48) : start]
    if (turned := _turned(text, start, end)) is not None:
        return turned
    if _NEW_BEFORE.search(before):
        return "correction"
    if _OLD_BEFORE.search(before) or _OLD_AFTER.search(text[end : end + 60]):
        return "withdrawn"
    return "stated"


def _turned(text: str, start: int, end: int) -> Status | None:
    """Which end of a change "from X to Y" the value at `start`..`end` is; None where it is none."""
    before = _FROM.search(text, max(0, start - 20), start)
    if before is not None:
        on = _ON_TO.match(text, end)
        return "withdrawn" if on is not None and _is_change(text, before.start(), text[start : on.end() + 40]) else None
    for match in re.finditer(r"\bfrom\s", text[max(0, start - 80) : start], re.IGNORECASE):
        opened = max(0, start - 80) + match.end()
        old = next(iter(quantities(text[opened:start])), None)
        if old is None or old.start > len("around $ "):
            continue
        on = _ON_TO.match(text, opened + old.end)
        if on is not None and start <= on.end() < end and _is_change(text, opened - len("from "), text[opened:end]):
            return "correction"
    return None


def _is_change(text: str, at: int, ends: str) -> bool:
    """Whether "from" at `at` begins a change: after a verb of change, or because the second of the values of `ends` is the smaller one."""
    phrase = text[max(0, at - _PHRASE) : at]
    if _TURNS.search(phrase) or any(way.dimension in ("up", "down") for way in effects(phrase)):
        return True
    values = quantities(ends)
    if len(values) < 2 or any(value.kind != "number" or value.dimension == "clock" for value in values[:2]):
        return False
    return values[0].low > values[1].high and values[0].dimension in ("", values[1].dimension)


@lru_cache(maxsize=4096)
def hedge_of(text: str) -> Hedge:
    """How surely a sentence says what it says."""
    if _HOPED.search(text):
        return "strong"
    return "weak" if _DOUBTED.search(text) or _CLAIMED.search(text) else "none"


@lru_cache(maxsize=4096)
def planned(text: str) -> bool:
    """Whether a clause (or a question) tells what is to be, and not what came of it."""
    return _PLANNED.search(text) is not None


def planned_at(text: str, start: int, end: int) -> bool:
    """Whether the clause of a sentence that holds characters `start` to `end` tells what is to be."""
    low = max((m.end() for m in _CLAUSE.finditer(text, 0, start)), default=0)
    after = _CLAUSE.search(text, end)
    return planned(text[low : after.start() if after else len(text)])


def as_of(text: str, start: int, end: int) -> str:
    """The date as of which a sentence says the value at `start` to `end`, as written: "as of 2023", "In 2023 …", "… in 2023"."""
    for when in dates(text):
        before = text[: when.start]
        beside = _IN.fullmatch(text[end : when.start]) if when.start >= end else _OPENS.fullmatch(before)
        if _AS_OF.search(before) or beside:
            return text[when.start : when.end]
    return ""
