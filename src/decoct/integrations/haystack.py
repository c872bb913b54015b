"""Haystack: a library as a retriever, and any retriever's documents made a context of within a budget.

    from decoct.integrations.haystack import DecoctContextBuilder, DecoctRetriever

    DecoctRetriever("my-library", budget=2000).run("When was the bridge opened?")
    pipeline.add_component("context", DecoctContextBuilder("merge-extract", budget=400))
    pipeline.connect("retriever.documents", "context.documents")

Both answer with `documents`, `context` (the text) and `tokens` (how many it has, at most the budget). Put `{{ context }}` into the prompt;
documents joined by a blank line are the same text where the layout is `plain`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from decoct.data import Context
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, MissingExtraError
from decoct.index.filters import Given
from decoct.integrations.builder import DEFAULT_BUDGET, ContextBuilder, LayoutSource, laid_out
from decoct.integrations.handed import HandedOver
from decoct.integrations.passages import LibrarySource, opened, written_passages
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.recipe import Recipe, RecipeSource

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.haystack", "haystack") from error

__all__ = ["DecoctContextBuilder", "DecoctRetriever"]


@component
class HaystackRetriever:
    """The passages of a library's context for a query. `library` is a `Library` or where one is, opened when it is first asked.

    Meta: `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`.
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
        self._library: Library | None = None

    def warm_up(self) -> None:
        """Open the library."""
        if self._library is None:
            self._library = opened(self._given["library"])  # type: ignore[arg-type]

    @component.output_types(documents=list[Document], context=str, tokens=int)
    def run(self, query: str) -> dict[str, Any]:
        """The context of `query`: its `documents` in reading order, its text and its tokens."""
        self.warm_up()
        assert self._library is not None
        given: Any = self._given
        return _outputs(self._library.context(query, given["budget"], self._recipe, where=given["where"]))

    def to_dict(self) -> dict[str, Any]:
        """The component as data; `ConfigError` where it was given objects instead of names."""
        return default_to_dict(self, **_as_data(self._given))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The component of `to_dict`'s data."""
        made: Self = default_from_dict(cls, data)
        return made


@component
class HaystackContextBuilder:
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

    def to_dict(self) -> dict[str, Any]:
        """The component as data; `ConfigError` where it was given objects instead of names."""
        return default_to_dict(self, **_as_data(self._given))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The component of `to_dict`'s data."""
        made: Self = default_from_dict(cls, data)
        return made


def _outputs(context: Context, store: HandedOver | None = None) -> dict[str, Any]:
    documents = [
        Document(content=passage.text, meta=told, score=float(passage.score))
        for passage, told in written_passages(context, store)
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
