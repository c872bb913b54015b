"""Haystack: a library as a retriever and as a document store, its embedder, and any retriever's documents made a context within a budget.

    from decoct.integrations.haystack import DecoctContextBuilder, DecoctRetriever

    DecoctRetriever("my-library", budget=2000).run("When was the bridge opened?")
    pipeline.add_component("context", DecoctContextBuilder("merge-extract", budget=400))
    pipeline.connect("retriever.documents", "context.documents")

Both answer with `documents`, `context` (the text) and `tokens` (how many it has, at most the budget). Put `{{ context }}` into the prompt;
documents joined by a blank line are the same text where the layout is `plain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from decoct.data import Context
from decoct.data import Document as StoredDocument
from decoct.embed.base import Embedder
from decoct.embed.resolve import open_embedder
from decoct.errors import ConfigError, MissingExtraError, QueryError
from decoct.index.filters import Given, narrowed, where_all_hold
from decoct.integrations.builder import DEFAULT_BUDGET, ContextBuilder, LayoutSource, laid_out
from decoct.integrations.documents import kept_metadata
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.passages import (
    LibrarySource,
    StoredText,
    check_most,
    embedded,
    opened,
    passage_id,
    store_documents,
    stored_text,
    traced_as,
    written_passages,
)
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.recipe import Recipe, RecipeSource

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy
    from haystack.errors import FilterError
    from haystack.utils.filters import document_matches_filter
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.haystack", "haystack") from error

__all__ = [
    "DecoctContextBuilder",
    "DecoctDocumentEmbedder",
    "DecoctDocumentStore",
    "DecoctRetriever",
    "DecoctTextEmbedder",
]


class _SavedByNames:
    """What was given is kept (`_given`), and is what a saved pipeline holds."""

    _given: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """It as data; `ConfigError` where it was given objects instead of names."""
        return default_to_dict(self, **_as_data(self._given))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """That of `to_dict`'s data."""
        made: Self = default_from_dict(cls, data)
        return made


class _NamedEmbedder(_SavedByNames):
    """The embedder of a name such as "minilm", opened when it is first asked."""

    def __init__(self, model: str = DEFAULT_EMBEDDER) -> None:
        self._given = {"model": model}
        self.model = model

    def warm_up(self) -> None:
        """Open the embedder."""
        _ = self._embedder

    @cached_property
    def _embedder(self) -> Embedder:
        return open_embedder(self.model)


@component
@traced_as("DecoctRetriever")
class HaystackRetriever(_SavedByNames):
    """The passages of a library's context for a query. `library` is a `Library` or where one is, opened when it is first asked.

    Meta: the document's own, `source`, `page`; `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`, `score`. A run may
    keep only the `top_k` best passages, in their order, and choose documents by Haystack's `filters` (`==`, `in`, `>`, `>=`, `<`, `<=`,
    joined by AND), which narrow `where`.
    """

    def __init__(
        self,
        library: LibrarySource,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        where: Given | None = None,
        layout: LayoutSource = "plain",
    ) -> None:
        self._given = {"library": library, "recipe": recipe, "budget": budget, "where": where, "layout": layout}
        self._recipe = laid_out(recipe, layout)

    def warm_up(self) -> None:
        """Open the library."""
        _ = self._library

    @cached_property
    def _library(self) -> Library:
        return opened(self._given["library"])

    @component.output_types(documents=list[Document], context=str, tokens=int)
    def run(self, query: str, top_k: int | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """The context of `query`: its `documents` in reading order, its text and its tokens (of all of them, also with `top_k`)."""
        given: Any = self._given
        check_most("top_k", top_k)
        where = narrowed(given["where"], where_of_filters(filters))
        context = self._library.context(query, given["budget"], self._recipe, where=where or None)
        return _outputs(context, self._library, top_k)


@component
@traced_as("DecoctContextBuilder")
class HaystackContextBuilder(_SavedByNames):
    """Another retriever's documents as the passages of a context: merged, cut, ordered as the recipe says, within the budget.

    The documents' own meta stays.
    """

    def __init__(
        self,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        llm: str | LLM | None = None,
        layout: LayoutSource = "plain",
    ) -> None:
        self._given = {"recipe": recipe, "budget": budget, "embedder": embedder, "llm": llm, "layout": layout}
        self._builder = ContextBuilder(recipe, budget, embedder, llm, layout)

    @component.output_types(documents=list[Document], context=str, tokens=int)
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """The context of `documents` for `query`: its `documents` in reading order, its text and its tokens."""
        store = HandedOver(documents)
        return _outputs(self._builder.over(query, store), store)


@traced_as("DecoctDocumentStore")
class HaystackDocumentStore(_SavedByNames):
    """A library as a document store: documents come back as they were written. `library` is a `Library` or where one is, or shall be.

    Filters are Haystack's own, judged document by document. Find in it with `DecoctRetriever(store.library)`.
    """

    def __init__(self, library: LibrarySource) -> None:
        self._given = {"library": library}
        self.library = library if isinstance(library, Library) else Library.open(library)

    def count_documents(self) -> int:
        """How many documents there are."""
        return self.library.status().documents

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that pass, all of them without filters."""
        if filters and "operator" not in filters and "conditions" not in filters:
            raise FilterError("a filter has an operator and conditions")
        found = (_document(one) for info in self.library.documents() if (one := stored_text(self.library, info.id)))
        return [one for one in found if not filters or document_matches_filter(filters, one)]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write them; how many were. Those whose ids are there are replaced, skipped, or (also by default) a `DuplicateDocumentError`."""
        if not isinstance(documents, list) or not all(isinstance(one, Document) for one in documents):
            raise ValueError("give a list of Haystack's documents")
        there = set(self.library.store.digests([one.id for one in documents]))
        if there and policy in (DuplicatePolicy.NONE, DuplicatePolicy.FAIL):
            raise DuplicateDocumentError(f"there is a document {min(there)!r} already")
        new = [one for one in documents if policy is not DuplicatePolicy.SKIP or one.id not in there]
        store_documents(self.library, (_stored(one) for one in new))
        return len(new)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Remove them; ids that are not there are passed over."""
        self.library.delete(*document_ids)


@component
@traced_as("DecoctTextEmbedder")
class HaystackTextEmbedder(_NamedEmbedder):
    """The embedder of a name such as "minilm" for questions."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        """The unit vector of a question."""
        return {"embedding": embedded(self._embedder, [text], "query")[0]}


@component
@traced_as("DecoctDocumentEmbedder")
class HaystackDocumentEmbedder(_NamedEmbedder):
    """The embedder of a name such as "minilm" for documents."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """The same documents with unit vectors."""
        vectors = embedded(self._embedder, [one.content or "" for one in documents], "passage")
        return {"documents": [replace(one, embedding=vector) for one, vector in zip(documents, vectors, strict=True)]}


_OTHER = "_haystack"


def where_of_filters(filters: dict[str, Any] | None) -> dict[str, Any]:
    """Haystack's filters as ours; `QueryError` for what a library cannot look up."""
    return where_all_hold(_conditions(filters)) if filters else {}


def _conditions(given: dict[str, Any]) -> Iterator[tuple[str, str, object]]:
    """Key, operator and value of all that must hold."""
    if not isinstance(given, dict) or not {"conditions", "field"} & set(given):
        raise QueryError(
            'a filter is {"field": "meta.year", "operator": ">=", "value": 2020}, or such "conditions" under the "operator" "AND", '
            f"not {given!r:.80}"
        )
    if given.get("operator") == "AND" and "conditions" in given:
        for one in given["conditions"]:
            yield from _conditions(one)
    else:
        yield str(given.get("field", "")).removeprefix("meta."), str(given.get("operator")), given.get("value")


def _stored(document: Document) -> StoredDocument:
    other = {
        name: value for name, value in document.to_dict(flatten=False).items() if name not in ("id", "content", "meta")
    }
    metadata = {**document.meta, _OTHER: {name: value for name, value in other.items() if value is not None}}
    return StoredDocument(document.id, document.content or "", metadata=kept_metadata(metadata))


def _document(found: StoredText) -> Document:
    meta = dict(found.metadata)
    return Document.from_dict({"id": found.id, "content": found.text, **meta.pop(_OTHER, {}), "meta": meta})


def _outputs(context: Context, origin: HandedOver | Library, most: int | None = None) -> dict[str, Any]:
    documents = [
        Document(id=passage_id(passage), content=passage.text, meta=told, score=float(passage.score))
        for passage, told in written_passages(context, origin, most)
    ]
    return {"documents": documents, "context": context.text, "tokens": context.tokens}


def _as_data(given: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, Path):
            shown[name] = str(value)
        elif isinstance(value, Recipe):
            shown[name] = value.as_dict()
        elif value is None or isinstance(value, str | int | dict):
            shown[name] = value
        else:
            raise ConfigError(
                f"{name}: a {type(value).__name__} cannot be saved with a pipeline; give its name or path instead"
            )
    return shown


DecoctRetriever = HaystackRetriever
DecoctContextBuilder = HaystackContextBuilder
DecoctDocumentStore = HaystackDocumentStore
DecoctTextEmbedder = HaystackTextEmbedder
DecoctDocumentEmbedder = HaystackDocumentEmbedder
