"""Lists and tables of language, kept as TOML beside the modules that use them."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """All of `NAME.toml`. Do not change it: it is read once a process."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


@cache
def listed(name: str, key: str) -> frozenset[str]:
    """The words under `key` of `NAME.toml`, written one after another."""
    return frozenset(table(name)[key].split())


@cache
def comparatives(key: str) -> dict[str, str]:
    """The comparatives and superlatives of quantity under "less" or "more", each with what "how" takes for it ("taller": "tall")."""
    rows = [line.split() for line in table("comparatives")[key].split("\n") if line]
    return {word: how for how, *forms in rows for word in forms}


# Words that stand for numbers: months, ordinals, spelt-out numbers and what multiplies them.
MONTHS: dict[str, int] = {
    name: number for number, line in enumerate(table("dates")["months"], 1) for name in line.split()
}
ORDINALS: dict[str, int] = {word: number for number, word in enumerate(table("dates")["ordinals"].split(), 1)}
ONES: list[str] = table("numbers")["ones"].split()
TENS: list[str] = table("numbers")["tens"].split()
SPELT: dict[str, float] = {word: float(i) for i, word in enumerate(ONES)} | {
    word: 20.0 + 10 * i for i, word in enumerate(TENS)
}
SCALES: dict[str, float] = table("numbers")["scales"]
PARTS: dict[str, int] = table("numbers")["parts"]
