"""Units after a number, to one form: a dimension and the factor (and offset) that takes the number to it.

"mW/(m·K)", "milligrams per kilogram", "kHz", "°C", "tokens per second" are read by one small grammar: units joined by "/", "·" or "per",
with prefixes and exponents. Dimensions are not cancelled: mg/kg stays mass per mass and is not a percentage. What is no unit of the table
is the thing counted ("eleven patients"), which the caller keeps as a noun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from decoct.text.lists import table

_PREFIX: dict[str, float] = table("units")["prefixes"]
_PREFIX_WORDS: dict[str, float] = table("units")["prefix_words"]
_Table = dict[str, tuple[str, float]]
_PREFIXED: _Table = {name: (of, factor) for name, (of, factor) in table("units")["prefixed"].items()}
_SYMBOLS: _Table = _PREFIXED | {name: (of, factor) for name, (of, factor) in table("units")["symbols"].items()}
_WORDS: _Table = {name: (of, factor) for name, (of, factor) in table("units")["words"].items()}
_EXPONENT = str.maketrans("⁻¹²³⁴⁵⁶", "-123456")
_TERM = re.compile(
    r"(?P<power>(?:square|cubic|sq\.?)\s)?"
    r"(?P<name>°\s?[CF]|[%‰]|per\s?cent\b|per\smille\b|percentage\spoints?\b|basis\spoints?\b|light[- ]years?\b"
    r"|nautical\smiles?\b|fluid\sounces?\b|degrees?\s(?:Celsius|Fahrenheit|C|F)\b|[A-Za-zµμΩÅ]+)"
    r"(?P<exponent>(?:\^?[-⁻−]?[¹²³⁴-⁶2-4])(?!\w))?"
)
_JOIN = re.compile(
    r"\s?(?P<over>/|per\b|an?(?=\s(?:second|minute|hour|day|week|month|year)\b))\s?\(?|\s?(?P<times>[·⋅*])\s?"
)
# "6 ft 2 in", "12 in wide", and not "5 in the morning".
_INCH = re.compile(r"\s*(?:$|[.,;:)]|(?:tall|high|wide|long|thick|deep|across|in diameter|by|x|×)\b)")
_SKIP = re.compile(r"[\s\u00a0\u202f]?-?(?:an? (?=[a-zA-Z]+\b))?")
_PER_NUMBER = re.compile(r"(\d+)[\s\u00a0]?(?=[A-Za-zµ])")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that ends at `end` of the text: `number * factor + offset` is the number in the dimension's own unit."""

    end: int
    dimension: str
    factor: float
    offset: float = 0.0


def unit_after(text: str, at: int) -> Unit | None:
    """The unit that begins at (or one space after) position `at`; None where there is none."""
    skipped = _SKIP.match(text, at)
    begin = skipped.end() if skipped else at
    term = _TERM.match(text, begin)
    if term is None or (first := _term(term)) is None or (term["name"] == "in" and not _INCH.match(text, term.end())):
        return None
    if "\n" in text[at:begin] and len(term["name"]) > 3 and term["name"].istitle():
        return None  # "58" above "Hour of work": the next line begins anew
    over: list[str] = []
    top = [first[0]]
    factor, end = first[1], term.end()
    while (join := _JOIN.match(text, end)) is not None:
        per = _PER_NUMBER.match(text, join.end()) if join["over"] else None
        term = _TERM.match(text, per.end() if per else join.end())
        if term is None:
            break
        part = _term(term)
        below = join["over"] is not None or bool(over)
        if part is None:
            if join["over"] is None or join["over"] == "/":
                break
            end = term.end()  # "per participant", "per cycle": what is counted, and no part of the dimension
            break
        if (join["over"] or "").startswith("a") and part[0] == "time" and top == ["mass"]:
            break  # "500 mg a day" and "500 mg daily" are the same dose: the time is not part of the unit
        (over if below else top).append(part[0])
        factor = factor / (part[1] * float(per[1] if per else 1)) if below else factor * part[1]
        end = term.end()
        if text[end : end + 1] == ")" and "(" in text[begin:end]:
            end += 1
    name = "·".join(sorted(top)) + ("/" + "·".join(sorted(over)) if over else "")
    return Unit(end, name, factor, _offset(text[begin:end]) if name == "temperature" else 0.0)


def _offset(written: str) -> float:
    if re.search(r"F\b|Fahrenheit", written):
        return 255.372
    return 273.15 if re.search(r"C\b|[Cc]elsius", written) else 0.0


def _term(match: re.Match[str]) -> tuple[str, float] | None:
    found = _named(match["name"])
    if found is None:
        return None
    power = match["exponent"].replace("^", "").replace("−", "-").translate(_EXPONENT) if match["exponent"] else "1"
    exponent = int(power) if power not in ("", "-") else 1
    if match["power"]:
        exponent = 3 if match["power"].startswith("cubic") else 2
    if found[0] == "length" and exponent in (2, 3):
        # A cubic metre is a thousand litres: areas and volumes meet whether they are written as powers or by a name.
        return ("area", found[1] ** 2) if exponent == 2 else ("volume", found[1] ** 3 * 1000)
    return (found[0] if exponent == 1 else f"{found[0]}^{exponent}", found[1] ** exponent)


@lru_cache(maxsize=4096)
def _named(written: str) -> tuple[str, float] | None:
    name = re.sub(r"\s", "", written)
    if name.lower() in ("degree", "degrees"):
        return "degree", 1.0  # of an angle, or of a scale that is not named
    if name.lower().startswith("degree"):
        return "temperature", 5 / 9 if name.lower().endswith(("f", "fahrenheit")) else 1.0
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    if name[:1] in _PREFIX and name[1:] in _PREFIXED:
        dimension, factor = _PREFIXED[name[1:]]
        return dimension, factor * _PREFIX[name[0]]
    return _word(" ".join(written.lower().split())) or _word(name.lower())


def _word(name: str) -> tuple[str, float] | None:
    singular = name.removesuffix("s")
    for word in (name, singular):
        if word in _WORDS:
            return _WORDS[word]
        for prefix, factor in _PREFIX_WORDS.items():
            if word.startswith(prefix) and word[len(prefix) :] in _WORDS:
                dimension, base = _WORDS[word[len(prefix) :]]
                return dimension, base * factor
    return None


# Currencies beside a number: signs, codes and names, before it ("US$5", "NOK 5 million") or after ("5 yen", "5 EUR", "500 kr").
#
# A way of writing may mean several currencies ("$", "crowns"): `codes` holds them all. Exchange rates are not known here: amounts in
# different currencies cannot be compared.
_SIGNS: dict[str, str] = table("money")["signs"]
_NAMES: dict[str, str] = table("money")["words"]
_MINOR: dict[str, str] = table("money")["minor"]
_ISO: list[str] = table("money")["codes"]["all"].split()
_SAME = {"RMB": "CNY"}


def _any(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_BEFORE = re.compile(rf"(?:(?<!\w)(?:{_any(list(_SIGNS))})\.?|(?<!\w)(?:{_any(_ISO)}))[\s\u00a0]?$")
_AFTER = re.compile(
    rf"[\s\u00a0]?(?:(?P<sign>{_any(list(_SIGNS))})(?!\w)|(?P<code>{_any(_ISO)})(?!\w)"
    rf"|-?(?i:(?P<name>{_any(list(_NAMES))})s?)(?!\w)|-?(?i:(?P<minor>{_any(list(_MINOR))})s?)(?!\w))"
)


@dataclass(frozen=True, slots=True)
class Money:
    """Characters `start` to `end` name a currency, one of `codes`; the number times `factor` is in its main unit."""

    start: int
    end: int
    codes: tuple[str, ...]
    factor: float = 1.0


def money_before(text: str, at: int) -> Money | None:
    """The currency whose sign or code ends right before character `at`."""
    first = max(0, at - 6)
    match = _BEFORE.search(text[first:at])
    if match is None:
        return None
    written = match.group().strip()
    codes = _SIGNS.get(written) or _SIGNS.get(written.rstrip(".")) or written
    return Money(first + match.start(), at, _codes(codes))


def money_after(text: str, at: int) -> Money | None:
    """The currency that follows the number which ends at character `at`."""
    match = _AFTER.match(text, at)
    if match is None:
        return None
    if match["minor"]:
        return Money(at, match.end(), _codes(_MINOR[match["minor"].lower()]), 0.01)
    name = (match["name"] or "").lower()
    codes = _SIGNS.get(match["sign"] or "") or match["code"] or _NAMES[name]
    return Money(at, match.end(), _codes(codes))


def _codes(written: str) -> tuple[str, ...]:
    return tuple(_SAME.get(code, code) for code in written.split())
