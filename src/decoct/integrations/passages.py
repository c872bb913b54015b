"""What the adapters share: passages as (text, metadata, score) for a framework's documents, and the library behind a retriever."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from decoct.context.as_json import support_as_json
from decoct.data import Context, Passage
from decoct.documents.places import place_of
from decoct.integrations.documents import given_metadata
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.hits import POSITIONAL
from decoct.library import Library

LibrarySource: TypeAlias = Library | str | Path
Adapter = TypeVar("Adapter", bound=type)


def traced_as(name: str) -> Callable[[Adapter], Adapter]:
    """Call a class by the name under which it is imported: frameworks write it into their traces and tags."""

    def named(adapter: Adapter) -> Adapter:
        adapter.__name__ = adapter.__qualname__ = name
        return adapter

    return named


def opened(library: LibrarySource) -> Library:
    """The library itself, or the one at a path; `StoreError` where there is none."""
    return library if isinstance(library, Library) else Library.open(library, create=False)


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
    page = place_of(document, first.start).page
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
