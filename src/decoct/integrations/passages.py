"""What the adapters share: passages as (text, metadata, score) for a framework's documents, and the library behind a retriever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from decoct.context.as_json import support_as_json
from decoct.data import Context, Passage
from decoct.integrations.handed import HandedOver
from decoct.integrations.hits import POSITIONAL
from decoct.library import Library

LibrarySource: TypeAlias = Library | str | Path


def opened(library: LibrarySource) -> Library:
    """The library itself, or the one at a path; `StoreError` where there is none."""
    return library if isinstance(library, Library) else Library.open(library, create=False)


def passage_metadata(number: int, passage: Passage, origin: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`doc_id`, `spans`, `number` (from 1, in the context) and `title`, beside what the hit had that the passage came from.

    `doc_id` is the document of the first span; the text is that of all spans in order, where no model rewrote it.
    """
    kept = {key: value for key, value in (origin or {}).items() if key not in POSITIONAL}
    return {
        **kept,
        "doc_id": passage.support[0].doc_id,
        "spans": support_as_json(passage.support),
        "number": number,
        "title": passage.title,
    }


def written_passages(
    context: Context, store: HandedOver | None = None, most: int | None = None
) -> Iterator[tuple[Passage, dict[str, Any]]]:
    """The passages of a context in its order, each with its metadata; `store` where they were made of hits.

    Of more than `most` those of the highest scores are left; their numbers stay those of the context.
    """
    numbered = list(enumerate(context.passages, 1))
    if most is not None:
        best = sorted(numbered, key=lambda one: -one[1].score)[:most]
        numbered = sorted(best, key=lambda one: one[0])
    for number, passage in numbered:
        origin = store.origin(passage).metadata if store is not None else None
        yield passage, passage_metadata(number, passage, origin)
