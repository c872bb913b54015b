"""Words that belong to a value and change what it says: "about", "at least", "not more than", "between … and", "the end of".

`before` and `after` read them beside a number; `whole` gives the stretch that a value must be told with, for "40 %" cut out of "at least
40 %" says something else. A denial turns an open end into a limit: "not more than six" and "nothing above six" are at most six.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABOUT = re.compile(
    r"(?:about|around|roughly|approximately|some|nearly|almost|circa|ca\.|~|≈|close to|just over|just under|a little over|a little under|"
    r"an estimated|on the order of)\s?$",
    re.IGNORECASE,
)
_BELOW = re.compile(r"(?:nearly|almost|close to|just under|a little under)\s?$", re.IGNORECASE)
_ABOVE = re.compile(r"(?:just over|a little over)\s?$", re.IGNORECASE)
# These leave the number open; "at most", "up to" and "at least" state the limit itself.
_MORE = re.compile(r"(?:more than|greater than|above|over|>|upwards of|exceed(?:s|ed|ing)?)\s?$", re.IGNORECASE)
_LESS = re.compile(r"(?:(?:less|fewer) than|below|under|<)\s?$", re.IGNORECASE)
_LEAST = re.compile(r"(?:at least|(?:a )?minimum of|≥|>=)\s?$", re.IGNORECASE)
# "The fee goes up to €140" tells of a change and no limit.
_RISES = "".join(rf"(?<!\b{verb} )" for verb in "go goes went gone going moved put rose risen shot climbed".split())
_MOST = re.compile(rf"(?:at most|{_RISES}up to|(?:a )?maximum of|≤|<=)\s?$", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\bno|(?:\b(?:not|never|cannot|nothing|nobody|none)|n['’]t)(?: (?!only\b)\w+){0,3}) $", re.IGNORECASE
)
_OR_MORE = re.compile(
    r"\+(?!\w)| (?:or|and) (?:more|over|above|older|higher)\b| at (?:the )?(?:very )?least\b", re.IGNORECASE
)
_OR_LESS = re.compile(
    r" (?:or|and) (?:less|fewer|under|below|younger|lower)\b| at (?:the )?(?:very )?most\b", re.IGNORECASE
)
_OR_SO = re.compile(r" or so\b", re.IGNORECASE)
# Beside a date or an answer in words: which part of it, or which side of it.
_PART = re.compile(
    r"\b(?:(?:the )?(?:(?:very )?end|beginning|start|middle|(?:first|second) half) of|early|mid|late|before|after|not before|not after"
    r"|by|about|around|circa|c\.)[ -](?:the )?$",
    re.IGNORECASE,
)
_OPENED = re.compile(r"\b(between|from)\s$", re.IGNORECASE)
_REACH = 48  # characters in which a qualifier stands


@dataclass(frozen=True, slots=True)
class Qualifier:
    """What the words beside a number make of it, and how many characters they take (the fields are `Number`'s)."""

    length: int = 0
    about: bool = False
    side: str = ""
    bound: str = ""
    limit: str = ""


def before(text: str, start: int) -> Qualifier:
    """The qualifier that ends at `start`."""
    words = text[max(0, start - _REACH) : start]
    about = _ABOUT.search(words)
    side = "below" if _BELOW.search(words) else "above" if _ABOVE.search(words) else ""
    bound, limit = "", ""
    found = about
    for pattern, open_end, denied, closed in (
        (_LESS, "<", "≥", ""),
        (_MORE, ">", "≤", ""),
        (_LEAST, "", "", "≥"),
        (_MOST, "", "", "≤"),
    ):
        match = pattern.search(words)
        if match is None:
            continue
        no = denial(words[: match.start()]) if open_end else None
        bound, limit = ("", denied) if no else (open_end, closed)
        found = no or match
        break
    starts = [match.start() for match in (about, found) if match is not None]
    return Qualifier(len(words) - min(starts) if starts else 0, about is not None, side, bound, limit)


def denial(words: str) -> re.Match[str] | None:
    """The denial that `words` end with, which turns "more than six" behind them into a limit; None for none."""
    return _DENIED.search(words)


def after(text: str, end: int) -> Qualifier:
    """The qualifier that begins at `end`."""
    for pattern, limit in ((_OR_MORE, "≥"), (_OR_LESS, "≤"), (_OR_SO, "")):
        if (match := pattern.match(text, end)) is not None:
            return Qualifier(match.end() - end, about=not limit, limit=limit)
    return Qualifier()


def range_opened(text: str, start: int) -> re.Match[str] | None:
    """The "between" or "from" (group 1) right before `start`, where a range may begin."""
    return _OPENED.search(text, max(0, start - _REACH), start)


def whole(text: str, start: int, end: int, *, dated: bool = False) -> tuple[int, int]:
    """The characters `start` to `end` with the words before and after them that belong to what they say; `dated`: they tell when."""
    words = text[max(0, start - _REACH) : start]
    opened = range_opened(text, start)
    if opened is not None and re.search(r"\sand\s" if opened[1].lower() == "between" else r"\sto\s", text[start:end]):
        start = opened.start()
    elif (length := before(text, start).length) > 0:
        start -= length
    elif dated and (part := _PART.search(words)) is not None:
        start -= len(words) - part.start()
    return start, end + after(text, end).length
