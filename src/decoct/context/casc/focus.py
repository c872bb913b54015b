"""What a question asks for: the kind of value, its dimension, the words that say which, and its parts.

"What thermal conductivity does X have at 300 K, and what at 77 K?" asks twice; each part is a `Focus` of its own that knows what sets it
apart from the other (`mine`, `rival`). Values written in the question ("at 25 °C", "100 mg") are its conditions and never its answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from decoct.context.casc.effects import effects
from decoct.reading.yes_no import asks_yes_or_no
from decoct.text.equality import known_equal
from decoct.text.units import unit_after
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

Target: TypeAlias = Literal["number", "date", "effect", "truth", "entity", "open"]

# The dimensions in which a quantity of this name is given; "" is a plain number. Names not listed take any.
_QUANTITIES = {
    "dose": "mass mass/mass volume mass/time activity", "dosage": "mass mass/mass", "temperature": "temperature", "half-life": "time",
    "timeout": "time", "duration": "time", "latency": "time", "delay": "time", "lifetime": "time", "age": "time", "interval": "time",
    "period": "time", "concentration": "mass/mass mass/volume molar amount/volume ppm percent amount", "level": "", "score": " percent",
    "accuracy": "percent ", "efficiency": "percent ", "sensitivity": "percent ", "specificity": "percent", "reduction": "percent ",
    "effectiveness": "percent", "share": "percent", "proportion": "percent ", "fraction": "percent ",
    "portion": "percent ", "percentage": "percent", "prevalence": "percent",
    "rate": "percent  frequency", "frequency": "frequency percent ", "clock": "frequency", "gap": "electronvolt energy",
    "hardness": "hardness pressure rockwell ", "modulus": "pressure", "strength": "pressure", "pressure": "pressure",
    "stress": "pressure",
    "toughness": "pressure", "elongation": "percent", "yield": "percent pressure", "capacity": "charge/mass charge data volume  power",
    "price": "money", "cost": "money ", "budget": "money",
    "revenue": "money",
    "length": "length", "height": "length", "width": "length", "distance": "length", "diameter": "length", "thickness": "length",
    "depth": "length", "wavelength": "length", "weight": "mass", "mass": "mass", "speed": "length/time ", "velocity": "length/time",
    "power": "power", "voltage": "voltage", "current": "current", "energy": "energy electronvolt", "area": "area",
    "volume": "volume",
    "number": "", "count": "", "population": "", "total": "", "throughput": "", "coefficient": "?", "conductivity": "?", "density": "?",
    "resistivity": "?", "resistance": "?", "limit": "?", "threshold": "?", "value": "?", "amount": "?", "size": "?", "consumption": "?",
    "f1": " percent", "recall": " percent", "precision": " percent", "constant": "?", "mobility": "?",
    "permeability": "?", "viscosity": "?",
    "bandwidth": "?", "factor": "", "ratio": " percent", "magnitude": "", "circulation": "?", "speedup": "",
    "salary": "money", "efficacy": "percent", "point": "temperature", "fare": "money", "altitude":
    "length", "elevation": "length", "radius": "length", "range": "length time", "profit": "money", "income":
    "money", "sales": "money ", "turnover": "money", "tax": "?", "fine":
    "money", "humidity": "percent", "acceleration": "?", "torque": "?", "dosis": "mass", "lifespan": "time",
    "expectancy": "time", "toll": "", "turnout": "percent", "unemployment": "percent", "inflation": "percent", "fee":
    "money", "penalty": "?", "magnification": "", "resolution": "?", "emissions": "?", "output": "?", "attendance": "",
}  # fmt: skip
_HOW = re.compile(
    r"\b(?:how (?P<much>many|much|long|old|far|tall|high|deep|fast|large|big|heavy|hot|cold|often|effective|efficient"
    r"|sensitive|accurate|hard|strong|wide|thick|broad)"
    r"|by how (?P<by>much|many))\b",
    re.IGNORECASE,
)
_HOW_DIMENSIONS = {
    "many": "", "long": "time length", "old": "time", "far": "length", "tall": "length", "high": "length ",
    "deep": "length", "hot": "temperature",
    "fast": "length/time  time", "heavy": "mass", "cold": "temperature", "effective": "percent", "efficient": "percent",
    "sensitive": "percent", "accurate": "percent", "strong": "pressure", "hard": "hardness", "much": "?",
    "wide": "length", "broad": "length", "thick": "length",
    "large": "?", "big": "?", "often": "frequency ",
}  # fmt: skip
_PAID = re.compile(
    r"\bwhat (?:does|do|did|will|would) .{2,80}\b(?:cost|charge|pay|earn|sell for|fetch)\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"\b(?:when|since when|(?:in |on )?(?:what|which) (?:\w+ )?(?:year|date|day|month|century|decade))\b", re.IGNORECASE
)
_HOUR = re.compile(r"\b(?:at )?what (?:time|hour)\b", re.IGNORECASE)
_EFFECT = re.compile(
    r"\b(?:what (?:\w+ ){0,2}effect|(?:was|is) the effect|how (?:does|do|did) .{3,60}\b(?:affect|change|influence|alter)|effect of)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|might|must)\b", re.IGNORECASE
)
_OTHER = re.compile(r"\b(?:who|whom|whose|what|which|where|why)\b", re.IGNORECASE)
_WAS_GERMAN = re.compile(r"^\W*was (?:ist|sind|war|waren|kostet|bedeutet|macht)\b", re.IGNORECASE)
_WHAT = re.compile(r"\b(?:what|which|whose)\b", re.IGNORECASE)
_KIND_OF = re.compile(r"^(?:kind|type|sort|form|one|ones)s? of (?:the |a |an )?", re.IGNORECASE)
_NOUN_END = re.compile(
    r"\b(?:of|does|do|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|in|at|on|for|to|from|with|by|that|"
    r"observed|measured|caused|ran|runs|run|reported|reached|prescribes?|gives?|made|maintains?|developed|responsible)\b|[,?]",
    re.IGNORECASE,
)
# A unit as the thing asked for is written out, and in the plural where it can be: "which year" and "what day" ask otherwise.
_UNIT_FIRST = re.compile(r"(?:\w{3,}s|percent|per cent|percentage|degrees \w+)\b", re.IGNORECASE)
# How many there are of what a sample is made of; other sizes are measured.
_SAMPLE = re.compile(
    r"\b(?:sample|cohort|group|class|family|household|herd|litter|clutch|vocabulary|team) size\b", re.IGNORECASE
)
# "Which enzyme limits the …": after a noun an -s before an article is a verb's.
_SUBJECT = re.compile(r"^(\w+) \w+s(?= (?:the|a|an|its|their)\b)")
_NEXT_NOUN = re.compile(r"(?<=\w) (?:the|a|an|its|their|this|that)\b", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:current(?:ly)?|latest|now|today|at present|present(?:ly)?|most recent(?:ly)?|newest|so far|to date|record"
    r"|highest|best|fastest|"
    r"state of the art|in force|as of|maximum recommended|population|price|still)\b",
    re.IGNORECASE,
)
# The last word is a plural; "species", "basis", "virus", "class" and "kinetics" are none.
_PLURAL = re.compile(r"\b(?!species$|series$|means$)\w{2,}(?<!s)(?<!u)(?<!i)(?<!ic)s$", re.IGNORECASE)
_MOST = re.compile(r"\b(?:at (?:the )?most|maxim(?:um|al)|up to|no more than|(?-i:may))\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:at (?:the )?least|minim(?:um|al)|no (?:less|fewer) than)\b", re.IGNORECASE)
_PARALLEL = re.compile(
    r"\b(?P<prep>at|on|in|for|with|under|among|before|after|during|of|by)\s+(?P<a>[^,?]+?)\s*(?:,\s*and|,"
    r"|\band)\s+(?:what\s+)?(?P=prep)\s+(?P<b>[^,?]+)",
    re.IGNORECASE,
)
# "How many nodes do X and Y have together?": two questions whose answers belong side by side and not against each other.
_PAIR = re.compile(r"\b(?P<a>[A-Z][\w-]+(?: [A-Z][\w-]+)*) and (?P<b>[A-Z][\w-]+(?: [A-Z][\w-]+)*)")
_TOGETHER = re.compile(r"\b(?:together|combined|in total|altogether|each|respectively|both)\b", re.IGNORECASE)
_TWICE = re.compile(
    r"\b[Ww]hat (?P<a>[\w\s-]{3,40}?),? and what (?P<b>[\w\s-]{3,40}?) (?=(?:does|do|did|is|are|was|were|has|have)\b)"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What tells one part of a question from another: words, and quantities as written ("20 mg")."""

    words: frozenset[str] = frozenset()
    values: tuple[Value, ...] = ()

    def named(self, text: str) -> bool:
        """Whether `text` speaks of it."""
        if self.words & content_stems(text):
            return True
        measured = [value for value in self.values if value.dimension]
        if measured and any(known_equal(a, b) for a in measured for b in quantities(text)):
            return True
        plain = [value.raw for value in self.values if not value.dimension]
        return any(re.search(rf"(?<![\w.,]){re.escape(raw)}(?![\w%]|[.,]\d)", text) for raw in plain)


@dataclass(frozen=True, slots=True)
class Focus:
    """One thing asked for.

    `dimensions` are those in which it may be given (empty: any); `words` the roots that say what it is; `head` those of the noun asked
    for; `mine` is what only this part of the question names and `rival` what only the other parts do; `given` the values written in the
    question; `latest` says that it changes with time.
    """

    text: str
    target: Target
    dimensions: frozenset[str]
    head: frozenset[str]
    words: frozenset[str]
    mine: Condition | None = None
    rival: Condition | None = None
    given: tuple[Value, ...] = ()
    latest: bool = False
    noun: str = ""

    def answered_in(self, *texts: str) -> bool | None:
        """Whether the first of `texts` that names the condition of some part names this one's; None where it names both, or none does."""
        if self.mine is None or self.rival is None:
            return None
        for text in texts:
            mine, rival = self.mine.named(text), self.rival.named(text)
            if mine or rival:
                return None if mine and rival else mine
        return None


def focuses(question: str) -> list[Focus]:
    """The parts of a question, at least one, in its order."""
    found = [_focus(part, question) for part in _parts(question)]
    if len(found) == 1:
        return found
    (one, other) = found
    mine, rival = _apart(one, other), _apart(other, one)
    return [replace(one, mine=mine, rival=rival), replace(other, mine=rival, rival=mine)]


def _apart(one: Focus, other: Focus) -> Condition:
    values = tuple(v for v in quantities(one.text) if not any(known_equal(v, o) for o in quantities(other.text)))
    words = frozenset(word for word in one.words - other.words if not word[0].isdigit())
    units = frozenset().union(*(content_stems(value.unit) for value in values))
    return Condition(words - units, values)


def _parts(question: str) -> list[str]:
    if (twice := _TWICE.search(question)) is not None:
        rest = question[twice.end() :]
        return [f"{question[: twice.start()]}what {twice[name]} {rest}" for name in ("a", "b")]
    if (pair := _PAIR.search(question)) is not None and _TOGETHER.search(question):
        before, after = question[: pair.start()], question[pair.end() :]
        return [f"{before}{pair[name]}{after}" for name in ("a", "b")]
    parallel = _PARALLEL.search(question)
    if parallel is None:
        return [question]
    before, after = question[: parallel.start()], question[parallel.end() :]
    return [f"{before}{parallel['prep']} {parallel[name]}{after}" for name in ("a", "b")]


def _focus(text: str, whole: str) -> Focus:
    noun = _asked(text)
    target, dimensions = _target(text, noun)
    given = tuple(quantities(whole))
    latest = _LATEST.search(text) is not None
    # The noun of "what is the effect of X" says which kind is asked, not what stands beside the answer.
    head = frozenset() if target in ("effect", "truth") else content_stems(noun)
    return Focus(text, target, dimensions, head, content_stems(text), given=given, latest=latest, noun=noun)


def _asked(text: str) -> str:
    """The noun phrase asked for: "daily maintenance dose" of "What daily maintenance dose of X did …"."""
    how = _HOW.search(text)
    if how is not None and (how["much"] or how["by"] or "").lower() in ("many", "much"):
        rest = text[how.end() :].strip()
    else:
        what = _WHAT.search(text)
        if what is None:
            return ""
        rest = text[what.end() :].strip()
        rest = re.sub(r"^(?:is|are|was|were|would be|will be)\s+(?:the|a|an)?\s*", "", rest)
        rest = _KIND_OF.sub("", rest)
        rest = re.sub(r"^of the (?:\w+ )?", "", rest)
    rest = _SUBJECT.sub(r"\1?", rest)
    end = _NOUN_END.search(rest) or _NEXT_NOUN.search(rest)
    return (rest[: end.start()] if end else rest).strip(" ?.")


def _target(text: str, noun: str) -> tuple[Target, frozenset[str]]:
    if (
        asks_yes_or_no(text)
        and not _WAS_GERMAN.match(text)
        and not any(way.dimension != "none" for way in effects(text))
    ):
        return "truth", frozenset()  # "Was he offside when he scored?" asks for no time
    how, when, hour = _HOW.search(text), _WHEN.search(text), _HOUR.search(text)
    # The question word that comes first decides: "who led the union when it broke up" asks for no date.
    first = min((m.start() for m in (how, _OTHER.search(text)) if m is not None), default=len(text))
    if (when is not None and when.start() <= first) or (hour is not None and hour.start() <= first):
        return ("date", frozenset()) if when is not None else ("number", frozenset({"clock"}))
    if how is not None and how.start() <= first:
        return "number", _counted(noun) or _dimensions(_HOW_DIMENSIONS.get((how["much"] or how["by"]).lower(), "?"))
    if _EFFECT.search(text):
        return "effect", frozenset()
    if _YES_NO.match(text) and not _WAS_GERMAN.match(text):
        return ("effect" if effects(text) else "truth"), frozenset()
    dimensions = frozenset({"money"}) if _PAID.search(text) else _counted(noun) or _measured(noun)
    return ("entity", frozenset()) if dimensions is None else ("number", dimensions)


def _counted(noun: str) -> frozenset[str] | None:
    """The dimension of "litres of water", "what percentage"; None where the noun begins with no unit."""
    if _SAMPLE.search(noun):
        return frozenset({""})
    unit = unit_after(noun, 0) if _UNIT_FIRST.match(noun) else None
    return frozenset({unit.dimension}) if unit is not None else None


def _measured(noun: str) -> frozenset[str] | None:
    """The dimensions of the quantity that the noun names, last word first; None where it names none."""
    if noun.lower() in ("density", "mass density"):
        return frozenset({"mass/volume"})  # other densities say of what
    for word in reversed(re.findall(r"[\w-]+", noun.lower())):
        for form in (word, word.removesuffix("s"), word.rpartition("-")[2]):
            if form in _QUANTITIES:
                return _dimensions(_QUANTITIES[form])
    return None


def _dimensions(listed: str) -> frozenset[str]:
    """None listed ("?") means any; an empty name among them is the plain number."""
    return frozenset() if listed == "?" else frozenset(listed.split(" "))


def limit_asked(focus: Focus) -> str:
    """The sign "≤" where the question asks for the most that there may be, "≥" for the least, else nothing."""
    return "≤" if _MOST.search(focus.text) else "≥" if _LEAST.search(focus.text) else ""


def asks_for_several(focus: Focus) -> bool:
    """Whether names in the plural are asked for ("which side effects"): what one source adds to another's list is no contradiction.

    "For which key types is it faster?" asks how far something holds, where lists do exclude each other.
    """
    scope = re.match(r"\W*(?:for|in|on|with|under|at|to) (?:which|what)\b", focus.text, re.IGNORECASE)
    return focus.target == "entity" and scope is None and _PLURAL.search(focus.noun) is not None
