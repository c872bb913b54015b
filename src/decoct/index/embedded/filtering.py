"""Filters in SQL: a `where` becomes the texts that pass, and those a look-up in the metadata table."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import TypeAlias

from decoct.data import Range
from decoct.index.base import Where
from decoct.index.filters import storable, within

# Values of a key that are bound one by one: SQLite takes 32,766 in a statement.
MOST_BOUND = 2_000

# Different values that are found by stepping from one to the next, at some 10 microseconds each.
MOST_STEPS = 1_000

Texts: TypeAlias = Mapping[str, tuple[str, ...]]  # a filter without ranges


def resolved(connection: sqlite3.Connection, where: Where) -> Texts:
    """`where` as the texts that pass: ranges become those values of the key that lie within, and what no document can hold goes."""
    return {
        name: tuple(one for value in allowed for one in _texts(connection, name, value)) if storable(name) else ()
        for name, allowed in where.items()
    }


def _texts(connection: sqlite3.Connection, name: str, value: str | Range) -> list[str]:
    if isinstance(value, Range):
        return [one for one in _distinct(connection, "value", "name = ?", name) if within(value, one)]
    return [value] if storable(value) else []


def metadata_keys(connection: sqlite3.Connection) -> list[str]:
    """The metadata keys that documents have."""
    return _distinct(connection, "name", "1")


def _distinct(connection: sqlite3.Connection, column: str, condition: str, *given: str) -> list[str]:
    """The different values of a column of the metadata table's key.

    Each is found from the last, so that few values cost little in a large table; where there are many, every row is read.
    """
    rows = connection.execute(
        f"WITH RECURSIVE found (one) AS (SELECT min({column}) FROM metadata WHERE {condition} UNION ALL "  # noqa: S608 - no values
        f"SELECT (SELECT min({column}) FROM metadata WHERE {condition} AND {column} > one) FROM found WHERE one IS NOT NULL) "
        "SELECT one FROM found WHERE one IS NOT NULL LIMIT ?",
        (*given, *given, MOST_STEPS),
    ).fetchall()
    if len(rows) == MOST_STEPS:
        rows = connection.execute(f"SELECT DISTINCT {column} FROM metadata WHERE {condition}", given).fetchall()  # noqa: S608
    return [one for (one,) in rows]


def condition_of(where: Texts) -> tuple[str, list[str]]:
    """SQL that keeps the documents passing `where`, and its values: one look-up in the metadata table a key."""
    clauses, values = ["1"], []
    for name, allowed in where.items():
        # A value is bound as it is. (`json_each` ends texts at a NUL, which `resolved` has taken out, and would have to be trusted.)
        few = len(allowed) <= MOST_BOUND
        wanted = ", ".join("?" * len(allowed)) if few else "SELECT value FROM json_each(?)"
        clauses.append(f"number IN (SELECT document FROM metadata WHERE name = ? AND value IN ({wanted}))")  # noqa: S608
        values += [name, *(allowed if few else [json.dumps(allowed, ensure_ascii=False)])]
    return " AND ".join(clauses), values
