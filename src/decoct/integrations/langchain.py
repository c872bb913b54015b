"""LangChain: a library as a retriever and as a vector store, its embedder, and any retriever's documents compressed to a budget.

    from decoct.integrations.langchain import DecoctCompressor, DecoctEmbeddings, DecoctRetriever, DecoctVectorStore

    DecoctRetriever("my-library", budget=2000).invoke("When was the bridge opened?")
    DecoctVectorStore("my-library").similarity_search("When was the bridge opened?", k=4, filter={"year": 1934})
    DecoctCompressor("casc-rules", budget=400).compress_documents(documents, "When was the bridge opened?")

Documents joined by a blank line (LangChain's default) have at most `budget` tokens, also with `document_prompt` left as it is. Let
splitters say where a text begins (`add_start_index=True`): neighbours are then joined, and spans count within the document.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from pydantic import ConfigDict, Field, PrivateAttr

from decoct.data import Document as StoredDocument
from decoct.data import Passage
from decoct.embed.base import Embedder
from decoct.embed.resolve import open_embedder
from decoct.errors import MissingExtraError, QueryError
from decoct.index.filters import Given, narrowed
from decoct.integrations.builder import DEFAULT_BUDGET, BuilderSettings, LayoutSource, laid_out
from decoct.integrations.documents import kept_metadata
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.passages import (
    LibrarySource,
    StoredText,
    check_most,
    embedded,
    found_texts,
    opened,
    passage_id,
    store_documents,
    stored_text,
    traced_as,
    written_passages,
)
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.recipe import RecipeSource
from decoct.registry import nearest

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.langchain", "langchain") from error

__all__ = ["DecoctCompressor", "DecoctEmbeddings", "DecoctRetriever", "DecoctVectorStore"]


@traced_as("DecoctRetriever")
class LangChainRetriever(BaseRetriever):
    """The passages of a library's context for a query, in reading order. `library` is a `Library` or where one is.

    `k` keeps the best so many of them. `search_kwargs` may hold `k`, `budget` and `filter` (or `where`), as those of LangChain's vector
    stores do; `invoke(query, k=…, budget=…, where=…)` sets them for one call. Of several `where`
    all hold: a call can narrow and never widen. An argument of another name is a `TypeError`.

    Metadata: the document's own, `source`, `page`; `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`, `score`. Ids are
    those of the characters.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Any
    recipe: Any = "default"
    budget: int | str = DEFAULT_BUDGET
    where: Any = None
    layout: Any = "plain"
    k: int | None = None
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    _opened: tuple[Any, Library] = PrivateAttr()

    def __init__(
        self,
        library: LibrarySource,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        where: Given | None = None,
        layout: LayoutSource = "plain",
        *,
        k: int | None = None,
        search_kwargs: Mapping[str, Any] | None = None,
        **settings: Any,  # noqa: ANN401 - LangChain's own: tags, metadata
    ) -> None:
        fields: dict[str, Any] = {
            "library": library,
            "recipe": recipe,
            "budget": budget,
            "where": where,
            "layout": layout,
            "k": k,
            "search_kwargs": dict(search_kwargs or {}),
        }
        _check_names(settings, BaseRetriever.model_fields, fields)
        super().__init__(**fields, **settings)
        self._asked()
        laid_out(recipe, layout)  # what is wrong with them is told here
        self._opened = (library, opened(library))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        **asked: Any,  # noqa: ANN401 - see `_asked`
    ) -> list[Document]:
        options = self._asked(asked)
        if self._opened[0] is not self.library:  # the fields may have been changed since, as LangChain's are
            self._opened = (self.library, opened(self.library))
        recipe = laid_out(self.recipe, self.layout)
        context = self._opened[1].context(query, options["budget"], recipe, where=options["where"])
        return _documents(written_passages(context, self._opened[1], options["k"]))

    def _asked(self, call: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a call asks for: its own `k` and `budget`, else those of `search_kwargs`, else the fields; of `where` all three hold."""
        fields = {"k": self.k, "budget": self.budget, "where": self.where}
        given = [fields, _named(self.search_kwargs), _named(call or {})]
        options = {name: value for one in given for name, value in one.items()}
        check_most("k", options["k"])
        return {**options, "where": narrowed(*(one.get("where") for one in given)) or None}


def _named(given: Mapping[str, Any], known: Iterable[str] = ("k", "budget", "where", "filter")) -> dict[str, Any]:
    """Options under our own names: LangChain's vector stores call `where` a `filter`."""
    _check_names(given, known)
    return {("where" if name == "filter" else name): value for name, value in given.items()}


def _check_names(given: Iterable[str], *known: Iterable[str]) -> None:
    names = [name for some in known for name in some]
    for name in given:
        if name not in names:
            raise TypeError(f"a Decoct retriever has no argument {name!r}; {nearest(name, names)}")


@traced_as("DecoctCompressor")
class LangChainCompressor(BuilderSettings, BaseDocumentCompressor):
    """Another retriever's documents as the passages of a context: merged, cut, ordered as the recipe says, within the budget.

    Use it alone, or as the `base_compressor` of a `ContextualCompressionRetriever`. The documents' own metadata stays.
    """

    def __init__(
        self,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        llm: str | LLM | None = None,
        layout: LayoutSource = "plain",
    ) -> None:
        super().__init__(recipe=recipe, budget=budget, embedder=embedder, llm=llm, layout=layout)
        self._builder()

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """The passages that answer `query` best, as documents, in reading order."""
        store = HandedOver(documents)
        context = self._builder().over(query, store)
        return _documents(written_passages(context, store))


def _documents(found: Iterable[tuple[Passage, dict[str, Any]]]) -> list[Document]:
    return [Document(passage.text, metadata=metadata, id=passage_id(passage)) for passage, metadata in found]


@traced_as("DecoctEmbeddings")
class LangChainEmbeddings(Embeddings):
    """The embedder `model` (a name such as "minilm", or an `Embedder`) for LangChain: unit vectors, made on this machine by default."""

    def __init__(self, model: str | Embedder = DEFAULT_EMBEDDER) -> None:
        self.model = model
        self._embedder = open_embedder(model) if isinstance(model, str) else model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector a text."""
        return embedded(self._embedder, texts, "passage")

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return embedded(self._embedder, [text], "query")[0]


@traced_as("DecoctVectorStore")
class LangChainVectorStore(VectorStore):
    """A library as a vector store. It cuts and embeds itself, and finds by words, names and vectors (`recipe`), so it takes no embedding.

    `library` is a `Library` or where one is, or shall be. A text of one chunk comes back as it was added; of a longer one the chunk, with
    `doc_id` and `start_index` in its metadata and `#START-END` behind its id. Scores are those of the recipe: the higher, the better.
    """

    def __init__(self, library: LibrarySource, recipe: RecipeSource = "default") -> None:
        self.library = library if isinstance(library, Library) else Library.open(library)
        self.recipe = recipe

    @property
    def embeddings(self) -> Embeddings:
        """The library's own embedder."""
        return LangChainEmbeddings(self.library.embedder)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **_: Any,  # noqa: ANN401 - what LangChain's indexing hands on
    ) -> list[str]:
        """Store the texts, those of an id that is there in its place; their ids, made where none is given."""
        given = list(texts)
        if any(one is not None and len(one) != len(given) for one in (metadatas, ids)):
            raise ValueError(f"{len(given)} texts need as many metadatas and ids")
        named = [one or str(uuid.uuid4()) for one in ids or [None] * len(given)]
        store_documents(
            self.library,
            (
                StoredDocument(id_, text, metadata=kept_metadata(metadata))
                for id_, text, metadata in zip(named, given, metadatas or [{}] * len(given), strict=True)
            ),
        )
        return named

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:  # noqa: ANN401
        """Remove the documents of these ids; all of them where None is given."""
        self.library.delete(*(ids if ids is not None else [one.id for one in self.library.documents()]))
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of these ids that there are, whole."""
        return [_document(found) for id_ in ids if (found := stored_text(self.library, id_)) is not None]

    def similarity_search(self, query: str, k: int = 4, **asked: Any) -> list[Document]:  # noqa: ANN401
        """The `k` best; `filter` (or `where`) chooses by metadata."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **asked)]

    def similarity_search_with_score(self, query: str, k: int = 4, **asked: Any) -> list[tuple[Document, float]]:  # noqa: ANN401
        """The same with their scores."""
        where = _named(asked, ("where", "filter")).get("where")
        found = found_texts(self.library, query, k, self.recipe, where)
        return [(_document(one), one.score) for one in found]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        library: LibrarySource = "",
        **settings: Any,  # noqa: ANN401 - ours
    ) -> Self:
        """A store with these texts, in the library at `library`; `embedding` is not used: a library has its own."""
        if not library:
            raise QueryError("name the library: from_texts(…, library='my-library')")
        made = cls(library, **settings)
        made.add_texts(texts, metadatas, ids=ids)
        return made


def _document(found: StoredText) -> Document:
    return Document(found.text, metadata=found.metadata, id=found.id)


DecoctRetriever = LangChainRetriever
DecoctCompressor = LangChainCompressor
DecoctEmbeddings = LangChainEmbeddings
DecoctVectorStore = LangChainVectorStore
