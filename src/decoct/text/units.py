"""Units after a number, to one form: a dimension and the factor (and offset) that takes the number to it.

"mW/(m·K)", "milligrams per kilogram", "kHz", "°C", "tokens per second" are read by one small grammar: units joined by "/", "·" or "per",
with prefixes and exponents. Dimensions are not cancelled: mg/kg stays mass per mass and is not a percentage. What is no unit of the table
is the thing counted ("eleven patients"), which the caller keeps as a noun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PREFIX = {
    "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "d": 1e-1, "c": 1e-2, "m": 1e-3, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "n": 1e-9, "p": 1e-12,
}  # fmt: skip
_PREFIX_WORDS = {
    "tera": 1e12, "giga": 1e9, "mega": 1e6, "kilo": 1e3, "deci": 1e-1, "centi": 1e-2, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9,
    "pico": 1e-12,
}  # fmt: skip
# symbol -> (dimension, factor, takes prefixes)
_SYMBOLS: dict[str, tuple[str, float, bool]] = {
    "g": ("mass", 1.0, True), "t": ("mass", 1e6, False),
    "kt": ("mass", 1e9, False), "Mt": ("mass", 1e12, False), "Gt": ("mass", 1e15, False),
    "m": ("length", 1.0, True), "Å": ("length", 1e-10, False),
    "s": ("time", 1.0, True), "min": ("time", 60.0, False), "h": ("time", 3600.0, False), "d": ("time", 86400.0, False),
    "l": ("volume", 1.0, True), "L": ("volume", 1.0, True), "K": ("temperature", 1.0, True), "°C": ("temperature", 1.0, False),
    "°F": ("temperature", 5 / 9, False), "Hz": ("frequency", 1.0, True), "J": ("energy", 1.0, True), "eV": ("electronvolt", 1.0, True),
    "Wh": ("energy", 3600.0, True), "W": ("power", 1.0, True), "V": ("voltage", 1.0, True), "A": ("current", 1.0, True),
    "Ah": ("charge", 3600.0, True), "C": ("charge", 1.0, True), "Ω": ("resistance", 1.0, True), "S": ("conductance", 1.0, True),
    "Pa": ("pressure", 1.0, True), "bar": ("pressure", 1e5, True), "N": ("force", 1.0, True), "T": ("field", 1.0, True),
    "mol": ("amount", 1.0, True), "M": ("molar", 1.0, True), "B": ("data", 8.0, True), "bit": ("data", 1.0, True),
    "HV": ("hardness", 1.0, False), "HRC": ("rockwell", 1.0, False), "dB": ("decibel", 1.0, False), "ppm": ("ppm", 1.0, False),
    "%": ("percent", 1.0, False), "rpm": ("rotation", 1.0, False), "cal": ("energy", 4.184, True), "U": ("activity", 1.0, True),
    "IU": ("activity", 1.0, False), "Da": ("dalton", 1.0, True), "cm⁻¹": ("wavenumber", 1.0, False), "lx": ("illuminance", 1.0, True),
    "GiB": ("data", 8 * 2.0**30, False), "MiB": ("data", 8 * 2.0**20, False), "KiB": ("data", 8 * 2.0**10, False),
    "mph": ("length/time", 0.44704, False), "kmh": ("length/time", 1 / 3.6, False), "kph": ("length/time", 1 / 3.6, False),
    "kn": ("length/time", 0.514444, False), "mmHg": ("pressure", 133.322, False), "psi": ("pressure", 6894.757, False),
    "atm": ("pressure", 101325.0, False), "oz": ("mass", 28.349523, False),
    "yd": ("length", 0.9144, False), "lbs": ("mass", 453.59237, False), "sec": ("time", 1.0, False), "hrs": ("time", 3600.0, False),
    "hr": ("time", 3600.0, False), "mins": ("time", 60.0, False), "yr": ("time", 31556952.0, False), "mL": ("volume", 1e-3, False),
    "ft": ("length", 0.3048, False), "mi": ("length", 1609.344, False), "lb": ("mass", 453.59237, False), "ha": ("area", 1e4, False),
    "USD": ("dollar", 1.0, False), "EUR": ("euro", 1.0, False), "GBP": ("pound", 1.0, False),
    "$": ("dollar", 1.0, False), "€": ("euro", 1.0, False), "£": ("pound", 1.0, False),
}  # fmt: skip
_WORDS: dict[str, tuple[str, float]] = {
    "gram": ("mass", 1.0), "tonne": ("mass", 1e6), "ton": ("mass", 1e6), "pound": ("mass", 453.59237), "metre": ("length", 1.0),
    "meter": ("length", 1.0), "mile": ("length", 1609.344), "foot": ("length", 0.3048), "feet": ("length", 0.3048),
    "inch": ("length", 0.0254), "inches": ("length", 0.0254), "second": ("time", 1.0), "minute": ("time", 60.0),
    "hour": ("time", 3600.0), "day": ("time", 86400.0), "week": ("time", 604800.0), "fortnight": ("time", 1209600.0),
    "month": ("time", 2629746.0), "year": ("time", 31556952.0), "decade": ("time", 315569520.0), "century": ("time", 3155695200.0),
    "litre": ("volume", 1.0), "liter": ("volume", 1.0), "kelvin": ("temperature", 1.0), "celsius": ("temperature", 1.0),
    "hertz": ("frequency", 1.0), "joule": ("energy", 1.0), "electronvolt": ("electronvolt", 1.0), "watt": ("power", 1.0),
    "volt": ("voltage", 1.0), "ampere": ("current", 1.0), "amp": ("current", 1.0), "ohm": ("resistance", 1.0),
    "lightyear": ("length", 9.4607e15), "light-year": ("length", 9.4607e15), "parsec": ("length", 3.0857e16),
    "pascal": ("pressure", 1.0), "knot": ("length/time", 0.514444), "yard": ("length", 0.9144), "ounce": ("mass", 28.349523),
    "acre": ("area", 4046.8564), "gallon": ("volume", 3.785412), "pint": ("volume", 0.473176), "atmosphere": ("pressure", 101325.0),
    "pence": ("pound", 0.01), "cent": ("dollar", 0.01), "calorie": ("energy", 4.184), "decibel": ("decibel", 1.0),
    "newton": ("force", 1.0), "tesla": ("field", 1.0), "mole": ("amount", 1.0), "byte": ("data", 8.0), "bit": ("data", 1.0),
    "percent": ("percent", 1.0), "percentage": ("percent", 1.0), "siemens": ("conductance", 1.0), "hectare": ("area", 1e4),
    "dollar": ("dollar", 1.0), "euro": ("euro", 1.0), "crown": ("crown", 1.0),
}  # fmt: skip
_EXPONENT = str.maketrans("⁻¹²³⁴⁵⁶", "-123456")
_TERM = re.compile(
    r"(?P<power>(?:square|cubic|sq\.?)\s)?"
    r"(?P<name>°\s?[CF]|%|[$€£]|per\s?cent\b|light[- ]years?\b|degrees?\s(?:Celsius|Fahrenheit|C|F)\b|[A-Za-zµμΩÅ]+)"
    r"(?P<exponent>(?:\^?[-⁻−]?[¹²³⁴-⁶2-4])(?!\w))?"
)
_JOIN = re.compile(
    r"\s?(?P<over>/|per\b|an?(?=\s(?:second|minute|hour|day|week|month|year)\b))\s?\(?|\s?(?P<times>[·⋅*])\s?"
)
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
    if term is None or (first := _term(term)) is None:
        return None
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
    if name.lower() in ("percent", "percentage"):
        return "percent", 1.0
    if name.lower() in ("degree", "degrees"):
        return "degree", 1.0  # of an angle, or of a scale that is not named
    if name.lower().startswith("degree"):
        return "temperature", 5 / 9 if name.lower().endswith(("f", "fahrenheit")) else 1.0
    if name in _SYMBOLS:
        return _SYMBOLS[name][:2]
    if name[:1] in _PREFIX and name[1:] in _SYMBOLS and _SYMBOLS[name[1:]][2]:
        dimension, factor, _ = _SYMBOLS[name[1:]]
        return dimension, factor * _PREFIX[name[0]]
    return _word(name.lower())


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
