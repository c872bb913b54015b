"""What a store refuses to put: rows that do not fit their chunks, chunks that do not equal their document."""

from __future__ import annotations

from decoct.errors import ProvenanceError, StoreError
from decoct.index.base import Entry
from decoct.index.filters import check_filterable


def check_entry(entry: Entry) -> None:
    """`StoreError`, `ProvenanceError` or `CorpusError` for an entry that no store may take."""
    document, chunks = entry.document, entry.chunks
    check_filterable(document)
    if len(entry.vectors) != len(chunks):
        raise StoreError(f"{document.id!r} has {len(chunks)} chunks and {len(entry.vectors)} vectors; give one a chunk")
    if entry.mentions and len(entry.mentions) != len(chunks):
        raise StoreError(f"{document.id!r} has {len(chunks)} chunks and {len(entry.mentions)} lists of mentions")
    if entry.traits and len(entry.traits) != len(chunks):
        raise StoreError(f"{document.id!r} has {len(chunks)} chunks and {len(entry.traits)} traits")
    if entry.signatures is not None and len(entry.signatures) != len(chunks):
        raise StoreError(f"{document.id!r} has {len(chunks)} chunks and {len(entry.signatures)} signatures")
    for chunk in chunks:
        span = chunk.span
        if span.doc_id != document.id or document.text[span.start : span.end] != chunk.text:
            raise ProvenanceError(f"a chunk at {span} does not equal the text of document {document.id!r} there")
