"""LangChain: a library as a retriever, and any retriever's documents compressed to a budget.

    from decoct.integrations.langchain import DecoctCompressor, DecoctRetriever

    DecoctRetriever("my-library", budget=2000).invoke("When was the bridge opened?")
    DecoctCompressor("casc-rules", budget=400).compress_documents(documents, "When was the bridge opened?")

Documents joined by a blank line (LangChain's default) have at most `budget` tokens, also with `document_prompt` left as it is. Let
splitters say where a text begins (`add_start_index=True`): neighbours are then joined, and spans count within the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, Field, PrivateAttr

from decoct.embed.base import Embedder
from decoct.errors import MissingExtraError, QueryError
from decoct.index.filters import Given
from decoct.integrations.builder import DEFAULT_BUDGET, BuilderInUse, ContextBuilder, LayoutSource, laid_out
from decoct.integrations.handed import HandedOver
from decoct.integrations.passages import LibrarySource, opened, written_passages
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.recipe import Recipe, RecipeSource
from decoct.registry import nearest

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.langchain", "langchain") from error

__all__ = ["DecoctCompressor", "DecoctRetriever"]


class LangChainRetriever(BaseRetriever):
    """The passages of a library's context for a query, in reading order. `library` is a `Library` or where one is.

    `k` keeps the best so many of them. `search_kwargs` may hold `k`, `budget` and `filter` (or `where`), as those of LangChain's vector
    stores do; `invoke(query, k=…, budget=…, where=…)` sets them for one call. An argument of another name is a `TypeError`.

    Metadata: `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`.
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
    _laid: tuple[Any, Recipe] = PrivateAttr()

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
        self._laid = ((recipe, layout), laid_out(recipe, layout))
        self._opened = (library, opened(library))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        **asked: Any,  # noqa: ANN401 - see `SearchOptions`
    ) -> list[Document]:
        options = self._asked(asked)
        # The fields may have been changed since, as LangChain's are: what was made of others is made anew.
        if self._laid[0] != (self.recipe, self.layout):
            self._laid = ((self.recipe, self.layout), laid_out(self.recipe, self.layout))
        if self._opened[0] is not self.library:
            self._opened = (self.library, opened(self.library))
        context = self._opened[1].context(query, options.budget, self._laid[1], where=options.where)
        found = written_passages(context, most=options.k)
        return [Document(passage.text, metadata=metadata) for passage, metadata in found]

    def _asked(self, call: Mapping[str, Any] | None = None) -> SearchOptions:
        """The options of a call: its own, else those of `search_kwargs`, else the fields."""
        given = {
            "k": self.k,
            "budget": self.budget,
            "where": self.where,
            **_named(self.search_kwargs),
            **_named(call or {}),
        }
        options = SearchOptions(**given)
        if options.k is not None and (isinstance(options.k, bool) or not isinstance(options.k, int) or options.k < 1):
            raise QueryError(f"k is a whole number from 1 on, not {options.k!r}")
        return options


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What one call of a retriever may set: how many passages, in how many tokens, of which documents."""

    k: int | None
    budget: int | str
    where: Given | None


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options under our own names: LangChain's vector stores call `where` a `filter`."""
    _check_names(given, ("k", "budget", "where", "filter"))
    return {("where" if name == "filter" else name): value for name, value in given.items()}


def _check_names(given: Iterable[str], *known: Iterable[str]) -> None:
    names = [name for some in known for name in some]
    for name in given:
        if name not in names:
            raise TypeError(f"a Decoct retriever has no argument {name!r}; {nearest(name, names)}")


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

    _built: BuilderInUse = PrivateAttr(default_factory=BuilderInUse)

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
        self._builder()

    def _builder(self) -> ContextBuilder:
        """The builder of the fields as they are now: they may have been changed since the last call."""
        return self._built.of(self.recipe, self.budget, self.embedder, self.llm, self.layout)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """The passages that answer `query` best, as documents, in reading order."""
        store = HandedOver(documents)
        context = self._builder().over(query, store)
        return [Document(passage.text, metadata=metadata) for passage, metadata in written_passages(context, store)]


DecoctRetriever = LangChainRetriever
DecoctCompressor = LangChainCompressor
