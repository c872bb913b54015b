"""Filters in SQL: a `where` becomes the texts that pass, and those a look-up in the metadata table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from decoct.data import Range
from decoct.index.base import Where
from decoct.index.filters import storable, within
from decoct_postgresql.schema import PLACES

if TYPE_CHECKING:
    import psycopg

Texts: TypeAlias = Mapping[str, tuple[str, ...]]  # a filter without ranges

# Characters of a value that the index holds.
_INDEXED = 200


def resolved(connection: psycopg.Connection[Any], where: Where) -> Texts:
    """`where` as the texts that pass: ranges become those values of the key that lie within, and what no document can hold goes."""
    return {
        name: tuple(one for value in allowed for one in _texts(connection, name, value)) if storable(name) else ()
        for name, allowed in where.items()
    }


def _texts(connection: psycopg.Connection[Any], name: str, value: str | Range) -> list[str]:
    if isinstance(value, Range):
        rows = connection.execute("SELECT DISTINCT value FROM metadata WHERE name = %s", (name,)).fetchall()
        return [one for (one,) in rows if within(value, one)]
    return [value] if storable(value) else []


def metadata_keys(connection: psycopg.Connection[Any]) -> list[str]:
    """The metadata keys that documents have; each is found from the last, so that few keys cost little in a large table."""
    rows = connection.execute(
        "WITH RECURSIVE found (one) AS (SELECT min(name) FROM metadata UNION ALL "
        "SELECT (SELECT min(name) FROM metadata WHERE name > one) FROM found WHERE one IS NOT NULL) "
        "SELECT one FROM found WHERE one IS NOT NULL ORDER BY one"
    ).fetchall()
    return [one for (one,) in rows]


def chunks_passing(connection: psycopg.Connection[Any], where: Texts, most: int) -> list[int] | None:
    """The keys of the chunks whose documents pass; None where they are more than `most`."""
    condition, values = condition_of(where)
    (rows,) = connection.execute(
        "SELECT CASE WHEN sum(chunks) > %s THEN NULL ELSE coalesce(array_agg(ARRAY[number, chunks]), '{}') END "
        f"FROM documents WHERE chunks > 0 AND {condition}",
        (most, *values),
    ).fetchone() or (None,)
    if rows is None:
        return None
    return [number << PLACES | place for number, chunks in rows for place in range(chunks)]


def condition_of(where: Texts, number: str = "number") -> tuple[str, list[Any]]:
    """SQL that keeps documents, of the number that the expression `number` gives, passing `where`; and its values."""
    clauses, values = ["true"], []
    for name, allowed in where.items():
        if not allowed:  # the name, too, may be one that no document can have
            return "false", []
        clauses.append(
            f"{number} IN (SELECT document FROM metadata WHERE name = %s AND left(value, {_INDEXED}) = ANY(%s) AND value = ANY(%s))"
        )
        values += [name, [one[:_INDEXED] for one in allowed], list(allowed)]
    return " AND ".join(clauses), values
