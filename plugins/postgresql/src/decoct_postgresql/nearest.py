"""Nearest vectors: all of them compared, or candidates of pgvector's HNSW graph with exact scores.

Vectors lie in half precision (`halfvec`), as in the embedded store. Exact scores are products in single precision of the stored vector and
the vector asked for as it is, so that both stores rank alike. The graph (Malkov and Yashunin, 2018) is made by `index` once there are more
than `EXACT` chunks and kept by PostgreSQL from then on; it holds half vectors of up to 4,000 numbers.

With a filter, the documents that pass are counted first: up to `EXACT` chunks are compared one by one, above that the graph is walked on
until enough pass (pgvector's iterative scan). Where it ends with fewer than were asked for, all that pass are compared after all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct import trace
from decoct.data import Floats, Keys, Ranking
from decoct.index.base import ranking_of
from decoct_postgresql import copying
from decoct_postgresql.filtering import Texts, chunks_passing, condition_of
from decoct_postgresql.schema import PLACES, tally

if TYPE_CHECKING:
    import psycopg

# Up to so many chunks every vector is compared: some 20 ms, and nothing is missed.
EXACT = 20_000

# Numbers a vector may have in an index of half vectors.
MOST_INDEXED = 4000

# Candidates of the graph for `k` results: measured in docs/stores.md.
WIDER = 3
LEAST_CANDIDATES, MOST_CANDIDATES = 200, 1000

# How the graph is built: neighbours a node, and candidates for them.
_M, _CONSTRUCTION = 16, 100

# Bytes that pgvector takes for a node while it builds the graph, beside its vector (measured: 715), and of its blocks of 1 MB what may
# stay empty.
_NODE, _BLOCKS = 900, 2 << 20


def index(connection: psycopg.Connection[Any], mode: str) -> bool:
    """Make the graph where it is missing and worth it and the role may; whether it was made.

    Runs outside a transaction, beside readers and writers.
    """
    if mode == "exact" or _is_indexed(connection):
        return False
    chunks, width = tally(connection, "chunks"), dimension(connection)
    if not width or width > MOST_INDEXED or (mode == "auto" and chunks <= EXACT):
        return False
    (may,) = connection.execute(
        "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'vectors'::regclass"
    ).fetchone() or (False,)
    if not may:
        trace.fallback("store.graph_refused")
        return False
    (free,) = connection.execute(
        "SELECT pg_try_advisory_lock(hashtextextended('decoct hnsw ' || current_schema(), 0))"
    ).fetchone() or (False,)
    if not free:  # another process is making it
        return False
    try:
        _make_graph(connection, chunks, width)
    finally:
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(hashtextextended('decoct hnsw ' || current_schema(), 0))")
    return True


def _make_graph(connection: psycopg.Connection[Any], chunks: int, width: int) -> None:
    """Make the graph in as much memory as it needs; by one process where the server has not so much to share among several."""
    from psycopg.errors import DiskFull, OutOfMemory

    connection.execute(
        "SELECT set_config('maintenance_work_mem', greatest(own.setting::bigint, least(%s, cache.setting::bigint * 4)) || 'kB', false) "
        "FROM pg_settings own, pg_settings cache WHERE own.name = 'maintenance_work_mem' AND cache.name = 'effective_cache_size'",
        (chunks * (_NODE + 2 * width) + _BLOCKS >> 10,),
    )
    try:
        try:
            _create(connection, width)
        except (DiskFull, OutOfMemory):
            trace.fallback("store.graph_by_one_process")
            connection.execute("SET max_parallel_maintenance_workers = 0")
            _create(connection, width)
    finally:
        if not connection.closed:
            connection.execute("RESET maintenance_work_mem")
            connection.execute("RESET max_parallel_maintenance_workers")


def _create(connection: psycopg.Connection[Any], width: int) -> None:
    # What an interrupted making left is not used, and in the way.
    connection.execute("DROP INDEX CONCURRENTLY IF EXISTS vectors_hnsw")
    connection.execute(
        f"CREATE INDEX CONCURRENTLY vectors_hnsw ON vectors USING hnsw ((vector::halfvec({width})) halfvec_ip_ops) "
        f"WITH (m = {_M}, ef_construction = {_CONSTRUCTION})"
    )


def dimension(connection: psycopg.Connection[Any]) -> int:
    """Numbers a vector; 0 in a library without any."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'dimension'").fetchone()
    return int(row[0]) if row is not None else 0


def search(connection: psycopg.Connection[Any], vector: Floats, k: int, where: Texts, mode: str) -> Ranking:
    """At most `k` keys by dot product, best first, ties by key."""
    width = dimension(connection)
    if k < 1 or not width or not all(where.values()):
        return ranking_of([])
    if len(vector) != width:
        from decoct.errors import StoreError

        raise StoreError(
            f"the vector asked for has {len(vector)} numbers, the library's have {width}; use the embedder it was built with"
        )
    few = chunks_passing(connection, where, EXACT) if where else None
    if mode != "exact" and k <= MOST_CANDIDATES and few is None and _is_indexed(connection):
        found = _by_graph(connection, vector, k, where)
        if len(found) == k:
            return found
        trace.fallback("store.exact_after_graph")
    elif mode == "hnsw" and not _is_indexed(connection):
        trace.fallback("store.graph_missing")
    return _exactly(connection, vector, k, where, few)


def _is_indexed(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('vectors_hnsw')"
    ).fetchone()
    return row is not None and bool(row[0])


def _exactly(
    connection: psycopg.Connection[Any], vector: Floats, k: int, where: Texts, few: Sequence[int] | None
) -> Ranking:
    width = len(vector)
    product = f"(vector::vector({width}) <#> %s::vector({width}))"
    values: list[Any] = []
    table = "vectors"
    if few is not None:
        table, values = "vectors WHERE key = ANY(%s)", [few]
    elif where:
        condition, values = condition_of(where)
        # OFFSET 0 keeps it a look into the index for each document: joined, the planner takes a range for so many rows that it reads all.
        table = (
            f"(SELECT number FROM documents WHERE {condition}) AS passing, LATERAL (SELECT key, vector FROM vectors "
            f"WHERE key >= number << {PLACES} AND key < (number + 1) << {PLACES} OFFSET 0) AS own"
        )
    rows = connection.execute(
        f"SELECT key, -{product} FROM {table} ORDER BY {product}, key LIMIT %s",
        (vector_as_sql(vector), *values, vector_as_sql(vector), k),
    ).fetchall()
    return ranking_of(rows)


def _by_graph(connection: psycopg.Connection[Any], vector: Floats, k: int, where: Texts) -> Ranking:
    """The candidates nearest in half precision, with exact scores; fewer than `k` where the walk ended early."""
    width = len(vector)
    wanted = min(max(WIDER * k, LEAST_CANDIDATES), MOST_CANDIDATES)
    connection.execute(
        "SELECT set_config('hnsw.ef_search', %s, true), set_config('enable_seqscan', 'off', true)", (str(wanted),)
    )
    if where:
        connection.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.max_scan_tuples', '100000', true)"
        )
    condition, values = condition_of(where, f"(key >> {PLACES})")
    rows = connection.execute(
        f"WITH near AS MATERIALIZED (SELECT key, vector FROM vectors WHERE {condition} "
        f"ORDER BY vector::halfvec({width}) <#> %s::halfvec({width}) LIMIT %s) "
        f"SELECT key, -(vector::vector({width}) <#> %s::vector({width})) AS score FROM near ORDER BY score DESC, key LIMIT %s",
        (*values, vector_as_sql(vector), wanted, vector_as_sql(vector), k),
    ).fetchall()
    return ranking_of(rows)


def stored_vectors(connection: psycopg.Connection[Any], keys: Keys) -> Floats:
    """One row a key, zeros where there is none; shape (n, 0) in a library without vectors."""
    rows = np.zeros((len(keys), dimension(connection)), dtype=np.float32)
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT key, vector FROM vectors WHERE key = ANY(%s)", (keys.tolist(),))
        known = {key: copying.half(data) for key, data in cursor.fetchall()}
    for at, key in enumerate(keys.tolist()):
        if key in known:
            rows[at] = known[key]
    return rows


def vector_as_sql(vector: Floats) -> str:
    """A vector as SQL reads it, without loss."""
    return f"[{','.join(map(repr, vector.tolist()))}]"
