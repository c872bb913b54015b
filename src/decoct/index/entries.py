"""A digest of everything that a store keeps of a document: for copies and for checks.

The digest is BLAKE2b of 16 bytes over what every store keeps, in one form: vectors in half precision, mentions sorted. Two stores that
give the same digest for a document answer alike about it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from decoct.data import Document, Link
from decoct.index.base import Entry

SIZE = 16


def record_of(document: Document) -> str:
    """Everything of a document but its text, as JSON of ASCII characters."""
    links = [(link.start, link.end, link.target) for link in document.links]
    kept = [
        document.title,
        document.source,
        dict(document.metadata),
        document.names,
        headings_of_record(document),
        links,
    ]
    return json.dumps(kept)


def headings_of_record(document: Document) -> list[tuple[int, ...]]:
    """The headings as they are kept: start and end, and the level where the document has levels."""
    if not document.levels:
        return list(document.headings)
    return [(*place, level) for place, level in zip(document.headings, document.levels, strict=True)]


def recorded(doc_id: str, text: str, kept: Sequence[Any]) -> Document:
    """The document of that id and text, with the rest of it as `record_of` kept it."""
    title, source, metadata, names, headings, links = kept
    return Document(
        doc_id,
        text,
        title,
        source,
        metadata,
        tuple(names),
        tuple((one[0], one[1]) for one in headings),
        tuple(Link(start, end, target) for start, end, target in links),
        tuple(one[2] for one in headings if len(one) > 2),  # all of a document have one, or none has
    )


def digest_of(entry: Entry) -> bytes:
    """What tells one entry from every other that is stored differently."""
    document, count = entry.document, len(entry.chunks)
    digest = hashlib.blake2b(digest_size=SIZE)

    def add(data: bytes) -> None:
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)

    add(json.dumps([document.id, entry.digest, count]).encode())
    add(record_of(document).encode())
    add(document.text.encode("utf-8", "surrogatepass"))
    add(json.dumps(sorted(dict(entry.names).items())).encode())
    mentions = entry.mentions or ((),) * count
    spans = [
        (chunk.span.start, chunk.span.end, chunk.title, sorted(set(m)), *([chunk.place] if chunk.place else []))
        for chunk, m in zip(entry.chunks, mentions, strict=True)
    ]
    add(json.dumps(spans).encode())
    for traits in entry.traits or (b"",) * count:
        add(traits)
    add(np.ascontiguousarray(entry.vectors, dtype="<f2").tobytes() if count else b"")
    add(b"" if entry.signatures is None else np.ascontiguousarray(entry.signatures, dtype=np.uint8).tobytes())
    return digest.digest()
