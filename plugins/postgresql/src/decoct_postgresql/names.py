"""Names by number: which chunks mention a name, and which documents are known by it.

A name's counts are read first, so that the postings of a frequent name are never touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.index.abilities import Mentions, Named
from decoct_postgresql.schema import PLACES

if TYPE_CHECKING:
    import psycopg


def mentioned_in(connection: psycopg.Connection[Any], names: Sequence[int], most: int, least: int) -> Mentions:
    """The chunks that mention the names which `least` to `most` chunks mention, and the counts of all."""
    wanted = sorted(set(names))
    counts = dict(
        connection.execute(
            "SELECT name, sum(chunks)::bigint FROM names WHERE name = ANY(%s) GROUP BY name", (wanted,)
        ).fetchall()
    )
    rare = [name for name in wanted if least <= counts.get(name, 0) <= most]
    pairs = connection.execute(
        "SELECT name, key FROM mentions WHERE name = ANY(%s::bigint[]) ORDER BY name, key", (rare,)
    ).fetchall()
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Mentions(table[:, 0], table[:, 1], {name: counts.get(name, 0) for name in map(int, names)})


def chunks_known_by(connection: psycopg.Connection[Any], names: Sequence[int], most: int) -> Named:
    """The chunks of the documents known by the names by which at most `most` are."""
    rows = connection.execute(
        "WITH rare AS MATERIALIZED (SELECT name FROM names WHERE name = ANY(%s::bigint[]) GROUP BY name HAVING sum(documents) <= %s) "
        "SELECT name, strength, number, chunks FROM rare JOIN known_as USING (name) JOIN documents ON number = document "
        "ORDER BY name, number",
        (sorted(set(names)), most),
    ).fetchall()
    lengths = np.array([row[3] for row in rows], dtype=np.int64)
    firsts = np.array([row[2] << PLACES for row in rows], dtype=np.int64)
    before = np.cumsum(lengths) - lengths
    keys = np.repeat(firsts - before, lengths) + np.arange(int(lengths.sum()))
    return Named(
        np.repeat(np.array([row[0] for row in rows], dtype=np.int64), lengths),
        keys,
        np.repeat(np.array([row[1] for row in rows], dtype=np.float32), lengths),
    )
