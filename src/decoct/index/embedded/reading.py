"""Reading documents and chunks from SQLite; each function runs inside one read transaction.

Chunks are looked up by `json_each(…) CROSS JOIN`, for the reason told in `names`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Document, Floats, Keys, Range, Span
from decoct.errors import ProvenanceError, UnknownDocumentError
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Signatures, Where
from decoct.index.embedded.border import UndecodableError, stored
from decoct.index.embedded.columns import STORED, place_column, text, texts
from decoct.index.embedded.names import NUMBER
from decoct.index.entries import recorded
from decoct.index.filters import encodable, storable, within

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
        # `json_each` ends texts at a NUL, which `resolved` has taken out.
        clauses.append(
            "number IN (SELECT document FROM metadata WHERE name = ? AND value IN (SELECT value FROM json_each(?)))"
        )
        values += [name, json.dumps(allowed, ensure_ascii=False)]
    return " AND ".join(clauses), values


def number_of(connection: sqlite3.Connection, name: str) -> int:
    """A number that the library keeps of itself (`schema`)."""
    found = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise UndecodableError(f"its {name} is lost")
    return int(found[0])


def tally(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many chunks there are, and the sum of their keys."""
    known = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('chunks', 'keys')"))
    if len(known) == 2:
        return known["chunks"], known["keys"]
    counted = "SELECT coalesce(sum(chunks), 0), coalesce(sum(chunks * first_key + chunks * (chunks - 1) / 2), 0) FROM documents"
    chunks, keys = connection.execute(counted).fetchone()  # a library of the version before, open for reading only
    return chunks, keys


def span_text(connection: sqlite3.Connection, span: Span) -> str:
    """The text a span points at."""
    found = _row(connection, "number, characters", span.doc_id)
    if found is None:
        raise _unknown(span.doc_id)
    number, characters = found
    if span.end > characters:
        raise ProvenanceError(f"{span} reaches past the document's {characters} characters; was the document replaced?")
    return text(connection, number, span.start, span.end)


@stored
def document(connection: sqlite3.Connection, doc_id: str) -> Document:
    """The whole document, as it was put."""
    found = _row(connection, "number, characters, title, source, metadata, names, headings, links", doc_id)
    if found is None:
        raise _unknown(doc_id)
    number, characters, title, source, metadata, names, headings, links = found
    kept = [title, source, *(json.loads(part) for part in (metadata, names, headings, links))]
    return recorded(doc_id, text(connection, number, 0, characters), kept)


@stored
def listing(connection: sqlite3.Connection, where: Where, after: str | None, most: int) -> list[DocumentInfo]:
    """Up to `most` documents with ids greater than `after`, in the order of ids."""
    condition, values = condition_of(resolved(connection, where))
    rows = connection.execute(
        f"SELECT id, title, source, characters, chunks, metadata FROM documents WHERE {condition} "  # noqa: S608 - placeholders only
        "AND (? IS NULL OR id > ?) ORDER BY id LIMIT ?",
        (*values, after, after, most),
    )
    return [
        DocumentInfo(doc_id, title, source, characters, count, json.loads(metadata))
        for doc_id, title, source, characters, count, metadata in rows
    ]


def digests(connection: sqlite3.Connection, doc_ids: Sequence[str]) -> dict[str, str]:
    """The digest of each stored document."""
    found = (_row(connection, "id, digest", doc_id) for doc_id in dict.fromkeys(doc_ids))
    return dict(row for row in found if row is not None)


@stored
def with_digests(connection: sqlite3.Connection, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The ids by the beginning of their digest, all of `starts` in one pass over the documents; hexadecimal digits are safe in JSON."""
    found: dict[str, tuple[str, ...]] = {}
    if not starts:
        return found
    for start, doc_id in connection.execute(
        "SELECT substr(digest, 1, ?), id FROM documents WHERE substr(digest, 1, ?) IN (SELECT value FROM json_each(?)) ORDER BY id",
        (len(starts[0]), len(starts[0]), json.dumps(list(starts), ensure_ascii=False)),
    ):
        found[start] = (*found.get(start, ()), doc_id)
    return found


@stored
def chunks(connection: sqlite3.Connection, keys: Sequence[int]) -> list[Chunk]:
    """The chunks of `keys` in that order; one that no longer exists is left out."""
    rows = connection.execute(
        f"SELECT chunks.key, number, documents.id, first, past, coalesce(chunks.title, documents.title), {place_column(connection)} "  # noqa: S608
        "FROM json_each(?) "
        "CROSS JOIN chunks ON chunks.key = value JOIN documents ON documents.number = chunks.document",
        (json.dumps(list(keys)),),
    ).fetchall()
    found_texts = texts(connection, [(number, first, past) for _, number, _, first, past, *_ in rows])
    found = {
        key: Chunk(Span(doc_id, first, past), words, title, key, place)
        for (key, _, doc_id, first, past, title, place), words in zip(rows, found_texts, strict=True)
    }
    return [found[key] for key in keys if key in found]


def chunk_keys(connection: sqlite3.Connection, doc_id: str) -> Keys:
    """The keys of a document's chunks in text order."""
    first, count = _row(connection, "first_key, chunks", doc_id) or (0, 0)
    return np.arange(first, first + count, dtype=np.int64)


def places(connection: sqlite3.Connection, keys: Keys | Sequence[int]) -> list[ChunkPlace | None]:
    """The document and place of each chunk; None for a key that does not exist."""
    keys = integers(keys)
    found = _of_chunks(connection, "documents.id, chunks.key - first_key", keys)
    return [ChunkPlace(*found[key]) if key in found else None for key in keys]


@stored
def vectors(connection: sqlite3.Connection, keys: Sequence[int]) -> Floats:
    """One row a key, zeros where there is none; shape (len(keys), 0) in a library without vectors."""
    return _rows(connection, "vector", STORED, "dimension", keys).astype(np.float32)


@stored
def signatures(connection: sqlite3.Connection, keys: Sequence[int]) -> Signatures:
    """One row a key, zeros where there is none; shape (len(keys), 0) in a library without signatures."""
    return _rows(connection, "signature", np.dtype(np.uint8), "width", keys)


def _rows(
    connection: sqlite3.Connection, column: str, kind: np.dtype[Any], length: str, keys: Sequence[int]
) -> NDArray[Any]:
    found = connection.execute("SELECT value FROM meta WHERE name = ?", (length,)).fetchone()
    rows = np.zeros((len(keys), found[0] if found else 0), dtype=kind)
    asked = f"SELECT vectors.key, {column} FROM json_each(?) CROSS JOIN vectors ON vectors.key = value"  # noqa: S608 - fixed columns
    stored = dict(connection.execute(asked, (json.dumps(list(keys)),)))
    for at, key in enumerate(keys):
        if key in stored:
            rows[at] = np.frombuffer(stored[key], dtype=kind)
    return rows


def traits(connection: sqlite3.Connection, keys: Sequence[int]) -> list[bytes]:
    """The bytes that came with each chunk; empty for a key that does not exist."""
    found = _of_chunks(connection, "traits", keys)
    return [found[key][0] or b"" if key in found else b"" for key in keys]


def owners(connection: sqlite3.Connection, keys: Keys | Sequence[int]) -> Keys:
    """The number of each chunk's document; -1 for a key that does not exist."""
    keys = integers(keys)
    found = _of_chunks(connection, "document", keys)
    return np.array([found.get(key, (-1,)) for key in keys], dtype=np.int64).ravel()


def extents(connection: sqlite3.Connection, keys: Keys | Sequence[int]) -> Keys:
    """First key and key after the last of each chunk's document, shape (n, 2); (0, 0) for a key that does not exist."""
    keys = integers(keys)
    found = _of_chunks(connection, "first_key, first_key + documents.chunks", keys)
    return np.array([found.get(key, (0, 0)) for key in keys], dtype=np.int64).reshape(-1, 2)


def integers(keys: Keys | Sequence[int]) -> list[int]:
    """`keys` as Python's numbers, which JSON takes."""
    return keys.tolist() if isinstance(keys, np.ndarray) else [int(key) for key in keys]


def existing(connection: sqlite3.Connection, keys: Sequence[int]) -> set[int]:
    """Those of `keys` that are chunks of a stored document."""
    return set(_of_chunks(connection, "1", keys))


def _of_chunks(connection: sqlite3.Connection, columns: str, keys: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """`columns` of the chunks that exist and of their documents, by key; SQLite leaves the documents alone where none is of them."""
    rows = connection.execute(
        f"SELECT chunks.key, {columns} FROM json_each(?) CROSS JOIN chunks ON chunks.key = value "  # noqa: S608 - fixed columns
        "LEFT JOIN documents ON documents.number = chunks.document",
        (json.dumps(list(keys)),),
    )
    return {key: tuple(found) for key, *found in rows}


def key_ranges(connection: sqlite3.Connection, where: Where) -> Keys:
    """First key and number of chunks of each document that passes `where`, by first key; shape (documents, 2)."""
    condition, values = condition_of(resolved(connection, where))
    rows = connection.execute(
        f"SELECT first_key, chunks FROM documents WHERE {condition} AND chunks > 0 ORDER BY first_key",  # noqa: S608 - placeholders only
        values,
    ).fetchall()
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def numbers(connection: sqlite3.Connection, where: Where) -> Keys:
    """The numbers of the documents that pass `where`."""
    condition, values = condition_of(resolved(connection, where))
    rows = connection.execute(f"SELECT number FROM documents WHERE {condition}", values)  # noqa: S608 - placeholders only
    return np.fromiter((number for (number,) in rows), dtype=np.int64)


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether there is no document."""
    return connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None


def settings(connection: sqlite3.Connection) -> dict[str, str]:
    """How the library was built."""
    return dict(connection.execute("SELECT name, value FROM settings ORDER BY name"))


def counts(connection: sqlite3.Connection) -> Mapping[str, int]:
    """How many documents, chunks and names there are, and the sequence number."""
    documents, number = connection.execute("SELECT count(*), coalesce(sum(chunks), 0) FROM documents").fetchone()
    names = connection.execute("SELECT count(*) FROM names").fetchone()[0]
    generation = connection.execute("SELECT coalesce(max(value), 0) FROM meta WHERE name = 'generation'").fetchone()[0]
    sequence = number_of(connection, "sequence")
    return {"documents": documents, "chunks": number, "names": names, "sequence": sequence, "generation": generation}


def _row(connection: sqlite3.Connection, columns: str, doc_id: str) -> Any:  # noqa: ANN401 - a tuple of the columns, or None
    if not encodable(doc_id):  # SQLite would refuse it, and no document has it
        return None
    return connection.execute(f"SELECT {columns} FROM documents WHERE id = ?", (doc_id,)).fetchone()  # noqa: S608


def _unknown(doc_id: str) -> UnknownDocumentError:
    return UnknownDocumentError(f"the library has no document {doc_id!r}; `decoct documents list` shows what it has")


def entries(connection: sqlite3.Connection, doc_ids: Sequence[str]) -> list[Entry]:
    """Everything of the documents that are stored, in that order."""
    found = (_entry(connection, doc_id) for doc_id in doc_ids)
    return [entry for entry in found if entry is not None]


@stored
def _entry(connection: sqlite3.Connection, doc_id: str) -> Entry | None:
    found = digests(connection, [doc_id])
    if doc_id not in found:
        return None
    keys = chunk_keys(connection, doc_id).tolist()
    (number, packed) = connection.execute("SELECT number, known_as FROM documents WHERE id = ?", (doc_id,)).fetchone()
    known = np.frombuffer(packed, dtype=NUMBER).tolist() if packed is not None else []
    strength = "SELECT strength FROM known_as WHERE name = ? AND document = ?"
    blobs: dict[int, bytes] = (
        dict(
            connection.execute(
                "SELECT key, mentions FROM chunks WHERE key BETWEEN ? AND ? AND mentions IS NOT NULL",
                (keys[0], keys[-1]),
            )
        )
        if keys
        else {}
    )
    marks = signatures(connection, keys)
    return Entry(
        document(connection, doc_id),
        tuple(chunks(connection, keys)),
        vectors(connection, keys),
        found[doc_id],
        tuple((name, float(connection.execute(strength, (name, number)).fetchone()[0])) for name in known),
        tuple(tuple(np.frombuffer(blobs.get(key, b""), dtype=NUMBER).tolist()) for key in keys),
        tuple(traits(connection, keys)),
        marks if marks.shape[1] else None,
    )
