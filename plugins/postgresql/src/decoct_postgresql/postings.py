"""Postings: of each word its chunks, in one value, from which chunks are ranked as arrays and not read one by one.

Like the graph of vectors they are derived from what stands in the library's tables (`lexical`), made by `refresh` once it is worth it, and
may be missing. Numbers of documents only grow and are never used twice, and a document's rows never change. So postings are of all
documents up to a number, which stands in `meta`; younger ones, the tail, are searched in `lexical` (`words`) until they are many enough to
get postings of their own, and what is gone is left out when chunks are looked up there. Where much is gone all are made anew, and where the
number is missing: a migration that changes `lexical` need only remove it.

A posting is 12 bytes: the chunk's key, and in the others its length and how often the word stands in it (`_POSTING`).

Ranking is MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995) in two passes, as in the embedded store
(`embedded/pruning.py`). Words are read rarest first until the others can add little to a score. Chunks are ranked by what these words add;
the best are looked up and the other words added, by their tsvectors (`bm25`). Once the k-th of them is above whatever the next could reach,
and above what the other words add at most, which is all that a chunk without the words that were read can have, none is missed. Otherwise
the next word is read too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct import trace
from decoct.data import Keys
from decoct_postgresql import bm25
from decoct_postgresql.bm25 import Asked, Scores
from decoct_postgresql.filtering import Texts, condition_of
from decoct_postgresql.schema import PLACES, lock_number, tally

if TYPE_CHECKING:
    import psycopg

    from decoct_postgresql.location import PostgreSQLLocation

# Postings are made when so many chunks have none, or this share of those that have, if it is more: a search of 20,000 chunks without
# takes 18 ms of CPU.
LEAST, YOUNG = 5_000, 0.05

# All are made anew when this share of the chunks that have postings is gone.
GONE = 0.25

# How long writers that are in the middle are waited for, while others wait behind; after that the next `refresh` tries.
PATIENCE = "3s"

# Chunks whose postings are made at once: PostgreSQL sorts some 85 words a chunk.
AT_ONCE = 100_000

# What the words that are not read may add to a score together.
LEFT = 2.5

# Chunks looked up at first for each that is wanted, and how many more by what the other words may add; then as many times more.
FIRST, MORE, GROWTH = 1.5, 1.4, 4

_POSTING = np.dtype([("key", ">i8"), ("counted", ">i4")])  # counted: length << 8 | count
_PACKED = "int8send(key) || int4send(least(length, 8388607) << 8 | coalesce(cardinality(positions), 1))"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))"


@dataclass(frozen=True, slots=True)
class _Built:
    """The number of the last document that has postings, and how many chunks have some, with those that are gone since."""

    last: int = 0
    chunks: int = 0

    @property
    def end(self) -> int:
        """The key after all that have postings."""
        return self.last + 1 << PLACES


def end(connection: psycopg.Connection[Any]) -> int:
    """The key from which on chunks have no postings; 0 in a library without any."""
    built = _built(connection)
    return built.end if built.last else 0


def write(connection: psycopg.Connection[Any], location: PostgreSQLLocation) -> None:
    """Make postings where it is worth it and the role may. Runs outside a transaction, beside readers and, but for a moment, writers."""
    from psycopg.errors import LockNotAvailable

    if not any(_outdated(connection, _built(connection))):
        return
    (may,) = connection.execute(
        "SELECT to_regclass('postings') IS NOT NULL OR has_schema_privilege(current_schema(), 'CREATE')"
    ).fetchone() or (False,)
    if not may:
        trace.fallback("store.postings_refused")
        return
    try:
        with connection.transaction():
            connection.execute("SELECT set_config('lock_timeout', %s, true)", (PATIENCE,))
            # Whoever put documents has ended then, so that of the numbers given so far no other appears later.
            connection.execute(_LOCK, (lock_number(location, "settings"),))
            (last,) = connection.execute("SELECT pg_sequence_last_value('numbers'::regclass)").fetchone() or (0,)
    except LockNotAvailable:
        trace.fallback("store.postings_put_off")
        return
    with connection.transaction():
        (free,) = connection.execute(_TRY_LOCK, (lock_number(location, "postings"),)).fetchone() or (False,)
        if free:  # else another process makes them
            _write_to(connection, last)


def _write_to(connection: psycopg.Connection[Any], last: int) -> None:
    """Make the postings of all documents up to number `last`."""
    built = _built(connection)
    young, gone = _outdated(connection, built)
    if last < built.last or not (young or gone):
        return
    _create(connection)
    if gone or not built.last:
        connection.execute("DELETE FROM postings")
        built = _Built()
    start, chunks = built.end, built.chunks
    while True:
        count, highest = connection.execute(
            "SELECT count(*), max(key) FROM (SELECT key FROM lexical WHERE key >= %s AND key < %s ORDER BY key LIMIT %s) AS next",
            (start, _Built(last).end, AT_ONCE),
        ).fetchone() or (0, 0)
        if not count:
            break
        connection.execute(
            f"INSERT INTO postings SELECT lexeme COLLATE \"C\", %s, string_agg({_PACKED}, '') FROM lexical, unnest(words) "
            "WHERE key BETWEEN %s AND %s GROUP BY 1",
            (start, start, highest),
        )
        start, chunks = highest + 1, chunks + count
    connection.execute(
        "INSERT INTO meta VALUES ('postings', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (json.dumps([last, chunks]),),
    )


def _built(connection: psycopg.Connection[Any]) -> _Built:
    row = connection.execute("SELECT value FROM meta WHERE name = 'postings'").fetchone()
    return _Built(*json.loads(row[0])) if row is not None else _Built()


def _outdated(connection: psycopg.Connection[Any], built: _Built) -> tuple[bool, bool]:
    """Whether many chunks have no postings, and whether many that have some are gone."""
    (young,) = connection.execute(
        "SELECT coalesce(sum(chunks), 0)::bigint FROM documents WHERE number > %s", (built.last,)
    ).fetchone() or (0,)
    gone = built.chunks - (tally(connection, "chunks") - young)
    return young >= max(LEAST, YOUNG * built.chunks), gone >= max(LEAST, GONE * built.chunks)


def _create(connection: psycopg.Connection[Any]) -> None:
    """The table, where it is missing. Who may read or change the words of chunks may do so with it."""
    if connection.execute("SELECT to_regclass('postings')").fetchone() != (None,):
        return
    connection.execute(
        'CREATE TABLE postings (word text COLLATE "C", part bigint, data bytea NOT NULL, PRIMARY KEY (word, part))'
    )
    connection.execute("ALTER TABLE postings ALTER data SET STORAGE EXTERNAL")
    for (grant,) in connection.execute(
        "SELECT format('GRANT %s ON postings TO %s', privilege_type, "
        "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END) "
        "FROM pg_class, aclexplode(relacl) WHERE oid = 'lexical'::regclass AND grantee <> relowner"
    ).fetchall():
        connection.execute(grant)


def best(connection: psycopg.Connection[Any], asked: Asked) -> list[tuple[int, float]]:
    """The best of the chunks that have postings, as (key, score), best first, ties by key."""
    rows: list[tuple[int, float]] = []
    passing = _passing(connection, asked.where) if asked.where else None
    for words in range(1, len(asked.weights) + 1):
        if (left := asked.left(words)) <= LEFT:
            rows = _ranked(connection, asked, words, passing)
            if len(rows) == asked.k and rows[-1][1] > left + bm25.NEAR:
                break
    return rows


def _ranked(
    connection: psycopg.Connection[Any], asked: Asked, words: int, passing: Keys | None
) -> list[tuple[int, float]]:
    """The best of the chunks that hold one of so many of the rarest words; of the documents `passing`, if it is given."""
    keys, scores = _read(connection, asked.first(words), asked.mean)
    if passing is not None:
        kept = np.isin(keys >> PLACES, passing)
        keys, scores = keys[kept], scores[kept]
    left = asked.left(words)
    count = math.ceil(asked.k * (FIRST + MORE * left))
    found: list[tuple[int, float]] = []
    while len(keys):
        order = np.argpartition(-scores, count) if count < len(keys) else np.arange(len(keys))
        keys, scores = keys[order], scores[order]
        looked_up = _completed(connection, keys[:count], scores[:count], asked.others(words), asked.mean)
        found = bm25.best(found + looked_up, asked.k)
        keys, scores = keys[count:], scores[count:]
        if len(found) == asked.k:
            kept = scores + left + bm25.NEAR >= found[-1][1]
            keys, scores = keys[kept], scores[kept]
        count *= GROWTH
    return found


def _read(connection: psycopg.Connection[Any], weights: Mapping[str, float], mean: float) -> tuple[Keys, Scores]:
    """The chunks that hold one of the words, by key, and what the words add to the score of each; both of shape (n,)."""
    keys, scores = [np.empty(0, np.int64)], [np.empty(0)]
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT word, data FROM postings WHERE word = ANY(%s)", (list(weights),))
        for word, data in cursor:
            postings = np.frombuffer(data, _POSTING)
            counted = postings["counted"].astype(np.int64)
            keys.append(postings["key"].astype(np.int64))
            scores.append(bm25.added(weights[word], counted & 255, counted >> 8, mean))
    every = np.concatenate(keys)
    order = np.argsort(every, kind="stable")  # merges what is in order already: a word's chunks
    every = every[order]
    starts = np.flatnonzero(np.diff(every, prepend=-1))
    return every[starts], np.add.reduceat(np.concatenate(scores)[order], starts)


def _passing(connection: psycopg.Connection[Any], where: Texts) -> Keys:
    """The numbers of the documents that pass, in one value."""
    condition, values = condition_of(where)
    with connection.cursor(binary=True) as cursor:
        cursor.execute(
            f"SELECT coalesce(string_agg(int8send(number), ''), '') FROM documents WHERE {condition}", values
        )
        (data,) = cursor.fetchone() or (b"",)
    return np.frombuffer(data, ">i8").astype(np.int64)


def _completed(
    connection: psycopg.Connection[Any], keys: Keys, scores: Scores, others: Mapping[str, float], mean: float
) -> list[tuple[int, float]]:
    """Those of the chunks that still exist, with what the other words add."""
    query, values = bm25.scored(others, mean, "key = ANY(%s)", [keys.tolist()])
    with connection.cursor(binary=True) as cursor:
        rows = dict(cursor.execute(query, values).fetchall())
    return [
        (key, round(score + rows[key], bm25.DECIMALS))
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True)
        if key in rows
    ]
