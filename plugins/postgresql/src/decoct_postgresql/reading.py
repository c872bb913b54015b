"""Reading documents and chunks; each function runs inside one read transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from decoct.data import Chunk, Document, Keys, Span
from decoct.errors import DamagedStoreError, ProvenanceError, UnknownDocumentError
from decoct.index.abilities import StoreState
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Mask, Signatures, Status
from decoct.index.entries import recorded
from decoct.index.filters import storable
from decoct_postgresql import nearest, opening
from decoct_postgresql.filtering import Texts, condition_of
from decoct_postgresql.schema import PART, PLACES

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

# What is greater than every text that begins as another does.
_LAST = "\U0010ffff"


def document(connection: Connection, doc_id: str) -> Document:
    """The whole document, as it was put."""
    number, characters, record = _row(connection, "number, characters, record", doc_id) or (0, 0, None)
    if record is None:
        raise _unknown(doc_id)
    return recorded(doc_id, text(connection, number, 0, characters), json.loads(record))


def text(connection: Connection, number: int, start: int, end: int) -> str:
    """Characters `start` to `end` of document `number`: reads the parts they lie in, no more."""
    first = start // PART
    rows = connection.execute(
        "SELECT text FROM texts WHERE document = %s AND part BETWEEN %s AND %s ORDER BY part",
        (number, first, max(end - 1, 0) // PART),
    ).fetchall()
    return _cut([bytes(part) for (part,) in rows], number, start, end)


def span_text(connection: Connection, span: Span) -> str:
    """The text a span points at."""
    found = _row(connection, "number, characters", span.doc_id)
    if found is None:
        raise _unknown(span.doc_id)
    number, characters = found
    if span.end > characters:
        raise ProvenanceError(f"{span} reaches past the document's {characters} characters; was the document replaced?")
    return text(connection, number, span.start, span.end)


def listing(connection: Connection, where: Texts, after: str | None, most: int) -> list[DocumentInfo]:
    """Up to `most` documents with ids greater than `after`, in the order of ids."""
    condition, values = condition_of(where)
    begin, given = ("", []) if after is None else ("AND id > %s", [after])
    rows = connection.execute(
        f"SELECT id, characters, chunks, listed FROM documents WHERE {condition} {begin} ORDER BY id LIMIT %s",
        (*values, *given, most),
    ).fetchall()
    found = []
    for doc_id, characters, count, listed in rows:
        title, source, metadata = json.loads(listed)
        found.append(DocumentInfo(doc_id, title, source, characters, count, metadata))
    return found


def digests(connection: Connection, doc_ids: Sequence[str]) -> dict[str, str]:
    """The digest of each stored document."""
    asked = [one for one in doc_ids if storable(one)]
    return dict(connection.execute("SELECT id, digest FROM documents WHERE id = ANY(%s)", (asked,)).fetchall())


def with_digests(connection: Connection, starts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The ids by the beginning of their digest."""
    found: dict[str, tuple[str, ...]] = {}
    rows = connection.execute(
        "SELECT start, id FROM unnest(%s::text[]) AS asked (start) "
        'JOIN documents ON digest >= start COLLATE "C" AND digest < start || %s COLLATE "C" ORDER BY id',
        (list(dict.fromkeys(one for one in starts if storable(one))), _LAST),
    )
    for start, doc_id in rows:
        found[start] = (*found.get(start, ()), doc_id)
    return found


def chunks(connection: Connection, keys: Sequence[int]) -> list[Chunk]:
    """The chunks of `keys` in that order; one that no longer exists is left out."""
    rows = connection.execute(
        "SELECT key, id, first, past, c.title, c.place, listed, "
        "(SELECT array_agg(text ORDER BY part) FROM texts WHERE document = number "
        f"AND part BETWEEN first / {PART} AND (past - 1) / {PART}) "
        f"FROM chunks c JOIN documents ON number = key >> {PLACES} WHERE key = ANY(%s)",
        (list(keys),),
    ).fetchall()
    found: dict[int, Chunk] = {}
    for key, doc_id, first, past, own, place, listed, parts in rows:
        title = json.loads(listed)[0] if own is None else json.loads(own)
        words = _cut([bytes(part) for part in parts or ()], key >> PLACES, first, past)
        found[key] = Chunk(Span(doc_id, first, past), words, title, key, json.loads(place) if place else "")
    return [found[key] for key in keys if key in found]


def chunk_keys(connection: Connection, doc_id: str) -> Keys:
    """The keys of a document's chunks in text order."""
    number, count = _row(connection, "number, chunks", doc_id) or (0, 0)
    return np.arange(number << PLACES, (number << PLACES) + count, dtype=np.int64)


def places(connection: Connection, keys: Sequence[int]) -> list[ChunkPlace | None]:
    """The document and place of each chunk; a key says which, if its document is there and has so many."""
    rows = connection.execute(
        "SELECT number, id, chunks FROM documents WHERE number = ANY(%s)", ([key >> PLACES for key in keys],)
    )
    known = {number: (doc_id, count) for number, doc_id, count in rows}
    found: list[ChunkPlace | None] = []
    for key in keys:
        doc_id, count = known.get(key >> PLACES, ("", 0))
        at = key - (key >> PLACES << PLACES)
        found.append(ChunkPlace(doc_id, at) if at < count else None)
    return found


def signatures(connection: Connection, keys: Sequence[int]) -> Signatures:
    """One row a key, zeros where there is none; shape (n, 0) in a library without signatures."""
    found = connection.execute("SELECT value FROM meta WHERE name = 'width'").fetchone()
    rows = np.zeros((len(keys), int(found[0]) if found else 0), dtype=np.uint8)
    stored = _by_key(connection, "signature", keys)
    for at, key in enumerate(keys):
        if stored.get(key):
            rows[at] = np.frombuffer(stored[key], dtype=np.uint8)
    return rows


def traits(connection: Connection, keys: Sequence[int]) -> list[bytes]:
    """The bytes that came with each chunk; empty for a key that does not exist."""
    found = _by_key(connection, "traits", keys)
    return [bytes(found.get(key, b"")) for key in keys]


def extents(connection: Connection, keys: Sequence[int]) -> Keys:
    """First key and key after the last of each chunk's document, shape (n, 2); (0, 0) for a key that does not exist."""
    counts = dict(
        connection.execute(
            "SELECT number, chunks FROM documents WHERE number = ANY(%s)", ([key >> PLACES for key in keys],)
        ).fetchall()
    )
    found = []
    for key in keys:
        first = key >> PLACES << PLACES
        count = counts.get(key >> PLACES, 0)
        found.append((first, first + count) if key - first < count else (0, 0))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def passing(connection: Connection, keys: Sequence[int], where: Texts) -> Mask:
    """Which chunks exist and pass the filter."""
    condition, values = condition_of(where)
    rows = connection.execute(
        f"SELECT number, chunks FROM documents WHERE number = ANY(%s) AND {condition}",
        ([key >> PLACES for key in keys], *values),
    ).fetchall()
    counts = dict(rows)
    return np.array([key - (key >> PLACES << PLACES) < counts.get(key >> PLACES, 0) for key in keys], dtype=np.bool_)


def entry(connection: Connection, doc_id: str) -> Entry | None:
    """Everything that was put of a document; None if there is none of that id."""
    found = _row(connection, "digest, names, strengths", doc_id)
    if found is None:
        return None
    digest, names, strengths = found
    keys = chunk_keys(connection, doc_id)
    rows = dict(connection.execute("SELECT key, mentions FROM chunks WHERE key = ANY(%s)", (keys.tolist(),)).fetchall())
    marks = signatures(connection, keys.tolist())
    return Entry(
        document(connection, doc_id),
        tuple(chunks(connection, keys.tolist())),
        nearest.stored_vectors(connection, keys),
        digest,
        tuple(zip(names, strengths, strict=True)),
        tuple(tuple(rows.get(key, ())) for key in keys.tolist()),
        tuple(traits(connection, keys.tolist())),
        marks if marks.shape[1] else None,
    )


def kept_sum(connection: Connection, doc_id: str) -> bytes:
    """The digest of everything of a document, made when it was put; empty if it is gone."""
    (kept,) = _row(connection, "sum", doc_id) or (b"",)
    return bytes(kept)


def state(connection: Connection) -> StoreState:
    """The library's name and how many changes are committed."""
    (library, sequence) = connection.execute(
        "SELECT (SELECT value FROM meta WHERE name = 'library'), (SELECT sum(value)::bigint FROM tallies WHERE what = 'sequence')"
    ).fetchone() or ("", 0)
    return StoreState(library or "", 0, sequence or 0)


def status(connection: Connection) -> Status:
    """Counts, settings, and the bytes of all tables and indexes."""
    tallies = dict(connection.execute("SELECT what, sum(value)::bigint FROM tallies GROUP BY what").fetchall())
    names, size = connection.execute(
        "SELECT (SELECT count(*) FROM (SELECT FROM names GROUP BY name HAVING sum(chunks) > 0 OR sum(documents) > 0) AS used), "
        "(SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace IN (SELECT oid FROM pg_namespace "
        "WHERE nspname = current_schema() OR starts_with(nspname, current_schema() || '.')))"
    ).fetchone() or (0, 0)
    (library,) = connection.execute("SELECT value FROM meta WHERE name = 'library'").fetchone() or ("",)
    return Status(
        documents=tallies.get("documents", 0),
        chunks=tallies.get("chunks", 0),
        names=names,
        bytes=size,
        settings=opening.settings(connection),
        sequence=tallies.get("sequence", 0),
        derived=dict.fromkeys(
            ("words", "vectors"), tallies.get("sequence", 0)
        ),  # in the same transaction, so they never lag
        library=library,
    )


def integers(keys: Keys | Sequence[int]) -> list[int]:
    """`keys` as Python's numbers."""
    return keys.tolist() if isinstance(keys, np.ndarray) else [int(key) for key in keys]


def _cut(parts: Sequence[bytes], number: int, start: int, end: int) -> str:
    offset = start // PART * PART
    try:
        found = "".join(part.decode("utf-8", "surrogatepass") for part in parts)[start - offset : end - offset]
    except UnicodeDecodeError as error:
        raise DamagedStoreError(f"the text of document number {number} cannot be read ({error})") from error
    if len(found) != end - start:
        raise DamagedStoreError(f"document number {number} has lost characters {start} to {end}; restore a backup")
    return found


def _by_key(connection: Connection, column: str, keys: Sequence[int]) -> dict[int, bytes]:
    return dict(connection.execute(f"SELECT key, {column} FROM chunks WHERE key = ANY(%s)", (list(keys),)).fetchall())


def _row(connection: Connection, columns: str, doc_id: str) -> Any:  # noqa: ANN401 - a tuple of the columns, or None
    if not storable(doc_id):  # PostgreSQL would refuse it, and no document has it
        return None
    return connection.execute(f"SELECT {columns} FROM documents WHERE id = %s", (doc_id,)).fetchone()


def _unknown(doc_id: str) -> UnknownDocumentError:
    return UnknownDocumentError(f"the library has no document {doc_id!r}; `decoct documents list` shows what it has")
