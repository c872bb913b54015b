"""Numbers as people write them: "1,280", "1.2k", "2.4 × 10⁻¹²", "eight hundred and seventy-one", "one seventh", "between 13 and 15".

`numbers` finds them with their places. Each is a closed interval: a single figure has `low == high`; "13 to 15" and "1.87 ± 0.02" are
wider. `step` is the worth of the last digit written, so that 14 can be told to agree with 14.29; `about` says that a word such as
"roughly" softens it. Digits that name something ("HX-4", "version 2", "figure 7", "K3") are not quantities and are left out.

Why not quantulum3, pint and dateparser: measured, they take 0.5 to 0.9 s each to import and 72 MB together, and none keeps the stated
precision, the ranges and the softening words that equality needs. This module and its neighbours import in milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SPELT = {word: float(i) for i, word in enumerate(_ONES)} | {word: 20.0 + 10 * i for i, word in enumerate(_TENS)}
_SCALE = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
    "mn": 1e6,
    "bn": 1e9,
    "tn": 1e12,
}
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "twelfth": 12,
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")

_WORDS = "|".join([*_ONES, *_TENS])
_SCALES = "hundred|thousand|million|billion|trillion|dozen"
_DIGITS = (
    r"(?:(?<![\w.])(?<![A-Za-z]-)[-−+]?(?:\d{1,3}(?:[,\u202f\u2009 ]\d{3})+(?!\d)(?:\.\d+)?"
    r"|10(?:\^(?P<bare>-?\d+)|(?=[⁰¹²³⁴-⁹⁻])(?P<raised>[⁻⁰¹²³⁴-⁹]+))(?!\w)|\d+(?:\.\d+)?(?!\.\d)))"
    r"(?:\s?[×x*·]\s?10(?:\s?\^\s?)?(?P<power>[-−–⁻⁺+]?[\d⁰¹²³⁴-⁹]+)|(?P<exponent>[eE][-+]?\d+)\b)?"
    r"(?:(?P<suffix>(?-i:[kM]))(?![\w²³/·])|[\s-]?(?P<scale>thousand|million|billion|trillion|mn|bn|tn)\b)?"
)
# "$1.2bn", "€5 m", "£20k": after a currency's sign a letter is a scale, whatever unit it is elsewhere.
_MONEY_SCALE = re.compile(r"\s?(?:(?P<k>k)|(?P<m>m|mm)|(?P<b>b)|(?P<t>t))\b", re.IGNORECASE)
_CURRENCY = re.compile(r"(?:[$€£]|\b(?:USD|EUR|GBP)\s?)$")
_MONEY_FACTOR = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_SPELT_RUN = (
    rf"\b(?:{_WORDS}|(?:an? )?(?:{_SCALES}))(?:[ -](?:and )?(?:a )?(?:{_WORDS}|{_SCALES}|half))*(?:\b|(?=fold\b))"
)
_FRACTION = (
    r"\b(?:(?P<some>one|two|three|four|five|six|seven|eight|nine) (?:in|out of)(?: every)?"
    r" (?P<of>two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|(?P<over>one|two|three|four|five)[ -](?P<part>(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth)s?)\b"
    r"|(?P<alone>half(?= an?\b| the\b| of\b| as\b)|an? (?:third|quarter|fifth|sixth|seventh|eighth|ninth"
    r"|tenth)(?= of\b| the\b|[.,;)]| less| more| a \w)))"
)
_NUMBER = re.compile(rf"(?P<digits>{_DIGITS})|(?P<fraction>{_FRACTION})|(?P<spelt>{_SPELT_RUN})", re.IGNORECASE)
_ORDINAL_NEXT = re.compile(r"(?:st|nd|rd|th)\b|[A-Za-z]{0,2}\d|-[A-Za-z]+-?\d|\.\d|°?[A-Za-z]-")
_LABEL_BEFORE = re.compile(
    r"(?<!\ba )(?<!\bper )(?<!\beach )(?<!\bevery )\b(?:section|sections|table|tables|figure|figures|fig|eq|equation"
    r"|page|pages|chapter|step|steps|visit|visits|week|day|month|version|"
    r"phase|type|grade|part|volume|vol|no|number|room|batch|block|appendix|annex|line|clause|sheet|record|board|item|class|port|article|"
    r"build|code|codes|edition|release|chapter|rank|ranks|entry|building|route|tier|level|stage|model|round|question)s?\.? $",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:about|around|roughly|approximately|some|nearly|almost|circa|ca\.|~|≈|close to|just over|just under|a little over|a little under|"
    r"an estimated|on the order of)\s?$",
    re.IGNORECASE,
)
# "At most", "up to" and "not exceed" state the limit itself; only these leave the number open.
_MORE = re.compile(r"(?:more than|greater than|above|over|>|upwards of|exceeding)\s?$", re.IGNORECASE)
_LESS = re.compile(r"(?:less than|fewer than|below|under|<)\s?$", re.IGNORECASE)
_SPREAD = re.compile(r"\s?(?:±|\+/-)\s?(\d+(?:\.\d+)?)")
_TO = re.compile(r"\s?(?:–|—|-|to|and|or)\s?$")


@dataclass(frozen=True, slots=True)
class Number:
    """Characters `start` to `end` say a number from `low` to `high`; `bound` is "<" or ">" where only one end is meant."""

    start: int
    end: int
    low: float
    high: float
    step: float
    about: bool = False
    bound: str = ""
    label: bool = False
    fraction: bool = False

    @property
    def middle(self) -> float:
        """The number, or the middle of its range."""
        return (self.low + self.high) / 2


def numbers(text: str) -> list[Number]:
    """The quantities written in `text`, in order."""
    found: list[Number] = []
    for match in _NUMBER.finditer(text):
        if found and match.start() < found[-1].end:
            continue  # the spread of the number before
        number = _number(text, match)
        if number is None:
            continue
        if found and not found[-1].label and (joined := _range(text, found[-1], number)):
            found[-1] = joined
        else:
            found.append(number)
    return [number for number in found if not number.label]


def _number(text: str, match: re.Match[str]) -> Number | None:
    start, end = match.span()
    if match["digits"]:
        if _ORDINAL_NEXT.match(text, end):
            return None
        value, step = _from_digits(match)
        money = _MONEY_SCALE.match(text, end) if _CURRENCY.search(text, max(0, start - 4), start) else None
        if money is not None:
            factor = _MONEY_FACTOR[money.lastgroup or "m"]
            value, step, end = value * factor, step * factor, money.end()
    elif match["some"]:
        value = _SPELT[match["some"].lower()] / _SPELT[match["of"].lower()]
        step = value * 0.1
    elif match["fraction"]:
        over = _SPELT[match["over"].lower()] if match["over"] else 1.0
        part = (match["part"] or match["alone"]).lower().split()[-1]
        value = over / _PARTS[part if part == "half" else part.removesuffix("s")]
        step = value * 0.1  # "two thirds" may stand for 64 %, hardly for 60
    else:
        value, step = _from_words(match.group()), 0.0
    before = text[max(0, start - 24) : start]
    step_wide = 0.0
    if spread := _SPREAD.match(text, end):
        step_wide, end = float(spread[1]), spread.end()
    return Number(
        start,
        end,
        value - step_wide,
        value + step_wide,
        step,
        about=_ABOUT.search(before) is not None,
        bound="<" if _LESS.search(before) else ">" if _MORE.search(before) else "",
        label=bool(match["digits"] and _LABEL_BEFORE.search(before)),
        fraction=match["fraction"] is not None,
    )


def _from_digits(match: re.Match[str]) -> tuple[float, float]:
    plain = re.match(r"[-−+]?[\d,.\u202f\u2009 ]*\d", match["digits"])
    digits = re.sub(r"[,\u202f\u2009 ]", "", plain.group() if plain else "0").replace("−", "-")
    factor = 1.0
    if bare := match["bare"] or match["raised"]:
        return 10.0 ** int(bare.translate(_SUPERSCRIPT)), 0.0
    if match["power"]:
        factor = 10.0 ** int(match["power"].translate(_SUPERSCRIPT))
    elif match["exponent"]:
        factor = 10.0 ** int(match["exponent"][1:])
    if match["suffix"]:
        factor *= 1e3 if match["suffix"].lower() == "k" else 1e6
    elif match["scale"]:
        factor *= _SCALE[match["scale"].lower()]
    decimals = len(digits.partition(".")[2])
    return float(digits) * factor, factor * 10.0**-decimals


def _from_words(words: str) -> float:
    total = current = 0.0
    seen = False
    for word in re.split(r"[ -]", words.lower()):
        if word in _SPELT:
            current += _SPELT[word]
            seen = True
        elif word == "half":
            current += 0.5
        elif word in _SCALE:
            current = (current if seen or current else 1.0) * _SCALE[word]
            if _SCALE[word] >= 1e3:
                total, current = total + current, 0.0
            seen = False
    return total + current


def _range(text: str, before: Number, after: Number) -> Number | None:
    """`before` and `after` as one range where the words between and before them say so."""
    between = text[before.end : after.start]
    minus = after.low < 0 and between.strip() == "" and text[after.start] in "-−"
    if minus:
        after = replace(after, low=-after.high, high=-after.low)
        between = "-"
    if not _TO.fullmatch(between) or before.low > after.high:
        return None
    opened = re.search(r"\b(between|from)\s$", text[max(0, before.start - 9) : before.start], re.IGNORECASE)
    word = between.strip()
    if word == "or" or (word == "and" and not (opened and opened[1].lower() == "between")):
        return None
    if word == "to" and opened and opened[1].lower() == "from":
        return None  # "rose from 12 to 15" is a change, not a range
    return replace(before, end=after.end, high=after.high, step=max(before.step, after.step))
