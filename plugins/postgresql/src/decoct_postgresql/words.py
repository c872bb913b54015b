"""Which chunks hold a question's words best: BM25 (`bm25`) over what `index.searchable` gives, on PostgreSQL's `tsvector`.

Words are Decoct's own (`decoct.text.analysis`), so documents and questions are cut alike in every store; PostgreSQL's text search
configurations are not used.

Chunks that have postings are ranked by these (`postings`); the others are found in a GIN index of words, and then each is scored. A word of
many chunks would read as many rows, and need not (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995): chunks with
one of the rarest words are scored first; once the k-th best chunk scores as much as all remaining words could add together, no chunk that
holds only those can be among the k best. Otherwise the next rarest words join.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.data import Keys, Ranking
from decoct.index.base import ranking_of
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems
from decoct_postgresql import bm25, postings
from decoct_postgresql.bm25 import Asked
from decoct_postgresql.filtering import Texts, chunks_passing, condition_of
from decoct_postgresql.schema import PLACES, tally

if TYPE_CHECKING:
    import psycopg

# A tsvector keeps at most this many positions of a word.
MOST_POSITIONS = 255

# Chunks worth scoring at once: words are taken, rarest first, until so many hold one of them.
AT_ONCE = 2_000

# A filter's documents that have so few chunks are scored one by one: of all words' postings few would be theirs.
FEW = 2_000


def counted(text: str, language: str) -> Counter[str]:
    """The words by which a chunk is found, and how often each stands in it."""
    return Counter(stems(text, (language,)))


def vector(words: Counter[str]) -> bytes:
    """A tsvector in binary: words with their positions 1, 2 … where there are several."""
    parts = [struct.pack("!i", len(words))]
    for word, count in words.items():
        places = range(1, min(count, MOST_POSITIONS) + 1) if count > 1 else ()
        parts.append(word.encode() + b"\0" + struct.pack(f"!H{len(places)}H", len(places), *places))
    return b"".join(parts)


def languages(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """The languages as which documents with chunks are stemmed; English where there are none."""
    rows = connection.execute(
        "SELECT substr(what, 10) FROM tallies WHERE what LIKE 'language %' GROUP BY what HAVING sum(value) > 0"
    ).fetchall()
    found = {code if code in STEMMERS else UNSTEMMED for (code,) in rows}
    return tuple(code for code in (*STEMMERS, UNSTEMMED) if code in found) or ENGLISH


def frequencies(connection: psycopg.Connection[Any], words: Sequence[str]) -> tuple[Keys, int]:
    """In how many chunks each word stands, and how many chunks there are."""
    found = _frequencies(connection, words)
    return np.array([found.get(word, 0) for word in words], dtype=np.int64), tally(connection, "chunks")


def search(connection: psycopg.Connection[Any], text: str, k: int, where: Texts) -> Ranking:
    """At most `k` keys by BM25, best first, ties by key."""
    words = Counter(stems(text, languages(connection)))
    held = _frequencies(connection, list(words))
    chunks = tally(connection, "chunks")
    weights = {
        word: words[word] * math.log(1 + (chunks - held[word] + 0.5) / (held[word] + 0.5))
        for word in sorted(words, key=lambda word: (held.get(word, 0), word))
        if held.get(word, 0) > 0
    }
    if k < 1 or not weights or not all(where.values()):
        return ranking_of([])
    asked = Asked(weights, held, tally(connection, "words") / chunks, k, where)
    if where and (few := chunks_passing(connection, where, FEW)) is not None:
        return ranking_of(_scored(connection, list(weights), asked, "key = ANY(%s)", [few]))
    first = postings.end(connection)
    rows = postings.best(connection, asked) if first else []
    if not first or _youngest(connection) >= first:
        rows = bm25.best(rows + _scanned(connection, asked, first, rows[-1][1] if len(rows) == k else 0.0), k)
    return ranking_of(rows)


def _youngest(connection: psycopg.Connection[Any]) -> int:
    """The highest key of a chunk; -1 without any.

    Whether there is one from a key on is not asked by that condition: a plan made for any key reads the whole table where there is none.
    """
    (key,) = connection.execute("SELECT coalesce(max(key), -1) FROM lexical").fetchone() or (-1,)
    return int(key)


def _scanned(connection: psycopg.Connection[Any], asked: Asked, first: int, least: float) -> list[tuple[int, float]]:
    """The best of the chunks from key `first` on; of those that score less than `least` some may be missing."""
    words, reached, taken = list(asked.weights), 0, 0
    condition, values = condition_of(asked.where, f"(key >> {PLACES})")
    while True:
        while taken < len(words) and (reached < max(AT_ONCE, asked.k) or taken == 0 or asked.left(taken) >= least > 0):
            reached += asked.held[words[taken]]
            taken += 1
        rows = _scored(connection, words[:taken], asked, f"key >= %s AND {condition}", [first, *values])
        least = max(least, rows[-1][1] if len(rows) == asked.k else 0.0)
        if taken == len(words) or asked.left(taken) + bm25.NEAR < least:
            return rows
        reached = 0


def _scored(
    connection: psycopg.Connection[Any], finding: Sequence[str], asked: Asked, condition: str, given: Sequence[Any]
) -> list[tuple[int, float]]:
    """The best of the chunks under the condition that hold a word of `finding`, scored by all words."""
    query, values = bm25.scored(
        asked.weights, asked.mean, f"words @@ %s::tsquery AND {condition}",
        [" | ".join(map(bm25.quoted, finding)), *given],
    )  # fmt: skip
    scale = f"1e{bm25.DECIMALS}::float8"
    rows = connection.execute(
        f"SELECT key, round(score * {scale}) / {scale} AS score FROM ({query}) AS scored ORDER BY score DESC, key LIMIT %s",
        (*values, asked.k),
    ).fetchall()
    return [(key, score) for key, score in rows]


def _frequencies(connection: psycopg.Connection[Any], words: Sequence[str]) -> dict[str, int]:
    return dict(
        connection.execute(
            "SELECT word, sum(chunks)::bigint FROM words WHERE word = ANY(%s) GROUP BY word", (list(words),)
        ).fetchall()
    )
