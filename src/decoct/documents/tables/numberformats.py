"""Values of a workbook as it shows them, by the number formats of ECMA-376 (part 1, 18.8.31).

A format has up to four sections (positive; negative; zero; text) or conditions. Digits, separators, percent, exponents, fractions,
scaling by commas, text in quotes, currencies (`[$€-407]`) and dates are as in Excel with English separators. A date told in numbers alone
is written in ISO 8601, since the order of its day and month is the reader's setting; names of months stay names. A format that shows
nothing of a number leaves it as it is stored.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

_PART = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[(?:h+|m+|s+)\]|\[[^\]]*\]|AM/PM|A/P|am/pm|a/p|yyyy|yy?|mmmmm|mmmm|mmm|mm?|dddd|ddd|dd?|hh?|ss?(?:\.0+)?|e+|g+|b+|.',
    re.IGNORECASE | re.DOTALL,
)
_BARE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SECONDS = 86_400
_MIDNIGHT = datetime.time()
_LAST = 2_958_466  # the first day that a workbook cannot have: 1 January 10000
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<general>General)'
    r"|(?P<exponent>[eE][+-])|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<slash>/)|(?P<text>@)|(?P<other>.)",
    re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_CURRENCY = re.compile(r"\$([^-]*)(?:-[0-9A-Fa-f]+)?")
_MOST_DIGITS = 15  # that a double holds
_LONGEST_FORMAT = 500


@dataclass(frozen=True, slots=True)
class _Section:
    """One section: pairs of a kind of token and its text, and the condition that a value must meet."""

    tokens: tuple[tuple[str, str], ...]
    condition: tuple[str, float] | None
    kinds: frozenset[str]


def shown(value: float, code: str, *, of_1904: bool = False) -> str:
    """A number as the format `code` shows it; `of_1904`: the workbook counts days from 1904."""
    sections = _sections(code)
    if is_date(code):
        return date_shown(value, code.partition(";")[0], of_1904=of_1904) or general(value)
    number, section, signed = _chosen(value, sections)
    return (_filled(number, section, signed=signed) if section else None) or general(value)


def hides(value: float | str, code: str) -> bool:
    """Whether the format `code` shows nothing of a number or a text (`;;;`)."""
    sections = _sections(code)
    if isinstance(value, str):
        section = sections[3] if len(sections) > 3 else None
    else:
        section = None if is_date(code) else _chosen(value, sections)[1]
    return (
        section is not None
        and not "".join(said for kind, said in section.tokens if kind not in ("blank", "fill")).strip()
    )


def text_shown(text: str, code: str) -> str:
    """A text as the format's section for texts shows it."""
    sections = _sections(code)
    section = sections[3] if len(sections) > 3 else sections[0] if "text" in sections[0].kinds else None
    if section is None or "text" not in section.kinds:
        return text
    return "".join(text if kind == "text" else _literal(kind, said) for kind, said in section.tokens).strip()


def general(value: float) -> str:
    """A number in full, as far as a double is exact: 0.3, 1200, 1e+20."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 10**_MOST_DIGITS):
        return str(int(value))
    return f"{value:.{_MOST_DIGITS}g}"


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section, ...]:
    found: list[list[tuple[str, str]]] = [[]]
    conditions: list[tuple[str, float] | None] = [None]
    for match in _TOKEN.finditer(code[:_LONGEST_FORMAT]):
        kind = match.lastgroup or "other"
        said = match[kind]
        if kind == "other" and said == ";":
            found.append([])
            conditions.append(None)
        elif kind == "bracket" and (condition := _CONDITION.fullmatch(said.strip())):
            conditions[-1] = condition[1], float(condition[2])
        elif kind == "bracket":
            if currency := _CURRENCY.match(said):
                found[-1].append(("quoted", currency[1]))
        else:
            found[-1].append((kind, said))
    return tuple(
        _Section(tuple(tokens), condition, frozenset(kind for kind, _ in tokens))
        for tokens, condition in zip(found, conditions, strict=True)
    )


def _chosen(value: float, sections: tuple[_Section, ...]) -> tuple[float, _Section | None, bool]:
    """The value to write, the section for it, and whether a minus sign stands before it."""
    if any(section.condition for section in sections):
        for section in sections[:3]:
            if section.condition is None or _meets(value, section.condition):
                return abs(value), section, value < 0
        return value, None, False
    if value < 0 and len(sections) > 1:
        return -value, sections[1], False
    if value == 0 and len(sections) > 2:
        return 0.0, sections[2], False
    return abs(value), sections[0], value < 0


def _meets(value: float, condition: tuple[str, float]) -> bool:
    sign, bound = condition
    return {
        "<": value < bound, "<=": value <= bound, ">": value > bound,
        ">=": value >= bound, "=": value == bound, "<>": value != bound,
    }[sign]  # fmt: skip


def _literal(kind: str, said: str) -> str:
    return {"quoted": said, "escaped": said, "blank": " ", "fill": "", "other": said, "percent": "%"}.get(kind, "")


def _filled(value: float, section: _Section, *, signed: bool) -> str | None:
    """The value in the section's places; None where it has none that is known."""
    tokens = section.tokens
    if "general" in section.kinds or ("text" in section.kinds and "digit" not in section.kinds):
        body = "".join(general(value) if kind in ("general", "text") else _literal(kind, said) for kind, said in tokens)
    elif "digit" not in section.kinds:
        body = "".join(_literal(kind, said) for kind, said in tokens)
        if not body.strip():
            return None
        signed = False
    elif "slash" in section.kinds:
        return _as_fraction(value, tokens, signed=signed)
    else:
        placed, nothing = _in_places(value, tokens)
        if placed is None:
            return None
        body, signed = placed, signed and not nothing
    return " ".join((("-" if signed else "") + body).split()) or None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a section has its digits: numbers of tokens for those before and behind the point and in the exponent; what it scales by."""

    wholes: tuple[int, ...]
    parts: tuple[int, ...]
    exponent: int
    powers: int
    percent: int
    thousands: int
    grouped: bool
    plain: tuple[str, str] | None


@lru_cache(maxsize=1024)
def _layout(tokens: tuple[tuple[str, str], ...]) -> _Layout:
    kinds = [kind for kind, _ in tokens]
    exponent = kinds.index("exponent") if "exponent" in kinds else len(kinds)
    point = kinds.index("point") if "point" in kinds[:exponent] else exponent
    digits = [number for number, kind in enumerate(kinds) if kind == "digit"]
    wholes, parts = [n for n in digits if n < point], [n for n in digits if point < n < exponent]
    last = max((n for n in digits if n < exponent), default=0)
    commas = [n for n, kind in enumerate(kinds[:exponent]) if kind == "comma"]
    behind = [n for n in commas if (wholes and wholes[-1] < n < point) or n > last]
    return _Layout(
        tuple(wholes),
        tuple(parts),
        exponent,
        sum(n > exponent for n in digits),
        kinds.count("percent"),
        len(behind) if wholes else 0,
        grouped := any(wholes[0] < n < wholes[-1] for n in commas) if wholes else False,
        _around(tokens, kinds, grouped=grouped),
    )


def _around(tokens: tuple[tuple[str, str], ...], kinds: list[str], *, grouped: bool) -> tuple[str, str] | None:
    """What stands before and behind a number like `0`, `#,##0.00` or `0.0%`; None where its places are others."""
    inside = [n for n, kind in enumerate(kinds) if kind in ("digit", "point", "comma")]
    first, last = inside[0], inside[-1]
    pattern = "".join(said for _, said in tokens[first : last + 1])
    if "exponent" in kinds or not re.fullmatch(r"(#,##|#*)0(\.0+)?" if grouped else r"#*0(\.0+)?", pattern):
        return None
    around = ("".join(_literal(*token) for token in part) for part in (tokens[:first], tokens[last + 1 :]))
    return next(around), next(around)


def _in_places(value: float, tokens: tuple[tuple[str, str], ...]) -> tuple[str | None, bool]:
    """The number in its places (None where it has none before the point and needs one), and whether only zeros are left of it."""
    layout = _layout(tokens)
    exact = _exact(value).scaleb(2 * layout.percent - 3 * layout.thousands)
    power, width = 0, max(1, len(layout.wholes))
    if layout.exponent < len(tokens):
        power = _power(exact, width)
        exact = exact.scaleb(-power)
    unit = Decimal(1).scaleb(-len(layout.parts))
    rounded = exact.quantize(unit, ROUND_HALF_UP)
    if layout.exponent < len(tokens) and rounded.adjusted() >= width:
        rounded, power = rounded.scaleb(-1).quantize(unit), power + 1
    if layout.plain:
        before, behind = layout.plain
        return f"{before}{rounded:,f}{behind}" if layout.grouped else f"{before}{rounded:f}{behind}", rounded == 0
    whole, _, part = f"{rounded:f}".partition(".")
    if not layout.wholes and whole != "0":
        return None, False
    return _woven(tokens, layout, "" if whole == "0" else whole, part, power), rounded == 0


def _woven(tokens: tuple[tuple[str, str], ...], layout: _Layout, whole: str, part: str, power: int) -> str:
    """The digits set into the places of the tokens, those that have no place of their own before the first."""
    wholes, parts = layout.wholes, layout.parts
    least = next((len(wholes) - at for at, number in enumerate(wholes) if tokens[number][1] == "0"), 0)
    whole = whole.rjust(least, "0")
    own = whole[max(0, len(whole) - len(wholes)) :]
    given = dict(zip(wholes[len(wholes) - len(own) :], own, strict=True))
    if wholes:
        given[wholes[0]] = whole[: len(whole) - len(own)] + given.get(wholes[0], "")
    for at, number in enumerate(parts):
        if tokens[number][1] == "0" or part[at:].strip("0"):
            given[number] = part[at]
    out, left, exponent = "", len(whole), f"{abs(power):0{layout.powers}}" if layout.powers else ""
    for number, (kind, said) in enumerate(tokens):
        if kind == "digit" and number > layout.exponent:
            out, exponent = out + exponent, ""
        elif kind == "digit" and number in wholes:
            for digit in given.get(number, ""):
                left -= 1
                out += digit + ("," if layout.grouped and left and left % 3 == 0 else "")
        elif kind == "digit":
            out += given.get(number, "")
        elif kind == "point":
            out += "." if any(number in given for number in parts) else ""
        elif kind == "exponent":
            out += said[0].upper() + ("-" if power < 0 else "+" if said[1] == "+" else "")
        else:
            out += _literal(kind, said)
    return out


def _exact(value: float) -> Decimal:
    """The number as a double shows it, not the binary fraction behind it."""
    try:
        return Decimal(f"{value:.{_MOST_DIGITS}g}")
    except InvalidOperation:
        return Decimal(0)


def _power(value: Decimal, wholes: int) -> int:
    """The exponent that leaves `wholes` digits before the point, in steps of so many (engineering notation)."""
    if not value:
        return 0
    adjusted = value.adjusted()
    return adjusted if wholes == 1 else adjusted // wholes * wholes


def _as_fraction(value: float, tokens: tuple[tuple[str, str], ...], *, signed: bool) -> str | None:
    code = "".join(said for _, said in tokens)
    found = re.search(r"([#0?]+ +)?[#0?]+ ?/ ?([#0?]+|\d+)", code)
    if not found:
        return None
    below = found[2]
    number = Fraction(_exact(value))
    if below.isdigit() and below.strip("0"):
        over, under = round(number * int(below)), int(below)
    else:
        near = number.limit_denominator(10 ** min(len(below), 4) - 1)
        over, under = near.numerator, near.denominator
    whole, over = divmod(over, under) if found[1] else (0, over)
    parts = ([str(whole)] if whole or not over else []) + ([f"{over}/{under}"] if over else [])
    return ("-" if signed and (whole or over) else "") + " ".join(parts)


@lru_cache(maxsize=1024)
def is_date(code: str) -> bool:
    """Whether a number format is one of dates or times."""
    bare = _BARE.sub("", code.partition(";")[0])
    return bool(re.search(r"[dmyhs]", bare, re.IGNORECASE)) and not re.search(
        r"[0#?](?!.*s)|General", bare.replace("s.0", "s")
    )


def moment(value: float, *, of_1904: bool = False) -> datetime.datetime | None:
    """The moment that a number means, to the millisecond; None where it is none."""
    if not 0 <= value < _LAST:
        return None
    # 1900 is no leap year but counted as one, so the days before March are one off.
    epoch = datetime.datetime(1904, 1, 1) if of_1904 else datetime.datetime(1899, 12, 30 if value >= 60 else 31)
    try:
        return epoch + datetime.timedelta(milliseconds=round(value * _SECONDS * 1000))
    except OverflowError:
        return None


def date_shown(value: float, code: str, *, of_1904: bool = False) -> str | None:
    """A number of days as the format shows it; None where it is no day."""
    parts = _parts(code)
    letters = {kind for kind, _ in parts}
    if any(kind in ("[h", "[m", "[s") for kind in letters):
        return _duration(value, parts)
    at = moment(value, of_1904=of_1904)
    if at is None:
        return None
    if "ss" not in letters or not any(kind == "ss" and "." in said for kind, said in parts):
        # Times are stored as rounded fractions.
        at = (at + datetime.timedelta(microseconds=500_000)).replace(microsecond=0)
    if {"y", "mo", "d"} <= letters and not any(kind == "mo" and len(said) > 2 for kind, said in parts):
        day = at.date().isoformat()
        if letters.isdisjoint(("h", "mi", "ss", "am")) or at.time() == _MIDNIGHT:
            return day
        return f"{day} {at:%H:%M:%S}" if "ss" in letters else f"{day} {at:%H:%M}"
    half = "am" in letters
    return " ".join("".join(_part(kind, said, at, half=half) for kind, said in parts).split())


@lru_cache(maxsize=1024)
def _parts(code: str) -> tuple[tuple[str, str], ...]:
    """The parts of a format, each with its kind; an `m` beside hours or seconds is minutes."""
    found: list[tuple[str, str]] = []
    for match in _PART.finditer(code[:500]):
        said, low = match[0], match[0].lower()
        if low[0] == "[" and low[1:2] in ("h", "m", "s") and set(low[1:-1]) <= {low[1]}:
            found.append((f"[{low[1]}", low))
        elif low[0] == "[":
            continue
        elif low in ("am/pm", "a/p"):
            found.append(("am", low))
        elif low[0] == "m":
            after_hour = next((kind for kind, _ in reversed(found) if kind != "'"), "") in ("h", "[h")
            found.append(("mi" if after_hour and len(low) < 3 else "mo", low))
        elif low[0] == "s":
            before = next((n for n in range(len(found) - 1, -1, -1) if found[n][0] != "'"), -1)
            if before >= 0 and found[before][0] == "mo" and len(found[before][1]) < 3:
                found[before] = ("mi", found[before][1])
            found.append(("ss", low))
        elif low[0] in "ydh" and said.isalpha():
            found.append((low[0], low))
        elif said[0] in '"\\':
            found.append(("'", said.strip('"') if said[0] == '"' else said[1:]))
        else:
            found.append(("'", " " if said[0] == "_" else "" if said[0] == "*" and len(said) > 1 else said))
    return tuple(found)


def _part(kind: str, said: str, at: datetime.datetime, *, half: bool) -> str:
    width, month, day = len(said), _MONTHS[at.month - 1], _DAYS[at.weekday()]
    whole, _, part = said.partition(".")
    match kind:
        case "y":
            shown = f"{at.year:04}" if width > 2 else f"{at.year % 100:02}"
        case "mo":
            shown = {3: month[:3], 4: month, 5: month[:1]}.get(width) or f"{at.month:0{width}}"
        case "d":
            shown = {3: day[:3], 4: day}.get(width) or f"{at.day:0{width}}"
        case "h":
            shown = f"{(at.hour % 12 or 12) if half else at.hour:0{width}}"
        case "mi":
            shown = f"{at.minute:0{width}}"
        case "ss":
            shown = f"{at.second:0{len(whole)}}" + (f".{at.microsecond:06}"[: len(part) + 1] if part else "")
        case "am":
            shown = ("AM" if at.hour < 12 else "PM")[: 2 if width > 3 else 1]
        case _:
            shown = said
    return shown


def _duration(value: float, parts: tuple[tuple[str, str], ...]) -> str:
    seconds = round(abs(value) * _SECONDS)
    out = ""
    for kind, said in parts:
        width = len(said.strip("[]").partition(".")[0])
        match kind:
            case "[h":
                out += f"{seconds // 3600:0{width}}"
            case "[m":
                out += f"{seconds // 60:0{width}}"
            case "[s":
                out += f"{seconds:0{width}}"
            case "mi" | "mo":
                out += f"{seconds // 60 % 60:0{width}}"
            case "ss":
                out += f"{seconds % 60:0{width}}"
            case "h":
                out += f"{seconds // 3600 % 24:0{width}}"
            case "'":
                out += said
    return ("-" if value < 0 else "") + " ".join(out.split())
