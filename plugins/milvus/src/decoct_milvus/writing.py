"""Putting and deleting documents: chunks and parts first, the document's own row last, what it replaces afterwards."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from decoct.data import Chunk
from decoct.errors import CorpusError, StaleIndexError, StoreError
from decoct.index.base import Entry
from decoct.index.entries import digest_of, record_of
from decoct.index.filters import as_pairs, encodable, storable
from decoct.index.searchable import searched
from decoct.text.analysis import stems
from decoct.text.languages import AUTO, stemmed_as
from decoct_milvus import collections
from decoct_milvus.collections import LONGEST, MANY, PART, Numbers, term, word
from decoct_milvus.connection import Connection, Row

_NOTHING = [0.0, 1.0]

# What the collections hold and how; a later version that changes it counts on, and refuses what is newer than itself.
SCHEMA = 2  # 1: chunks without the headings above them

# Rows of `state`; above them stand the numbers of writings that have not ended.
_SETTINGS, _SHAPE = 1, 2

# Seconds after which what a writing left is taken to be abandoned.
AGE = 600.0


def put(at: Connection, numbers: Numbers, entries: Sequence[Entry], settings: Mapping[str, str]) -> None:
    """Add or replace the documents of `entries`, no two with one id."""
    agree(at, entries, settings)
    language = settings_of(at).get("language", AUTO)
    rows: dict[str, list[Row]] = {"parts": [], "chunks": [], "values": [], "documents": []}
    for entry in entries:
        _rows_of(entry, stemmed_as(entry.document.text, language), numbers, rows)
    new = [row["number"] for row in rows["documents"]]
    note = new[0]  # numbers are positive and far above the keys of settings
    # Noted before it is looked what is replaced: of two writers of one document the one that ends first knows of the other.
    _note(at, note, new, [])
    if old := _numbers_of(at, [entry.document.id for entry in entries]):
        _note(at, note, new, old)
    for table in ("parts", "chunks", "values", "documents"):
        if rows[table]:
            at.put(table, rows[table])
    forget(at, old)
    if not _others(at, note):
        at.remove("state", "key", [note])


def delete(at: Connection, doc_ids: Sequence[str]) -> int:
    """Remove the documents; return how many there were."""
    known = {term(one): one for one in doc_ids if storable(one)}
    rows = [
        row
        for row in at.among("documents", "key", list(known), ["key", "id", "number"])
        if known[row["key"]] == row["id"]
    ]
    old = [row["number"] for row in rows]
    if rows:
        at.remove("documents", "key", [row["key"] for row in rows])
        forget(at, old)
    return len(rows)


def forget(at: Connection, numbers: Sequence[int]) -> None:
    """Remove chunks and parts that no document's row names any more."""
    if numbers:
        at.remove("parts", "document", numbers)
        if at.has("chunks"):
            at.remove("chunks", "document", numbers)


def sweep(at: Connection, age: float = AGE) -> int:
    """Remove what interrupted writings left, `age` seconds after they began; how many there were."""
    notes = at.rows("state", f"key > {_SHAPE}", ["key", "value"])
    left = [note for note in notes if collections.seconds_since(note["key"]) > age]
    for note in left:
        told = json.loads(note["value"])
        seen = {row["number"] for row in at.among("documents", "number", [*told["new"], *told["old"]], ["number"])}
        forget(at, [number for number in (*told["new"], *told["old"]) if number not in seen])
        at.remove("state", "key", [note["key"]])
    return len(left)


def _note(at: Connection, note: int, new: Sequence[int], old: Sequence[int]) -> None:
    value = json.dumps({"new": list(new), "old": list(old)})
    at.put("state", [{"key": note, "value": value, "nothing": _NOTHING}])


def _others(at: Connection, note: int) -> bool:
    """Whether other writings are noted: one of them may have replaced what this one wrote without knowing of it, which `sweep` finds."""
    return bool(at.rows("state", f"key > {_SHAPE} and key != {note}", ["key"], 1))


def settings_of(at: Connection) -> dict[str, str]:
    """How the library was built; empty before the first put."""
    return dict(_state(at, _SETTINGS))


def shape_of(at: Connection) -> dict[str, int]:
    """The `dimension` of its vectors and the `width` of its signatures, once there are any."""
    return dict(_state(at, _SHAPE))


def agree(at: Connection, entries: Sequence[Entry], settings: Mapping[str, str]) -> None:
    """Hold the library to one way of building it, and its vectors and signatures to one length each."""
    stored, shape, wanted = settings_of(at), shape_of(at), {"schema": SCHEMA, **_shape(entries)}
    if stored.items() >= dict(settings).items() and shape.items() >= wanted.items():
        return
    if at.count("documents") == 0:
        stored, shape = {}, {}
        at.drop("chunks")
    check_settings(at, stored, settings)
    for name, what in (("dimension", "dimensions"), ("width", "signature bytes")):
        if name in shape and name in wanted and shape[name] != wanted[name]:
            raise StoreError(
                f"the documents have vectors of {wanted[name]} {what}, the library's have {shape[name]}; "
                "use the embedder and version that the library was built with"
            )
    shape = {**shape, **wanted}
    if "dimension" in shape and not at.has("chunks"):
        collections.make_chunks(at.client, at.location.library, shape["dimension"], at.location.vectors)
    kept = {_SETTINGS: {**stored, **settings}, _SHAPE: shape}
    at.put("state", [{"key": name, "value": json.dumps(value), "nothing": _NOTHING} for name, value in kept.items()])


def check_schema(at: Connection) -> None:
    """`StoreError` where the library is a newer Decoct's."""
    if (found := shape_of(at).get("schema", SCHEMA)) > SCHEMA:
        raise StoreError(
            f"{at.location} was written by a newer Decoct (schema {found}, this one reads up to {SCHEMA}); update Decoct to open it"
        )


def check_settings(at: Connection, stored: Mapping[str, str], asked: Mapping[str, str]) -> None:
    """`StaleIndexError` where the library was built with other settings than `asked`."""
    differing = [name for name, value in asked.items() if name in stored and stored[name] != value]
    if differing:
        told = "; ".join(f"{name} {stored[name]!r}, not {asked[name]!r}" for name in differing)
        raise StaleIndexError(
            f"the library {at.location} was built with {told}. Open it with those settings, or ingest the sources into a library of "
            "another name"
        )


def _state(at: Connection, key: int) -> dict[str, Any]:
    rows = at.rows("state", f"key == {key}", ["value"])
    found: dict[str, Any] = json.loads(rows[0]["value"]) if rows else {}
    return found


def _numbers_of(at: Connection, doc_ids: Sequence[str]) -> list[int]:
    return [row["number"] for row in at.among("documents", "key", [term(one) for one in doc_ids], ["number"])]


def _shape(entries: Sequence[Entry]) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in entries:
        if entry.chunks:
            width = 0 if entry.signatures is None else entry.signatures.shape[1]
            for name, value in (("dimension", entry.vectors.shape[1]), ("width", width)):
                if found.setdefault(name, value) != value:
                    raise StoreError(
                        f"document {entry.document.id!r} has vectors or signatures of another length than those beside it"
                    )
    return found


def _rows_of(entry: Entry, language: str, numbers: Numbers, rows: Mapping[str, list[Row]]) -> None:
    document, count = entry.document, len(entry.chunks)
    if not (encodable(document.text) and encodable(document.title) and encodable(document.id)):
        raise CorpusError(f"document {document.id!r} holds half a surrogate pair: decode it with errors='replace'")
    # The record goes before the text, both in parts: a value has at most 65,535 bytes.
    record = record_of(document)
    whole = f"{len(record)}\n{record}{document.text}"
    starts = range(0, len(whole), PART)
    number = numbers.next(max(count, len(starts), 1))
    for place, start in enumerate(starts):
        part = {"key": number + place, "document": number, "text": whole[start : start + PART], "nothing": _NOTHING}
        rows["parts"].append(part)
    pairs = as_pairs(document.metadata)
    terms = [term(name) for name in dict.fromkeys(name for name, _ in pairs)] + [term(*pair) for pair in pairs]
    names = dict(entry.names)
    if max(len(terms), len(names)) > MANY:
        raise CorpusError(
            f"document {document.id!r} has more than {MANY} metadata values or names, too many for Milvus"
        )
    rows["values"].extend(
        {"key": term(*pair), "of": term(pair[0]), "name": pair[0], "value": pair[1], "nothing": _NOTHING}
        for pair in pairs
    )
    length = _chunk_rows(entry, number, language, terms, rows["chunks"])
    listed = _short(
        json.dumps([document.title, document.source, dict(document.metadata)], ensure_ascii=False), document.id
    )
    rows["documents"].append(
        {
            "key": term(document.id), "id": _short(document.id, document.id), "number": number, "chunks": count,
            "words": length, "characters": len(document.text),
            "language": language, "digest": _short(entry.digest, document.id), "listed": listed, "sum": digest_of(entry).hex(),
            "terms": terms, "names": list(names), "strengths": list(names.values()), "nothing": _NOTHING,
        }
    )  # fmt: skip


def _chunk_rows(entry: Entry, number: int, language: str, terms: Sequence[int], rows: list[Row]) -> int:
    """Add the rows of the document's chunks; how many words they have."""
    document, length = entry.document, 0
    vectors = np.asarray(entry.vectors, dtype=np.float16).astype(np.float32)  # as precise as in every other store
    marks = entry.signatures if entry.signatures is not None else np.zeros((len(entry.chunks), 0), np.uint8)
    for place, chunk in enumerate(entry.chunks):
        found = Counter(
            stems(
                searched(document, chunk),
                (language,),
            )
        )
        length += found.total()
        mentioned = sorted(set(entry.mentions[place])) if entry.mentions else []
        rows.append(
            {
                "key": number + place, "document": number, "first": chunk.span.start, "past": chunk.span.end,
                "title": _short(_titled(chunk), document.id),
                "traits": _short(_ascii(entry.traits[place] if entry.traits else b""), document.id),
                "signature": _ascii(marks[place].tobytes()), "terms": list(terms), "mentions": mentioned[:MANY],
                "words": _short(" ".join(word(stem) for stem in found.elements()), document.id), "vector": vectors[place],
            }
        )  # fmt: skip
    return length


def _titled(chunk: Chunk) -> str:
    """A chunk's title, with the headings above it where it has any."""
    return json.dumps([chunk.title, chunk.place] if chunk.place else chunk.title, ensure_ascii=False)


def title_and_place(value: str) -> tuple[str, str]:
    """What `_titled` wrote of a chunk."""
    match json.loads(value):
        case [title, place]:
            return str(title), str(place)
        case title:
            return str(title), ""


def _ascii(data: bytes) -> str:
    return b64encode(data).decode()


def _short(text: str, doc_id: str) -> str:
    if len(text.encode()) > LONGEST:
        raise CorpusError(
            f"document {doc_id[:100]!r} has an id, title, metadata or a chunk of more than Milvus keeps in one value ({LONGEST:,} bytes); "
            "shorten it, or cut smaller chunks"
        )
    return text
