"""BM25 over each chunk's title and text, on PostgreSQL's `tsvector`.

Words are Decoct's own (`decoct.text.analysis`), so documents and questions are cut alike in every store; PostgreSQL's text search
configurations are not used. The formula is that of the embedded store (Robertson & Zaragoza 2009), with exact counts:

    sum over words w of  ln(1 + (N - n_w + .5) / (n_w + .5)) * f * (k1 + 1) / (f + k1 * (1 - b + b * |c| / mean|c|)),  k1 = 1.2, b = 0.75

A GIN index finds the chunks that hold a word, and then each is scored, so a word of a million chunks would read a million rows. It need
not (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995): a word adds at most its idf * (k1 + 1). Chunks with one of
the rarest words are scored first; once the k-th of them scores as much as all remaining words could add together, no chunk that holds only
those can be among the k best. Otherwise the next rarest words join.

|c| is rounded down as tantivy keeps it in one byte, exact up to 40 words and within 1/16 above, so that a question ranks chunks here as it
does in the embedded store; mean|c| is exact in both.

`f` is the number of a word's positions in the tsvector, for which SQL has no function. With all weights 1, `ts_rank` of one word is the sum
of 1/i² over its positions divided by 1.64493406685 (calc_rank_or in PostgreSQL's tsrank.c), which grows with each position, so
`width_bucket` among those sums gives `f` exactly. A word that stands once is kept without a position, which counts as one.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.data import Keys, Ranking
from decoct.index.postgresql.filtering import Texts, condition_of
from decoct.index.postgresql.schema import PLACES
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems

if TYPE_CHECKING:
    import psycopg

K1 = 1.2
B = 0.75

# A tsvector keeps at most this many positions of a word.
MOST_POSITIONS = 255

# Chunks worth scoring at once: words are taken, rarest first, until so many hold one of them.
AT_ONCE = 2_000

# Scores are compared at this many decimals, as those of the embedded store.
DECIMALS = 5

_STEPS = [sum(1 / at**2 for at in range(1, count + 1)) / 1.64493406685 for count in range(1, MOST_POSITIONS + 1)]
_BETWEEN = [(low + high) / 2 for low, high in zip([0.0, *_STEPS], _STEPS, strict=False)]


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
    return np.array([found.get(word, 0) for word in words], dtype=np.int64), _tally(connection, "chunks")


def search(connection: psycopg.Connection[Any], text: str, k: int, where: Texts) -> Ranking:
    """At most `k` keys by BM25, best first, ties by key."""
    asked = Counter(stems(text, languages(connection)))
    held = _frequencies(connection, list(asked))
    chunks = _tally(connection, "chunks")
    weights = {
        word: asked[word] * math.log(1 + (chunks - held[word] + 0.5) / (held[word] + 0.5))
        for word in sorted(asked, key=lambda word: (held.get(word, 0), word))
        if held.get(word, 0) > 0
    }
    if k < 1 or not weights or not all(where.values()):
        return Ranking(np.empty(0, np.int64), np.empty(0, np.float32))
    mean = _tally(connection, "words") / chunks
    rarest, reached = list(weights), 0
    taken = 0
    while True:
        while taken < len(rarest) and (reached < max(AT_ONCE, k) or taken == 0):
            reached += held[rarest[taken]]
            taken += 1
        rows = _scored(connection, rarest[:taken], weights, mean=mean, k=k, where=where)
        rest = sum(weights[word] for word in rarest[taken:]) * (K1 + 1)
        if taken == len(rarest) or (len(rows) == k and rows[-1][1] > rest):
            break
        reached = 0
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    return Ranking(keys, np.array([score for _, score in rows], dtype=np.float32))


def _scored(
    connection: psycopg.Connection[Any],
    finding: Sequence[str],
    weights: dict[str, float],
    *,
    mean: float,
    k: int,
    where: Texts,
) -> list[tuple[int, float]]:
    """The `k` best of the chunks that hold a word of `finding`, scored by all words."""
    terms, values = [], []
    for word, weight in weights.items():
        count = "width_bucket(ts_rank('{1,1,1,1}', words, %s::tsquery)::float8, steps)"
        terms.append(f"%s * (SELECT f / (f + norm) FROM (SELECT {count}::float8 AS f) AS counts)")
        values += [weight * (K1 + 1), _quoted(word)]
    condition, filtering = condition_of(where, f"(key >> {PLACES})")
    rows = connection.execute(
        f"SELECT key, round(({' + '.join(terms)})::numeric, {DECIMALS})::float8 AS score FROM (SELECT key, words, "
        f"%s * (1 - %s + %s * length / %s) AS norm, %s::float8[] AS steps FROM lexical "
        f"WHERE words @@ %s::tsquery AND {condition}) AS found ORDER BY score DESC, key LIMIT %s",
        (*values, K1, B, B, mean, _BETWEEN, " | ".join(map(_quoted, finding)), *filtering, k),
    ).fetchall()
    return [(key, score) for key, score in rows]


def _frequencies(connection: psycopg.Connection[Any], words: Sequence[str]) -> dict[str, int]:
    return dict(
        connection.execute(
            "SELECT word, sum(chunks)::bigint FROM words WHERE word = ANY(%s) GROUP BY word", (list(words),)
        ).fetchall()
    )


def _tally(connection: psycopg.Connection[Any], what: str) -> int:
    row = connection.execute("SELECT coalesce(sum(value), 0)::bigint FROM tallies WHERE what = %s", (what,)).fetchone()
    return int(row[0]) if row is not None else 0


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
