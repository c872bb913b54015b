"""Reading documents and chunks. Only chunks of the number that their document's row names are there (`document_rows`)."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence

import numpy as np

from decoct.data import Chunk, Document, Floats, Keys, Span
from decoct.errors import DamagedStoreError, ProvenanceError, UnknownDocumentError
from decoct.index.base import ChunkPlace, DocumentInfo, Entry, Signatures, Status
from decoct.index.entries import recorded
from decoct.index.filters import storable
from decoct_milvus import writing
from decoct_milvus.collections import PART, term
from decoct_milvus.connection import Connection, Row

# A document that is replaced while it is read is read again.
_TRIES = 5
_RECORD_HEAD = 20  # characters that hold the length of the record and its line break


def row_of(at: Connection, doc_id: str, columns: Sequence[str]) -> Row | None:
    """The document's row; None if there is none."""
    if not storable(doc_id):
        return None
    rows = at.rows("documents", f"key == {term(doc_id)}", ["id", *columns])
    return rows[0] if rows and rows[0]["id"] == doc_id else None


def document_rows(at: Connection, numbers: Sequence[int], columns: Sequence[str] = ()) -> dict[int, Row]:
    """The rows of the documents that are there under one of `numbers`, by number."""
    return {row["number"]: row for row in at.among("documents", "number", numbers, ["number", *columns])}


def chunk_rows(
    at: Connection, keys: Sequence[int], columns: Sequence[str], of: Sequence[str] = ()
) -> dict[int, tuple[Row, Row]]:
    """The rows of the chunks that are there and of their documents, by key."""
    if not keys or not at.has("chunks"):
        return {}
    rows = at.among("chunks", "key", keys, ["key", "document", *columns])
    known = document_rows(at, [row["document"] for row in rows], of)
    return {row["key"]: (row, known[row["document"]]) for row in rows if row["document"] in known}


def document(at: Connection, doc_id: str) -> Document:
    """The whole document, as it was put."""
    for _ in range(_TRIES):
        if (row := row_of(at, doc_id, ["number", "characters"])) is None:
            raise _unknown(doc_id)
        whole = "".join(_parts(at, row["number"]).values())
        size, _, rest = whole.partition("\n")
        if size.isdigit() and len(rest) == int(size) + row["characters"]:
            return recorded(doc_id, rest[int(size) :], json.loads(rest[: int(size)]))
    raise _lost(doc_id)


def span_text(at: Connection, span: Span) -> str:
    """The text a span points at."""
    for _ in range(_TRIES):
        if (row := row_of(at, span.doc_id, ["number", "characters"])) is None:
            raise _unknown(span.doc_id)
        if span.end > row["characters"]:
            raise ProvenanceError(
                f"{span} reaches past the document's {row['characters']} characters; was the document replaced?"
            )
        if (text := texts(at, [(row["number"], span.start, span.end)])[0]) is not None:
            return text
    raise _lost(span.doc_id)


def texts(at: Connection, wanted: Sequence[tuple[int, int, int]]) -> list[str | None]:
    """Texts by number, start and end; None where a part is not there (any more).

    Reads the parts that they lie in, and the first of each document for where its text begins.
    """
    numbers = list(dict.fromkeys(number for number, _, _ in wanted))
    known = {row["key"]: row["text"] for row in at.among("parts", "key", numbers, ["key", "text"])}
    begins = {number: _begin(known[number]) for number in numbers if number in known}
    ranges = [(number, begins.get(number, 0) + start, begins.get(number, 0) + end) for number, start, end in wanted]
    needed = {number + part for number, start, end in ranges for part in range(start // PART, (end - 1) // PART + 1)}
    others = at.among("parts", "key", sorted(needed - known.keys()), ["key", "text"])
    known |= {row["key"]: row["text"] for row in others}
    found: list[str | None] = []
    for number, start, end in ranges:
        parts = (known.get(number + part, "") for part in range(start // PART, (end - 1) // PART + 1))
        offset = start // PART * PART
        text = "".join(parts)[start - offset : end - offset]
        found.append(text if number in begins and len(text) == end - start else None)
    return found


def listing(at: Connection, condition: str) -> list[str]:
    """The ids of the documents for which `condition` holds, sorted."""
    return sorted(row["id"] for row in at.all("documents", condition, ["id"]))


def infos(at: Connection, doc_ids: Sequence[str]) -> list[DocumentInfo]:
    """What a listing tells of documents, in the order of `doc_ids`."""
    rows = {
        row["id"]: row
        for row in at.among(
            "documents", "key", [term(one) for one in doc_ids], ["id", "characters", "chunks", "listed"]
        )
    }
    found = []
    for doc_id in doc_ids:
        if (row := rows.get(doc_id)) is not None:
            title, source, metadata = json.loads(row["listed"])
            found.append(DocumentInfo(doc_id, title, source, row["characters"], row["chunks"], metadata))
    return found


def chunks(at: Connection, keys: Sequence[int]) -> list[Chunk]:
    """The chunks of `keys` in that order; one that no longer exists is left out."""
    rows = chunk_rows(at, keys, ["first", "past", "title"], ["id"])
    there = [key for key in keys if key in rows]
    wanted = [(rows[key][0]["document"], rows[key][0]["first"], rows[key][0]["past"]) for key in there]
    found = []
    gone: dict[int, str] = {}
    for key, text in zip(there, texts(at, wanted), strict=True):
        row, owner = rows[key]
        if text is None:  # the document was replaced between two look-ups, or is damaged
            gone[row["document"]] = owner["id"]
            continue
        title, place = writing.title_and_place(row["title"])
        found.append(Chunk(Span(owner["id"], row["first"], row["past"]), text, title, key, place))
    if still := document_rows(at, list(gone)):
        raise _lost(gone[next(iter(still))])
    return found


def places(at: Connection, keys: Sequence[int]) -> list[ChunkPlace | None]:
    """The document and place of each chunk."""
    rows = chunk_rows(at, keys, [], ["id"])
    return [ChunkPlace(rows[key][1]["id"], key - rows[key][1]["number"]) if key in rows else None for key in keys]


def vectors(at: Connection, keys: Sequence[int]) -> Floats:
    """One row a key, zeros where there is none; shape (n, 0) in a library without vectors."""
    rows = chunk_rows(at, keys, ["vector"])
    found = np.zeros((len(keys), writing.shape_of(at).get("dimension", 0)), np.float32)
    for place, key in enumerate(keys):
        if key in rows:
            found[place] = rows[key][0]["vector"]
    return found


def traits(at: Connection, keys: Sequence[int]) -> list[bytes]:
    """The bytes that came with each chunk; empty for a key that does not exist."""
    rows = chunk_rows(at, keys, ["traits"])
    return [b64decode(rows[key][0]["traits"]) if key in rows else b"" for key in keys]


def signatures(at: Connection, keys: Sequence[int]) -> Signatures:
    """One row a key, zeros where there is none; shape (n, 0) in a library without signatures."""
    rows = chunk_rows(at, keys, ["signature"])
    found = np.zeros((len(keys), writing.shape_of(at).get("width", 0)), np.uint8)
    for place, key in enumerate(keys):
        if key in rows and rows[key][0]["signature"]:
            found[place] = np.frombuffer(b64decode(rows[key][0]["signature"]), np.uint8)
    return found


def extents(at: Connection, keys: Sequence[int]) -> Keys:
    """First key and key after the last of each chunk's document, shape (n, 2); (0, 0) for a key that does not exist."""
    rows = chunk_rows(at, keys, [], ["chunks"])
    owners = [rows[key][1] if key in rows else {"number": 0, "chunks": 0} for key in keys]
    return np.array([(one["number"], one["number"] + one["chunks"]) for one in owners], np.int64).reshape(-1, 2)


def entry(at: Connection, doc_id: str) -> Entry | None:
    """Everything that was put of a document; None if there is none of that id."""
    row = row_of(at, doc_id, ["number", "chunks", "digest", "names", "strengths"])
    if row is None:
        return None
    keys = list(range(row["number"], row["number"] + row["chunks"]))
    mentions = {key: one["mentions"] for key, (one, _) in chunk_rows(at, keys, ["mentions"]).items()}
    marks = signatures(at, keys)
    return Entry(
        document(at, doc_id), tuple(chunks(at, keys)), vectors(at, keys), row["digest"],
        tuple(zip(row["names"], row["strengths"], strict=True)), tuple(tuple(mentions[key]) for key in keys), tuple(traits(at, keys)),
        marks if marks.shape[1] else None,
    )  # fmt: skip


def status(at: Connection, settings: Mapping[str, str]) -> Status:
    """Counts and settings; names and words are counted by reading every row, so this is not for every question."""
    documents = list(at.all("documents", "number >= 0", ["chunks", "names", "number"]))
    names = {name for row in documents for name in row["names"]}
    numbers = {row["number"] for row in documents}
    if at.has("chunks"):
        for row in at.all("chunks", "key >= 0", ["document", "mentions"]):
            if row["document"] in numbers:
                names.update(row["mentions"])
    return Status(
        documents=len(documents),
        chunks=sum(row["chunks"] for row in documents),
        bytes=0,
        settings=writing.settings_of(at) or settings,
        names=len(names),
        derived={"words": 0, "vectors": 0},  # of no change later than the documents: changes are not counted
        library=at.location.library,
    )


def _parts(at: Connection, number: int) -> dict[int, str]:
    rows = at.all("parts", f"document == {number}", ["key", "text"])
    return dict(sorted((row["key"], row["text"]) for row in rows))


def _begin(first: str) -> int:
    head, _, _ = first[:_RECORD_HEAD].partition("\n")
    return len(head) + 1 + int(head)


def _lost(doc_id: str) -> DamagedStoreError:
    return DamagedStoreError(f"document {doc_id!r} has lost a part of its text; delete it and ingest it again")


def _unknown(doc_id: str) -> UnknownDocumentError:
    return UnknownDocumentError(f"the library has no document {doc_id!r}; `decoct documents list` shows what it has")
