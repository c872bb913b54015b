"""LangChain: a library as a retriever, and any retriever's documents compressed to a budget.

    from decoct.integrations.langchain import DecoctCompressor, DecoctRetriever

    DecoctRetriever("my-library", budget=2000).invoke("When was the bridge opened?")
    DecoctCompressor("casc-rules", budget=400).compress_documents(documents, "When was the bridge opened?")

Documents joined by a blank line (LangChain's default) have at most `budget` tokens, also with `document_prompt` left as it is. Let
splitters say where a text begins (`add_start_index=True`): neighbours are then joined, and spans count within the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, PrivateAttr

from decoct.embed.base import Embedder
from decoct.errors import MissingExtraError
from decoct.index.filters import Given
from decoct.integrations.builder import DEFAULT_BUDGET, ContextBuilder, LayoutSource, laid_out
from decoct.integrations.handed import HandedOver
from decoct.integrations.passages import LibrarySource, opened, written_passages
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.recipe import Recipe, RecipeSource

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.langchain", "langchain") from error

__all__ = ["DecoctCompressor", "DecoctRetriever"]


class LangChainRetriever(BaseRetriever):
    """The passages of a library's context for a query, in reading order. `library` is a `Library` or where one is.

    Metadata: `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Any
    recipe: Any = "default"
    budget: int | str = DEFAULT_BUDGET
    where: Any = None
    layout: Any = "plain"

    _opened: Library = PrivateAttr()
    _recipe: Recipe = PrivateAttr()

    def __init__(
        self,
        library: LibrarySource,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        where: Given | None = None,
        layout: LayoutSource = "plain",
        **settings: Any,  # noqa: ANN401 - LangChain's own: tags, metadata
    ) -> None:
        fields: dict[str, Any] = {
            "library": library,
            "recipe": recipe,
            "budget": budget,
            "where": where,
            "layout": layout,
        }
        super().__init__(**fields, **settings)
        self._recipe = laid_out(recipe, layout)
        self._opened = opened(library)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        context = self._opened.context(query, self.budget, self._recipe, where=self.where)
        return [Document(passage.text, metadata=told) for passage, told in written_passages(context)]


class LangChainCompressor(BaseDocumentCompressor):
    """Another retriever's documents as the passages of a context: merged, cut, ordered as the recipe says, within the budget.

    Use it alone, or as the `base_compressor` of a `ContextualCompressionRetriever`. The documents' own metadata stays.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    recipe: Any = "default"
    budget: int | str = DEFAULT_BUDGET
    embedder: Any = DEFAULT_EMBEDDER
    llm: Any = None
    layout: Any = "plain"

    _builder: ContextBuilder = PrivateAttr()

    def __init__(
        self,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        llm: str | LLM | None = None,
        layout: LayoutSource = "plain",
    ) -> None:
        fields: dict[str, Any] = {
            "recipe": recipe,
            "budget": budget,
            "embedder": embedder,
            "llm": llm,
            "layout": layout,
        }
        super().__init__(**fields)
        self._builder = ContextBuilder(recipe, budget, embedder, llm, layout)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """The passages that answer `query` best, as documents, in reading order."""
        store = HandedOver(documents)
        context = self._builder.over(query, store)
        return [Document(passage.text, metadata=told) for passage, told in written_passages(context, store)]


DecoctRetriever = LangChainRetriever
DecoctCompressor = LangChainCompressor
