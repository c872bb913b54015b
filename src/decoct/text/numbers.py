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

from decoct.text.lists import table
from decoct.text.money import money_after, money_before
from decoct.text.spelt import ONES, PARTS, SCALES, SPELT, TENS

_MONEY: dict[str, float] = table("numbers")["money"]
_MOST_POWER = 300
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")

_WORDS = "|".join([*ONES, *TENS])
_SCALES = "|".join(sorted((word for word in SCALES if len(word) > 2), key=len, reverse=True))
_DIGITS = (
    r"(?:(?<![\w.])(?<![A-Za-z]-)[-−+]?(?:\d{1,2}(?:,\d{2})+,\d{3}(?!\d)"
    r"|(?P<continental>\d{1,3}(?:\.\d{3})+,\d{1,2}(?![\d,.]\d))|\d{1,3}(?:['’]\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:[,\u202f\u2009 ]\d{3})+(?!\d)(?:\.\d+)?"
    r"|10(?:\^(?P<bare>-?\d+)|(?=[⁰¹²³⁴-⁹⁻])(?P<raised>[⁻⁰¹²³⁴-⁹]+))(?!\w)|\d+(?:\.\d+)?(?!\.\d)))"
    r"(?:\s?[×x*·]\s?10(?:\s?\^\s?)?(?P<power>[-−–⁻⁺+]?[\d⁰¹²³⁴-⁹]+)|(?P<exponent>[eE][-+]?\d+)\b)?"
    r"(?:(?P<suffix>(?-i:[kM]))(?![\w²³/·])|[\s-]?(?P<scale>thousand|million|billion|trillion|lakhs?|lac|crores?|mn|bn|tn)\b)?"
)
# "$1.2bn", "€5 m", "£20k", "5m euros": beside a currency a letter is a scale, whatever unit it is elsewhere.
_MONEY_SCALE = re.compile(rf"\s?(?P<letter>{'|'.join(sorted(_MONEY, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
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
# "About a day" lasts one; "once a day" and "€5 a day" do not.
_A_DAY = (
    r"(?:(?<=\babout )|(?<=\baround )|(?<=\bwithin )|(?<=\bfor )|(?<=\bnearly )|(?<=\balmost )|(?<=\btakes )|(?<=\blasts )|(?<=\bafter ))"
    r"an?(?= (?:minute|hour|day|week|fortnight|month|year|decade)\b)"
)
_NUMBER = re.compile(
    rf"(?P<digits>{_DIGITS})|(?P<fraction>{_FRACTION})|(?P<spelt>{_SPELT_RUN})|(?P<article>{_A_DAY})", re.IGNORECASE
)
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
_BELOW = re.compile(r"(?:nearly|almost|close to|just under|a little under)\s?$", re.IGNORECASE)
_ABOVE = re.compile(r"(?:just over|a little over)\s?$", re.IGNORECASE)
# These leave the number open; "at most", "up to" and "at least" state the limit itself.
_MORE = re.compile(r"(?:(?<!no )more than|greater than|above|over|>|upwards of|exceeding)\s?$", re.IGNORECASE)
_LESS = re.compile(r"(?:(?<!no )(?:less|fewer) than|below|under|<)\s?$", re.IGNORECASE)
_LEAST = re.compile(r"(?:at least|no (?:less|fewer) than|(?:a )?minimum of|≥|>=)\s?$", re.IGNORECASE)
_MOST = re.compile(r"(?:at most|up to|no more than|(?:a )?maximum of|not exceed(?:ing)?|≤|<=)\s?$", re.IGNORECASE)
_OR_MORE = re.compile(r"\+(?!\w)| (?:or|and) (?:more|over|above|older|higher)\b", re.IGNORECASE)
_OR_LESS = re.compile(r" (?:or|and) (?:less|fewer|under|below|younger|lower)\b", re.IGNORECASE)
_SPREAD = re.compile(r"\s?(?:±|\+/-)\s?(\d+(?:\.\d+)?)")
_TO = re.compile(r"\s?(?:–|—|-|to|and|or)\s?$")


@dataclass(frozen=True, slots=True)
class Number:
    """Characters `start` to `end` say a number from `low` to `high`.

    `step` is the worth of its last digit, `zeros` that of its last digit other than 0 (100 for "2,300"; of "0.50" a hundredth). `about`:
    softened, and `side` says to which side ("below" for "nearly"); `bound` is "<" or ">" where only one end is meant, `limit` "≤" or "≥"
    where the number itself is the end; `spread`: the range is an uncertainty ("± 0.02").
    """

    start: int
    end: int
    low: float
    high: float
    step: float
    zeros: float = 0.0
    about: bool = False
    side: str = ""
    bound: str = ""
    limit: str = ""
    label: bool = False
    fraction: bool = False
    spread: bool = False

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
    currency = money_before(text, start)
    if match["digits"]:
        if _ORDINAL_NEXT.match(text, end):
            return None
        value, step, zeros = _from_digits(match)
        letter = _MONEY_SCALE.match(text, end)
        if letter is not None and (currency is not None or money_after(text, letter.end()) is not None):
            factor = _MONEY[letter["letter"].lower()]
            value, step, zeros, end = value * factor, step * factor, zeros * factor, letter.end()
    elif match["some"]:
        value = SPELT[match["some"].lower()] / SPELT[match["of"].lower()]
        step = zeros = value * 0.1
    elif match["fraction"]:
        over = SPELT[match["over"].lower()] if match["over"] else 1.0
        part = (match["part"] or match["alone"]).lower().split()[-1]
        value = over / PARTS[part if part == "half" else part.removesuffix("s")]
        step = zeros = value * 0.1  # "two thirds" may stand for 64 %, hardly for 60
    elif match["article"]:
        value = step = zeros = 1.0
    else:
        value = _from_words(match.group())
        zeros = _last_worth(value, 0.5 if value % 1 else 1.0)
        # "Two million" may be a rounded number; "forty" says no less than 40.
        step = zeros if re.split(r"[ -]", match.group().lower())[-1] in SCALES else min(zeros, 1.0)
    begin = currency.start if currency is not None else start
    before = text[max(0, begin - 24) : begin]
    wide = 0.0
    if spread := _SPREAD.match(text, end):
        wide, end = float(spread[1]), spread.end()
    return Number(
        start,
        end,
        value - wide,
        value + wide,
        step,
        zeros,
        about=_ABOUT.search(before) is not None,
        side="below" if _BELOW.search(before) else "above" if _ABOVE.search(before) else "",
        bound="<" if _LESS.search(before) else ">" if _MORE.search(before) else "",
        limit="≥"
        if _LEAST.search(before) or _OR_MORE.match(text, end)
        else "≤"
        if _MOST.search(before) or _OR_LESS.match(text, end)
        else "",
        label=bool(match["digits"] and _LABEL_BEFORE.search(before)),
        fraction=match["fraction"] is not None,
        spread=spread is not None,
    )


def _last_worth(value: float, step: float) -> float:
    """The worth of the last digit that is not 0, of a number stated to `step`."""
    while value and step < abs(value) and round(value / (10 * step), 6) % 1 == 0:
        step *= 10
    return step


def _from_digits(match: re.Match[str]) -> tuple[float, float, float]:
    """Value, worth of the last digit, worth of the last digit that is not 0."""
    plain = re.match(r"[-−+]?[\d,.\u202f\u2009 '’]*\d", match["digits"])
    written = plain.group() if plain else "0"
    if match["continental"]:
        written = written.replace(".", "").replace(",", ".")
    digits = re.sub(r"[,\u202f\u2009 '’]", "", written).replace("−", "-")
    factor = 1.0
    if bare := match["bare"] or match["raised"]:
        power = _ten_to(bare)
        return power, power, power
    if match["power"]:
        factor = _ten_to(match["power"])
    elif match["exponent"]:
        factor = _ten_to(match["exponent"][1:])
    if match["suffix"]:
        factor *= 1e3 if match["suffix"].lower() == "k" else 1e6
    elif match["scale"]:
        factor *= SCALES[match["scale"].lower()]
    decimals = len(digits.partition(".")[2])
    value, step = float(digits) * factor, factor * 10.0**-decimals
    return value, step, step if decimals else _last_worth(value, step)


def _ten_to(exponent: str) -> float:
    """Ten to the written power, or to the greatest or least that a number can hold."""
    return 10.0 ** max(-_MOST_POWER, min(_MOST_POWER, int(exponent.translate(_SUPERSCRIPT)[:9])))


def _from_words(words: str) -> float:
    total = current = 0.0
    seen = False
    for word in re.split(r"[ -]", words.lower()):
        if word in SPELT:
            current += SPELT[word]
            seen = True
        elif word == "half":
            current += 0.5
        elif word in SCALES:
            current = (current if seen or current else 1.0) * SCALES[word]
            if SCALES[word] >= 1e3:
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
    return replace(
        before, end=after.end, high=after.high, step=max(before.step, after.step), zeros=max(before.zeros, after.zeros)
    )
