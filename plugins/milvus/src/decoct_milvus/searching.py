"""Words, vectors, names and filters in Milvus.

Words: Milvus's BM25 function finds candidates (over digests of Decoct's stems, so that documents and questions are cut alike everywhere),
and these are scored here by the formula of the embedded store with the library's own counts: Milvus's scores use the statistics of its
segments, and with a filter those of what passes. The mean length is that of all documents, or of the first 16,384.

Filters: each document and chunk has numbers that stand for its metadata, so that a filter is part of the search. Values are those that were
ever stored under a key, which is what a range is compared with.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from decoct.data import Floats, Keys, Range, Ranking
from decoct.errors import StoreError
from decoct.index.abilities import Mentions, Named
from decoct.index.base import Mask, Where, ranking_of
from decoct.index.filters import storable, within
from decoct.index.searchable import rounded
from decoct.text.analysis import ENGLISH, STEMMERS, UNSTEMMED, stems
from decoct_milvus import reading, writing
from decoct_milvus.collections import MOST_ROWS, term, word
from decoct_milvus.connection import Connection, Row, translated

K1, B = 1.2, 0.75
DECIMALS = 5

# Candidates for `k` results: chunks of unfinished writings are among them, and words are scored again.
WIDER, MORE = 2, 50
_NONE = ranking_of([])


def condition_of(at: Connection, where: Where) -> list[list[int]] | None:
    """For each key of a filter the numbers of the values that pass; None where nothing can pass."""
    wanted: list[list[int]] = []
    for name, allowed in where.items():
        passing = _texts(at, name, allowed) if storable(name) else []
        if not passing:
            return None
        wanted.append([term(name, text) for text in passing])
    return wanted


def expression(wanted: Sequence[Sequence[int]]) -> str:
    """A filter as Milvus reads it; empty where everything passes."""
    return " and ".join(f"array_contains_any(terms, {list(one)})" for one in wanted)


def _texts(at: Connection, name: str, allowed: Sequence[str | Range]) -> list[str]:
    found = [one for one in allowed if isinstance(one, str) and storable(one)]
    if ranges := [one for one in allowed if isinstance(one, Range)]:
        values = [row["value"] for row in at.all("values", f"of == {term(name)}", ["value"])]
        found += [value for value in values if any(within(one, value) for one in ranges)]
    return found


def metadata_keys(at: Connection) -> list[str]:
    """The metadata keys that documents have."""
    names = sorted({row["name"] for row in at.all("values", f"of >= {-(1 << 63)}", ["name"])})
    return [name for name in names if at.rows("documents", f"array_contains(terms, {term(name)})", ["id"], 1)]


def languages(at: Connection) -> tuple[str, ...]:
    """The languages as which documents with chunks are stemmed; English where there are none."""
    found: list[str] = []
    while rows := at.rows("documents", f"chunks > 0 and language not in {json.dumps([*found, ''])}", ["language"], 1):
        found.append(rows[0]["language"])
    spoken = {code if code in STEMMERS else UNSTEMMED for code in found}
    return tuple(code for code in (*STEMMERS, UNSTEMMED) if code in spoken) or ENGLISH


def frequencies(at: Connection, asked: Sequence[str]) -> tuple[Keys, int]:
    """In how many chunks each stem stands, and how many chunks there are."""
    if not at.has("chunks"):
        return np.zeros(len(asked), np.int64), 0
    words = [word(stem) for stem in asked]
    if at.location.is_file:
        return _frequencies_in_file(at, words)
    found = [at.count("chunks", f"text_match(words, '{one}')") for one in words]
    return np.array(found, np.int64), at.count("chunks")


def _frequencies_in_file(at: Connection, words: Sequence[str]) -> tuple[Keys, int]:
    """`frequencies` by reading the words of every chunk: milvus-lite reads and cuts them all anew for each `text_match`."""
    held: Counter[str] = Counter()
    chunks = 0
    for row in at.all("chunks", "key >= 0", ["words"]):
        chunks += 1
        held.update(set(words).intersection(row["words"].split()))
    return np.array([held[one] for one in words], np.int64), chunks


def lexical(at: Connection, text: str, k: int, where: Where) -> Ranking:
    """At most `k` keys by BM25, best first, ties by key."""
    filtering = condition_of(at, where)
    asked = Counter(stems(text, languages(at)))
    if k < 1 or not asked or filtering is None or not at.has("chunks"):
        return _NONE
    held, chunks = frequencies(at, list(asked))
    weights = {
        word(stem): count * math.log(1 + (chunks - n + 0.5) / (n + 0.5))
        for (stem, count), n in zip(asked.items(), held.tolist(), strict=True)
        if n
    }
    rows = _found(
        at, "sparse", " ".join(word(stem) for stem in asked.elements()), k=k, filtering=filtering, columns=["words"]
    )
    rows = [row for row in rows if not weights.keys().isdisjoint(row["words"].split())]
    lengths = at.rows("documents", "chunks > 0", ["chunks", "words"])
    mean = sum(row["words"] for row in lengths) / max(sum(row["chunks"] for row in lengths), 1)
    return _ranking([(row["key"], _bm25(row["words"].split(), weights, mean)) for row in rows], k)


def nearest(at: Connection, vector: Floats, k: int, where: Where) -> Ranking:
    """At most `k` keys by dot product, best first, ties by key."""
    filtering = condition_of(at, where)
    width = writing.shape_of(at).get("dimension", 0)
    if k < 1 or not width or filtering is None:
        return _NONE
    if len(vector) != width:
        raise StoreError(
            f"the vector asked for has {len(vector)} numbers, the library's have {width}; use the embedder it was built with"
        )
    rows = _found(at, "vector", vector.tolist(), k=k, filtering=filtering, columns=["vector"])
    return _ranking([(row["key"], float(np.dot(np.asarray(row["vector"], np.float32), vector))) for row in rows], k)


def mentioned_in(at: Connection, names: Sequence[int], most: int, least: int) -> Mentions:
    """The chunks that mention the names which `least` to `most` chunks mention, and the counts of all."""
    wanted = set(names)
    rows: list[Row] = []
    if wanted and at.has("chunks"):
        rows = _naming(at, "chunks", "mentions", sorted(wanted), ["key", "document"])
    known = reading.document_rows(at, [row["document"] for row in rows])
    pairs = sorted(
        (name, row["key"]) for row in rows if row["document"] in known for name in wanted.intersection(row["mentions"])
    )
    counts = Counter(name for name, _ in pairs)
    table = np.array([pair for pair in pairs if least <= counts[pair[0]] <= most], np.int64).reshape(-1, 2)
    return Mentions(table[:, 0], table[:, 1], {int(name): counts[name] for name in names})


def chunks_known_by(at: Connection, names: Sequence[int], most: int) -> Named:
    """The chunks of the documents known by the names by which at most `most` are."""
    wanted = set(names)
    rows = _naming(at, "documents", "names", sorted(wanted), ["number", "chunks", "strengths"]) if wanted else []
    found = [
        (name, row["number"], row["chunks"], strength)
        for row in rows
        for name, strength in zip(row["names"], row["strengths"], strict=True)
        if name in wanted
    ]
    counts = Counter(name for name, *_ in found)
    triples = sorted(
        (name, number + place, strength)
        for name, number, chunks, strength in found
        if counts[name] <= most
        for place in range(chunks)
    )
    return Named(
        np.array([name for name, _, _ in triples], np.int64),
        np.array([key for _, key, _ in triples], np.int64),
        np.array([strength for _, _, strength in triples], np.float32),
    )


def passing(at: Connection, keys: Sequence[int], where: Where) -> Mask:
    """Which chunks exist and pass the filter."""
    rows = reading.chunk_rows(at, keys, ["terms"])
    filtering = condition_of(at, where)
    if filtering is None:
        return np.zeros(len(keys), np.bool_)
    wanted = [set(values) for values in filtering]
    return np.array(
        [key in rows and all(not one.isdisjoint(rows[key][0]["terms"]) for one in wanted) for key in keys], np.bool_
    )


def _naming(at: Connection, table: str, column: str, names: Sequence[int], columns: Sequence[str]) -> list[Row]:
    """Every row of `table` whose `column` holds one of `names`, a page at a time."""
    found: list[Row] = []
    rows = at.rows(table, f"array_contains_any({column}, {list(names)})", [column, *columns])
    if len(rows) < MOST_ROWS:
        return rows
    for name in names:  # too many at once: name by name, and those that are too many even so by the iterator
        found += at.all(table, f"array_contains({column}, {name})", [column, *columns])
    return list({(row.get("key"), row.get("number")): row for row in found}.values())


def _found(
    at: Connection, field: str, asked: object, *, k: int, filtering: Sequence[Sequence[int]], columns: Sequence[str]
) -> list[Row]:
    """The rows of the candidates that stand in a document."""
    wanted = min(WIDER * k + MORE, MOST_ROWS)
    with translated(at.location):
        hits = at.client.search(
            at.name("chunks"), data=[asked], anns_field=field, limit=wanted, filter=expression(filtering),
            output_fields=["key", "document", *columns], search_params={"params": {"ef": max(wanted, 64)}},
        )[0]  # fmt: skip
    rows = [dict(hit["entity"]) for hit in hits]
    known = reading.document_rows(at, [row["document"] for row in rows])
    return [row for row in rows if row["document"] in known]


def _bm25(words: Sequence[str], weights: Mapping[str, float], mean: float) -> float:
    counts = Counter(words)
    norm = K1 * (1 - B + B * rounded(len(words)) / mean)
    return sum(weight * counts[one] * (K1 + 1) / (counts[one] + norm) for one, weight in weights.items() if counts[one])


def _ranking(scored: Sequence[tuple[int, float]], k: int) -> Ranking:
    best = sorted(
        ((key, round(score, DECIMALS) if k else score) for key, score in scored), key=lambda one: (-one[1], one[0])
    )[:k]
    return ranking_of(best)
