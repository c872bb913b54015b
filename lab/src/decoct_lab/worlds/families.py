"""The template families of a split, read from its TOML file: what is asked, how a document of each style says it, what else it says.

`dev` and `test` say things in the question's words; `paraphrased-dev` and `paraphrased-test` in others. What ends in `test` is never tuned
on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias, get_args

from decoct.errors import EvaluationError

Split: TypeAlias = Literal["dev", "test", "paraphrased-dev", "paraphrased-test"]
SPLITS: tuple[Split, ...] = get_args(Split)
Style: TypeAlias = Literal["paper", "report", "blog"]
STYLES: tuple[Style, ...] = ("paper", "report", "blog")


@dataclass(frozen=True, slots=True)
class Family:
    """One attribute of one kind of thing. Exactly one of `units`, `values`, `effects` and `dates` says what its values are."""

    name: str
    noun: str
    about: str
    question: str
    statements: Mapping[Style, tuple[str, ...]]
    units: tuple[tuple[str, float], ...] = ()
    low: float = 0.0
    high: float = 0.0
    decimals: int = 0
    values: tuple[str, ...] = ()
    effects: Mapping[str, tuple[str, ...]] | None = None
    dates: bool = False
    latest: str = ""
    conditions: tuple[str, str] | None = None
    conditional: str = ""
    compare: str = ""


@cache
def families(split: Split) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """The families of a split and its filler sentences."""
    if split not in SPLITS:
        raise EvaluationError(f"worlds have the splits {', '.join(SPLITS)}, not {split!r}")
    text = resources.files("decoct_lab.worlds").joinpath(f"{split}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return tuple(_family(record) for record in table["family"]), tuple(table["filler"]["sentences"])


def _family(record: Mapping[str, Any]) -> Family:
    low, high = record.get("range", (0, 0))
    conditions = record.get("conditions")
    return Family(
        record["name"],
        record["noun"],
        record["about"],
        record["question"],
        {style: tuple(record[style]) for style in STYLES},
        tuple((unit, float(factor)) for unit, factor in record.get("units", ())),
        float(low),
        float(high),
        int(record.get("decimals", 0)),
        tuple(record.get("values", ())),
        record.get("effects"),
        bool(record.get("dates", False)),
        record.get("latest", ""),
        (conditions[0], conditions[1]) if conditions else None,
        record.get("conditional", ""),
        record.get("compare", ""),
    )
