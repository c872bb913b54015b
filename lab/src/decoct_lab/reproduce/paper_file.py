"""What the file of an experiment may hold (`paper` makes conditions of it): unknown keys are errors, no misspelt figure vanishes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from decoct.tables import TypedTable
from decoct_lab.reproduce.arms import RECIPE
from decoct_lab.reproduce.claims import Kind


class SetTable(TypedTable):
    """`[set.NAME]`: a data set's options, what the paper says of it, and the reasons why ours differs."""

    options: dict[str, str] = Field(default_factory=dict)
    paper: str = ""
    reasons: list[str] = Field(default_factory=list)


class ConditionTable(TypedTable):
    """`[[table.condition]]`: a recipe (a name or a table) on a chunker, or an oracle; printed figures by data set and measure."""

    name: str
    recipe: str | dict[str, Any] | None = None
    chunk: Literal["default"] | dict[str, Any] | None = None
    oracle: str | None = None
    paper: dict[str, dict[str, float | list[float]]] = Field(default_factory=dict)
    correlation: dict[str, float] = Field(default_factory=dict)


class GridTable(TypedTable):
    """`[table.grid]`: every chunk size with every Top-K, and the printed figures as matrices in that order."""

    tokens: list[int]
    top: list[int]
    paper: dict[str, dict[str, list[list[float]]]]


class TableTable(TypedTable):
    """`[[table]]`: its conditions, budgets, measures and data sets."""

    id: str | int
    title: str
    budgets: list[int | float | str]
    metrics: list[str]
    sets: list[str]
    corpus: Literal["stream"] | None = None
    judged: list[str] = Field(default_factory=list)
    reasons: list[str] = Field(default_factory=list)
    condition: list[ConditionTable] = Field(default_factory=list)
    grid: GridTable | None = None


class ClaimTable(TypedTable):
    """`[[claim]]`: in `table` the condition `better` beats `than` in the first of `metrics` that a run has.

    `differ` names the parts in which the two may differ (`decoct_lab.reproduce.arms`); without it they are two recipes.
    """

    id: str
    text: str
    table: str
    better: str
    than: str
    metrics: list[str]
    kind: Kind = "better"
    least: float = 0.02
    sets: list[str] = Field(default_factory=list)
    differ: list[str] = Field(default_factory=lambda: list[str](RECIPE))


class PaperFile(TypedTable):
    """The whole file."""

    title: str
    table: list[TableTable]
    setting: str = ""
    reasons: dict[str, str] = Field(default_factory=dict)
    set: dict[str, SetTable] = Field(default_factory=dict)
    claim: list[ClaimTable] = Field(default_factory=list)
