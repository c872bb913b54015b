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

from decoct.text.lists import ONES, PARTS, SCALES, SPELT, TENS, table
from decoct.text.units import money_after, money_before

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
    r"|(?P<alone>half(?= an?\b| the\b| of\b| as\b"
    r"|[ -](?:minute|hour|day|week|month|year|mile|inch|pint|litre|kilo)\b)|an? (?:third|quarter|fifth|sixth|seventh|eighth|ninth"
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
_SPREAD = re.compile(r"\s?(?:±|\+/-)\s?(\d+(?:\.\d+)?)")
_TO = re.compile(r"\s?(?:–|—|-|to|and|or)\s?$")
_MINUS, _OF_A_SUM = "minus ", ("or ", *(f"{digit} " for digit in "0123456789"))


@dataclass(frozen=True, slots=True)
class Number:
    """Characters `start` to `end` say a number from `low` to `high`.

    `step` is the worth of its last digit, `zeros` that of its last digit other than 0 (100 for "2,300"; of "0.50" a hundredth). `about`:
    softened, and `side` says to which side ("below" for "nearly"); `bound` is "<" or ">" where only one end is meant, `limit` "≤" or "≥"
    where the number itself is the end; `spread`: the range is an uncertainty ("± 0.02"); `scale` is what a word or letter
    multiplies it by ("million").
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
    scale: float = 1.0

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
    scale = 1.0
    currency = money_before(text, start)
    if match["digits"]:
        if _ORDINAL_NEXT.match(text, end):
            return None
        value, step, zeros = _from_digits(match)
        scale = _scale(match)
        letter = _MONEY_SCALE.match(text, end)
        if letter is not None and (currency is not None or money_after(text, letter.end()) is not None):
            factor = _MONEY[letter["letter"].lower()]
            value, step, zeros, end = value * factor, step * factor, zeros * factor, letter.end()
            scale *= factor
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
        scale = SCALES.get(re.split(r"[ -]", match.group().lower())[-1], 1.0)
        step = zeros if scale > 1 else min(zeros, 1.0)
    begin = currency.start if currency is not None else start
    if _is_minus(text, begin):
        begin, value = begin - len(_MINUS), -value
        start = begin if currency is None else start
    wide = 0.0
    if spread := _SPREAD.match(text, end):
        wide, end = float(spread[1]), spread.end()
    said, more = before(text, begin), after(text, end)
    return Number(
        start,
        end,
        value - wide,
        value + wide,
        step,
        zeros,
        about=said.about or more.about,
        side=said.side,
        bound=said.bound,
        limit=said.limit or more.limit,
        label=bool(match["digits"] and _LABEL_BEFORE.search(text[max(0, begin - 24) : begin])),
        fraction=match["fraction"] is not None,
        spread=spread is not None,
        scale=scale,
    )


def _is_minus(text: str, begin: int) -> bool:
    """Whether the word before `begin` makes a number less than nought, and takes it from no other and sets no limits of an error."""
    at = begin - len(_MINUS)
    return at >= 0 and text[at:begin].lower() == _MINUS and not text[:at].endswith(_OF_A_SUM)


def _scale(match: re.Match[str]) -> float:
    """What the word or letter after digits multiplies them by."""
    if match["suffix"]:
        return 1e3 if match["suffix"].lower() == "k" else 1e6
    return SCALES[match["scale"].lower()] if match["scale"] else 1.0


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
    factor *= _scale(match)
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


def _range(text: str, first: Number, last: Number) -> Number | None:
    """`first` and `last` as one range where the words between and before them say so."""
    between = text[first.end : last.start]
    minus = last.low < 0 and between.strip() == "" and text[last.start] in "-−"
    if minus:
        last = replace(last, low=-last.high, high=-last.low)
        between = "-"
    if not _TO.fullmatch(between) or first.low > last.high:
        return None
    if first.scale == 1.0 != last.scale and first.high * last.scale <= last.high:
        size = last.scale  # the three of "3 to 4 million" are millions
        first = replace(
            first, low=first.low * size, high=first.high * size, step=first.step * size, zeros=first.zeros * size
        )
    opened = range_opened(text, first.start)
    word = between.strip()
    if word == "or" or (word == "and" and not (opened and opened[1].lower() == "between")):
        return None
    if word == "to" and opened and opened[1].lower() == "from":
        return None  # "rose from 12 to 15" is a change, not a range
    return replace(
        first, end=last.end, high=last.high, step=max(first.step, last.step), zeros=max(first.zeros, last.zeros)
    )


# Words that belong to a value and change what it says: "about", "at least", "not more than", "between … and", "the end of".
#
# `before` and `after` read them beside a number; `whole` gives the stretch that a value must be told with, for "40 %" cut out of "at least
# 40 %" says something else. A denial turns an open end into a limit: "not more than six" and "nothing above six" are at most six.
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
