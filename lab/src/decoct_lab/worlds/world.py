"""A world: invented names, the true value of an attribute, and wrong values made from it in a known way."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decoct_lab.worlds.families import Family

Error: TypeAlias = Literal["numeric", "unit", "date", "entity", "negation", "outdated"]

_FIRST = "bran cor dal fen gar hal jor kel lor mar nor or pel quin ros sel tor ul ven wyn yar zel".split()
_SECOND = "a e i o u ae ia".split()
_LAST = "dine lite mont nex phor quil ric stan thane vex wick zar bane dor gale holm".split()
_MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of an attribute: `amount` for quantities (in the family's first unit), else `words`."""

    amount: float = 0.0
    words: str = ""
    kind: str = ""


def name(rng: random.Random, taken: set[str], coded: bool) -> str:
    """A new invented name, with a number where `coded`."""
    while True:
        made = (rng.choice(_FIRST) + rng.choice(_SECOND) + rng.choice(_LAST)).capitalize()
        made += f"-{rng.randint(2, 9)}" if coded else ""
        if made not in taken:
            taken.add(made)
            return made


def true_value(family: Family, rng: random.Random) -> Stated:
    """A true value of the attribute."""
    if family.units:
        return Stated(round(rng.uniform(family.low, family.high), family.decimals))
    if family.values:
        return Stated(words=rng.choice(family.values))
    if family.effects:
        kind = rng.choice(sorted(family.effects))
        return Stated(words=family.effects[kind][0], kind=kind)
    return Stated(words=f"{rng.choice(_MONTHS)} {rng.randint(1930, 2015)}", kind="date")


def wrong_value(family: Family, true: Stated, rng: random.Random) -> tuple[Stated, Error, str]:
    """A wrong value, the kind of error it is, and how it was made."""
    if family.units:
        if len(family.units) > 1 and rng.random() < 0.25:
            factor = max(other for _, other in family.units) or 1.0
            return Stated(true.amount * factor, kind="slip"), "unit", f"x{factor:g} by a unit slip"
        share = rng.choice((0.1, 0.3, 1.0))
        sign = 1 if share == 1.0 or rng.random() < 0.5 else -1
        amount = round(true.amount * (1 + sign * share), family.decimals)
        return Stated(amount), "numeric", f"{sign * share:+.0%}"
    if family.values:
        return (
            Stated(words=rng.choice([v for v in family.values if v != true.words])),
            "entity",
            "another of the same type",
        )
    if family.effects:
        kind = rng.choice([k for k in sorted(family.effects) if k != true.kind])
        return Stated(words=family.effects[kind][0], kind=kind), "negation", f"{true.kind} to {kind}"
    month, _, year = true.words.partition(" ")
    shift = rng.choice((-12, -7, -3, 2, 4, 9))
    return Stated(words=f"{month} {int(year) + shift}", kind="date"), "date", f"{shift:+d} years"


def value_in_words(family: Family, value: Stated, rng: random.Random) -> str:
    """`value` in words for a document: a quantity in one of the family's units, an effect by one of its verbs."""
    if family.units:
        fitting = [(u, f) for u, f in family.units if 0.01 <= value.amount * f < 1e6] or [family.units[0]]
        unit, factor = rng.choice(fitting)
        return _number(value.amount * factor, family.decimals) + (f" {unit}" if unit else "")
    if family.effects:
        return rng.choice(family.effects[value.kind])
    return value.words


def aliases(family: Family, value: Stated) -> list[str]:
    """Every way in which a document may write `value`."""
    if family.units:
        fitting = [(u, f) for u, f in family.units if 0.01 <= value.amount * f < 1e6] or [family.units[0]]
        return [_number(value.amount * f, family.decimals) + (f" {u}" if u else "") for u, f in fitting]
    if family.effects:
        return [*family.effects[value.kind], *(["no effect"] if value.kind == "none" else [])]
    if family.dates:
        return [value.words, value.words.split()[-1]]
    return [value.words]


def _number(amount: float, decimals: int) -> str:
    rounded = round(amount, max(decimals, 4 if amount < 1 else decimals))
    return f"{rounded:,.4f}".rstrip("0").rstrip(".")
