"""An experiment as data: tables of conditions over data sets, and claims; for a paper's also what was printed, and why ours may differ.

The papers' files stand beside this module; those of experiments of one's own are given by their path (`decoct reproduce FILE.toml`).

A table has conditions (or a grid that stands for them); a condition is a recipe on a chunker, or an oracle; `paper` holds its printed
figures by data set and measure, one a budget where there are several. Unknown keys are errors: a misspelt figure must not vanish.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import product
from pathlib import Path

from decoct.errors import ConfigError, EvaluationError
from decoct.evaluate.amounts import Amount, amounts
from decoct.evaluate.system import ORACLES, System, chunker_json, windows
from decoct.library import DEFAULT_CHUNKER
from decoct.recipe import load_recipe, shipped
from decoct.registry import nearest
from decoct.tables import read_table
from decoct_lab.reproduce.arms import checked
from decoct_lab.reproduce.claims import PaperClaim
from decoct_lab.reproduce.paper_file import ClaimTable, ConditionTable, GridTable, PaperFile, TableTable

_SOURCES = 20  # chunks, of which the smallest have more than the 40 pieces that the grid asks for at most
_LONG = 8_000  # tokens of a question: about what the paper's embedder reads
Figures = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Printed figures by data set and measure, in the order of the table's budgets."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line that a paper prints, the condition that is its like, and its figures in the order of the table's metrics (those printed)."""

    label: str
    condition: str
    paper: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TableCondition:
    """One line of a table; `system` is None where there is no such recipe here, and `missing` says so."""

    name: str
    system: System | None
    paper: Figures
    correlation: Mapping[str, float] = field(default_factory=dict)
    missing: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table: its conditions, budgets, measures and data sets; `stream` cuts the corpus as one text; `judged` sets need a judge."""

    id: str
    title: str
    budgets: tuple[Amount, ...]
    metrics: tuple[str, ...]
    sets: tuple[str, ...]
    conditions: tuple[TableCondition, ...]
    reasons: tuple[str, ...]
    judged: tuple[str, ...] = ()
    stream: bool = False


@dataclass(frozen=True, slots=True)
class PaperSet:
    """A data set as the paper used it, and why ours is not quite the same."""

    options: Mapping[str, str]
    paper: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's tables and data sets."""

    title: str
    setting: str
    reasons: Mapping[str, str]
    sets: Mapping[str, PaperSet]
    tables: Mapping[str, PaperTable]
    claims: tuple[PaperClaim, ...] = ()


def load_paper(name: str) -> Paper:
    """The paper of the file `name`.toml beside this module, or the experiment of the file `name`."""
    if name.endswith(".toml"):
        try:
            return parse_paper(Path(name).read_text("utf-8"), name)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise EvaluationError(f"{name}: {error}; lab/docs/evaluation.md shows an experiment") from error
    return parse_paper((files("decoct_lab.reproduce") / f"{name}.toml").read_text("utf-8"), name)


def parse_paper(text: str, name: str) -> Paper:
    """The paper written in `text`."""
    data = read_table(PaperFile, tomllib.loads(text), name, EvaluationError)
    sets = {key: PaperSet(one.options, one.paper, tuple(one.reasons)) for key, one in data.set.items()}
    tables: dict[str, PaperTable] = {}
    for table in data.table:
        if str(table.id) in tables:
            raise EvaluationError(f"{name}: there are two tables {str(table.id)!r}; give each an id of its own")
        tables[str(table.id)] = _table(table, f"{name}.table.{table.id}")
    conditions = {key: [one.name for one in table.conditions] for key, table in tables.items()}
    claims = tuple(_claim(row, conditions, f"{name}.claim.{row.id}") for row in data.claim)
    for one in tables.values():
        for key in one.sets:
            sets.setdefault(key, PaperSet({}, "", ()))
    paper = Paper(data.title, data.setting, data.reasons, sets, tables, claims)
    named = [*(one.reasons for one in sets.values()), *(one.reasons for one in tables.values())]
    for reason in (reason for reasons in named for reason in reasons):
        if reason not in paper.reasons:
            raise EvaluationError(f"{name}: the reason {reason!r} is not written; {nearest(reason, paper.reasons)}")
    return paper


def claims_of(rows: Sequence[object], conditions: Mapping[str, Sequence[str]], name: str) -> tuple[PaperClaim, ...]:
    """The claims of a file's rows; `conditions` are those of each table by id."""
    read = [read_table(ClaimTable, row, f"{name}.claim[{n}]", EvaluationError) for n, row in enumerate(rows)]
    return tuple(_claim(row, conditions, f"{name}.claim.{row.id}") for row in read)


def _claim(row: ClaimTable, conditions: Mapping[str, Sequence[str]], path: str) -> PaperClaim:
    if row.table not in conditions:
        raise EvaluationError(f"{path}: there is no table {row.table!r}; {nearest(row.table, conditions)}")
    names = conditions[row.table]
    for side in (row.better, row.than):
        if side not in names:
            raise EvaluationError(f"{path}: table {row.table} has no {side!r}; {nearest(side, names)}")
    return PaperClaim(
        id=row.id,
        text=row.text,
        table=row.table,
        better=row.better,
        than=row.than,
        metrics=tuple(row.metrics),
        kind=row.kind,
        least=row.least,
        sets=tuple(row.sets),
        differ=checked(row.differ, f"{path}.differ"),
    )


def _table(table: TableTable, path: str) -> PaperTable:
    budgets = amounts(",".join(map(str, table.budgets)), f"{path}.budgets")
    rows = [_condition(row, len(budgets), f"{path}.{row.name}") for row in table.condition]
    if table.grid is not None:
        rows += _grid(table.grid, f"{path}.grid")
    return PaperTable(
        id=str(table.id),
        title=table.title,
        budgets=budgets,
        metrics=tuple(table.metrics),
        sets=tuple(table.sets),
        conditions=tuple(rows),
        reasons=tuple(table.reasons),
        judged=tuple(table.judged),
        stream=table.corpus == "stream",
    )


def _condition(row: ConditionTable, budgets: int, path: str) -> TableCondition:
    figures: dict[str, dict[str, tuple[float, ...]]] = {}
    for name, measures in row.paper.items():
        figures[name] = {m: tuple(v) if isinstance(v, list) else (float(v),) for m, v in measures.items()}
        for measure, values in figures[name].items():
            if len(values) != budgets:
                raise EvaluationError(f"{path}: {len(values)} figures of {measure} for {budgets} budgets")
    cut = windows(150) if row.chunk is None else row.chunk  # the papers' own; "default" is a library's
    chunker = chunker_json(DEFAULT_CHUNKER if isinstance(cut, str) else cut)
    name, correlation = row.name, row.correlation
    if row.oracle is not None:
        if row.oracle not in ORACLES:
            raise EvaluationError(f"{path}: there is no condition {row.oracle!r}; {nearest(row.oracle, ORACLES)}")
        return TableCondition(name, System(name, None, chunker, row.oracle), figures, correlation)
    source = row.recipe
    if source is None:
        raise EvaluationError(f"{path}: name a recipe or an oracle")
    if isinstance(source, str) and source not in shipped():
        return TableCondition(name, None, figures, correlation, f"there is no recipe {source!r} here")
    try:
        return TableCondition(name, System(name, load_recipe(source), chunker), figures, correlation)
    except ConfigError as error:
        error.add_note(f"in {path}")
        raise


def _grid(grid: GridTable, path: str) -> list[TableCondition]:
    """Every chunk size with every Top-K, read in both ways of appendix D.3; the figures are matrices in that order.

    `top`: K is the chunks whose pieces are looked at, m is that of the recipe `recall`. `pieces`: K is the pieces that the question is
    expanded with, however long it becomes (the embedder must take it), out of those of the best `_SOURCES` chunks.
    """
    for measure, matrix in ((m, matrix) for found in grid.paper.values() for m, matrix in found.items()):
        if [len(row) for row in matrix] != [len(grid.top)] * len(grid.tokens):
            raise EvaluationError(f"{path}: the figures of {measure} are no {len(grid.tokens)} rows of {len(grid.top)}")
    recall = load_recipe("recall").as_dict()
    rows = []
    for reading in ("top", "pieces"):
        for (i, tokens), (j, k) in product(enumerate(grid.tokens), enumerate(grid.top)):
            figures = {name: {m: (float(v[i][j]),) for m, v in found.items()} for name, found in grid.paper.items()}
            setting = {"k_docs": k} if reading == "top" else {"k_docs": _SOURCES, "m": k, "query_tokens": _LONG}
            recipe = load_recipe({**recall, "retrieve": {**recall["retrieve"], **setting}})
            chunker = chunker_json(windows(tokens))
            name = f"{tokens}-{reading}-{k}"  # no comma: --conditions takes names by commas
            rows.append(TableCondition(name, System(name, recipe, chunker), figures))
    return rows
