"""What adapters of stores share: a framework's documents kept in a library as they were, found by text, and given back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct.data import Document
from decoct.embed.base import Embedder, TextKind, well_formed
from decoct.errors import CorpusError
from decoct.index.filters import Given
from decoct.integrations.documents import given_metadata
from decoct.library import Library
from decoct.recipe import RecipeSource


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text of a library, as a framework's document: `score` where it was found by a question."""

    id: str
    text: str
    metadata: dict[str, Any]
    score: float = 0.0


def embedded(embedder: Embedder, texts: Sequence[str], kind: TextKind) -> list[list[float]]:
    """A vector a text, as frameworks hold them."""
    return [vector.tolist() for vector in embedder.embed([well_formed(text) for text in texts], kind)] if texts else []


def store_documents(library: Library, documents: Iterable[Document]) -> None:
    """Add them, replacing those of the same id; `CorpusError` with the first one that could not be stored."""
    report = library.add(list(documents))
    if report.failures:
        failure = report.failures[0]
        raise CorpusError(f"{failure.source}: {failure.reason}")


def stored_text(library: Library, doc_id: str) -> StoredText | None:
    """The document of that id, whole; None where there is none."""
    try:
        document = library.document(doc_id)
    except CorpusError:
        return None
    return StoredText(document.id, document.text, given_metadata(document.metadata))


def found_texts(
    library: Library, question: str, k: int, recipe: RecipeSource = "default", where: Given | None = None
) -> list[StoredText]:
    """The `k` best: documents that are one chunk as they were added, of longer ones the chunk (its id ends in `#START-END`)."""
    if not question.strip() or library.status().documents == 0:
        return []
    document_of = cache(library.document)  # several chunks of one may be found
    found = []
    for hit in library.search(question, k, recipe, where=where):
        span = hit.chunk.span
        document = document_of(span.doc_id)
        whole = hit.chunk.text.strip() == document.text.strip()
        id_ = span.doc_id if whole else f"{span.doc_id}#{span.start}-{span.end}"
        more = {} if whole else {"doc_id": span.doc_id, "start_index": span.start}
        text = document.text if whole else hit.chunk.text
        found.append(StoredText(id_, text, {**given_metadata(document.metadata), **more}, float(hit.score)))
    return found
