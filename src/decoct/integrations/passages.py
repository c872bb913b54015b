"""What the adapters share: passages as (text, metadata, score) for a framework's documents, and the library behind a retriever."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from decoct.context.as_json import support_as_json
from decoct.data import Context, Document, Passage
from decoct.documents.places import page_at
from decoct.embed.base import Embedder, TextKind, well_formed
from decoct.errors import CorpusError, QueryError
from decoct.index.filters import Given
from decoct.integrations.documents import given_metadata
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.hits import POSITIONAL
from decoct.library import Library
from decoct.recipe import RecipeSource

LibrarySource: TypeAlias = Library | str | Path
Adapter = TypeVar("Adapter", bound=type)


def traced_as(name: str) -> Callable[[Adapter], Adapter]:
    """Call a class by the name under which it is imported: frameworks write it into their traces and tags."""

    def named(adapter: Adapter) -> Adapter:
        adapter.__name__ = adapter.__qualname__ = name
        if "__init__" in vars(adapter):
            vars(adapter)["__init__"].__qualname__ = f"{name}.__init__"  # which tells what argument it does not know
        return adapter

    return named


def opened(library: LibrarySource) -> Library:
    """The library itself, or the one at a path; `StoreError` where there is none."""
    return library if isinstance(library, Library) else Library.open(library, create=False)


def check_most(name: str, most: object) -> None:
    """`QueryError` for a number of passages that is none."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise QueryError(f"{name} is a whole number from 1 on, not {most!r}")


def passage_metadata(number: int, passage: Passage, origin: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`doc_id`, `spans`, `number` (from 1, in the context), `title` and `score`, beside what is known of where the passage came from.

    `doc_id` is the document of the first span; the text is that of all spans in order, where no model rewrote it.
    """
    kept = {key: value for key, value in (origin or {}).items() if key not in POSITIONAL}
    return {
        **kept,
        "doc_id": passage.support[0].doc_id,
        "spans": support_as_json(passage.support),
        "number": number,
        "title": passage.title,
        "score": float(passage.score),
    }


def document_metadata(library: Library, passage: Passage) -> dict[str, Any]:
    """The metadata of the passage's first document, its `source` (where it came from, else its id) and the `page`, where it has pages."""
    first = passage.support[0]
    document = library.document(first.doc_id)
    page = page_at(document, first.start)
    return {
        **given_metadata(document.metadata),
        "source": document.source or document.id,
        **({"page": page} if page else {}),
    }


def passage_id(passage: Passage) -> str:
    """The same id for the same characters of the same documents, in every call and process."""
    told = json.dumps([support_as_json(passage.support), passage.text if passage.kind == "rewrite" else ""])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def written_passages(
    context: Context, origin: HandedOver | Library | None = None, most: int | None = None
) -> Iterator[tuple[Passage, dict[str, Any]]]:
    """The passages of a context in its order, each with its metadata and that of its `origin`: the hits, or the library's document.

    Of more than `most` those of the highest scores are left; their numbers stay those of the context.
    """
    numbered = list(enumerate(context.passages, 1))
    if most is not None:
        best = sorted(numbered, key=lambda one: -one[1].score)[:most]
        numbered = sorted(best, key=lambda one: one[0])
    for number, passage in numbered:
        known: Mapping[str, Any] | None = None
        if isinstance(origin, HandedOver):
            known = origin.origin(passage).metadata
        elif origin is not None:
            known = document_metadata(origin, passage)
        yield passage, passage_metadata(number, passage, known)


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
