"""Words of a sentence that withdraw one of its values, or put one in place of another."""

from __future__ import annotations

import re
from functools import lru_cache

from decoct.context.casc.claims import Status

_CHANGES = (
    r"(?:chang|mov|shift|switch|adjust|amend|revis|updat|extend|delay|alter|push|correct|expand|grow|rais|ris|lower|increas|reduc"
    r"|postpon|reschedul)\w*"
)
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
_NEW_BEFORE = re.compile(
    r"(?:should (?:have )?(?:read|been|be)|correct(?:ed)? (?:value|figure|number|dose|date|name)?\s?(?:is|was|to"
    r"|reads)?|actual(?:ly)?[\w ]{0,30}|in fact[\w ]{0,30}|is now|are now|now(?! also\b)[\w ]{0,16}"
    rf"|(?:{_CHANGES}|pushed back|brought forward) (?:it )?(?:to|until)|as of"
    r"|the true[\w ]{0,20}|the right[\w ]{0,20})\s*$",
    re.IGNORECASE,
)
# "changed from 30 s to 10 s": the first is the old one. "Open from 8:00 to 18:30", "from 5 °C to 40 °C" say how far something reaches.
_FROM = re.compile(r"\bfrom\s(?:about\s)?\W?\s?$", re.IGNORECASE)
_ON_TO = re.compile(r"\s?(?:\([^()]{1,40}\)\s)?(?:up |down )?to\s(?:about\s)?\W?\s?", re.IGNORECASE)
_TURNS = re.compile(
    rf"\b(?:{_CHANGES}|went|go(?:es|ne)\b|brought)(?:\s\w+){{0,12}}\s$",
    re.IGNORECASE,
)
_PHRASE = 60  # characters before "from" in which its verb stands


@lru_cache(maxsize=16384)
def status_of(text: str, start: int, end: int) -> Status:
    """Whether the value at `start`..`end` of a sentence is withdrawn there, put in place of another, or simply stated."""
    before = text[max(0, start - 48) : start]
    if (turned := _turned(text, start, end)) is not None:
        return turned
    if _NEW_BEFORE.search(before):
        return "correction"
    if _OLD_BEFORE.search(before):
        return "withdrawn"
    return "stated"


def _turned(text: str, start: int, end: int) -> Status | None:
    """Which end of a change "from X to Y" the value at `start`..`end` is; None where it is none."""
    before = _FROM.search(text, max(0, start - 20), start)
    if before is not None:
        on = _ON_TO.match(text, end)
        changed = _TURNS.search(text[max(0, before.start() - _PHRASE) : before.start()])
        return "withdrawn" if on is not None and changed else None
    return None
