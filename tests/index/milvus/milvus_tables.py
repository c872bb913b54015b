"""Milvus's collections in memory, as far as reading and searching ask them: the conditions that they write, and no server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from operator import eq, ge, gt
from types import SimpleNamespace
from typing import Any

from decoct_milvus.collections import TABLES
from decoct_milvus.location import located

Row = dict[str, Any]
_CLAUSE = re.compile(
    r"(array_contains_any|array_contains|text_match)\((\w+), (.*?)\)(?: and |$)"
    r"|(\w+) (==|>=|>|not in|in|like) (.+?)(?: and |$)"
)


def holds(row: Row, condition: str) -> bool:
    """Whether a row passes a condition of the kinds that the store writes."""
    clauses = _CLAUSE.findall(condition)
    assert bool(clauses) == bool(condition), condition  # of no kind that is known here
    for call, column, given, compared, operator, value in clauses:
        held = row[column or compared]
        if call == "text_match":
            passed = given.strip("'") in held.split()
        elif call:
            asked = json.loads(given)
            passed = bool(set(held) & set(asked if isinstance(asked, list) else [asked]))
        else:
            passed = _compared(held, operator, json.loads(value))
        if not passed:
            return False
    return True


def _compared(held: Any, operator: str, wanted: Any) -> bool:
    if operator == "like":
        return bool(held.startswith(wanted.removesuffix("%")))
    if operator.endswith("in"):
        return (held in wanted) == (operator == "in")
    return bool({"==": eq, ">=": ge, ">": gt}[operator](held, wanted))


class Tables:
    """Stands for `decoct_milvus.connection.Connection`. `found` is what the next search gives back, by key."""

    def __init__(self, *, chunks: bool = True) -> None:
        self.tables: dict[str, list[Row]] = {name: [] for name in TABLES if chunks or name != "chunks"}
        self.location = located("milvus://host/?library=lib")
        self.found: Sequence[int] = ()
        self.asked: list[dict[str, Any]] = []
        self.client = SimpleNamespace(search=self._search)

    def name(self, table: str) -> str:
        return f"lib_{table}"

    def has(self, table: str) -> bool:
        return table in self.tables

    def drop(self, table: str) -> None:
        self.tables[table] = []

    def rows(self, table: str, condition: str, columns: Sequence[str], most: int = 1 << 30) -> list[Row]:
        held = [row for row in self.tables[table] if holds(row, condition)]
        return [{name: row[name] for name in columns} for row in held[:most]]

    def among(self, table: str, column: str, values: Sequence[int], columns: Sequence[str]) -> list[Row]:
        return self.rows(table, f"{column} in {list(values)}", columns) if values else []

    def all(self, table: str, condition: str, columns: Sequence[str]) -> Iterator[Row]:
        yield from self.rows(table, condition, columns)

    def count(self, table: str, condition: str = "") -> int:
        return sum(holds(row, condition) for row in self.tables[table])

    def put(self, table: str, rows: Sequence[Row], at_once: int = 500) -> None:
        keys = {row["key"] for row in rows}
        self.tables[table] = [row for row in self.tables[table] if row["key"] not in keys] + list(rows)

    def remove(self, table: str, column: str, values: Sequence[int]) -> None:
        self.tables[table] = [row for row in self.tables[table] if row[column] not in values]

    def close(self) -> None:
        self.tables = {}

    def _search(self, name: str, **asked: Any) -> list[list[Row]]:
        self.asked.append(asked)
        rows = {row["key"]: row for row in self.tables["chunks"] if holds(row, asked["filter"])}
        return [[{"entity": rows[key]} for key in self.found if key in rows][: asked["limit"]]]
