"""Another framework's hits to a context: the steps of a recipe, the exact budget and the spans, without a library.

    builder = ContextBuilder("casc-rules", budget=400)
    context = builder.build("What does the visa cost?", hits)

The recipe's retriever is not used; its steps, and its depth (how many hits they are given), are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import BaseModel, PrivateAttr

from decoct.budget import Tokenizer, budget_of
from decoct.config import Resources, StageSpec, resolve
from decoct.data import Context, Query
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.integrations.hit_store import HandedOver
from decoct.library import DEFAULT_EMBEDDER
from decoct.llm.base import LLM
from decoct.pipeline import Construction, Retrieval, retrieved_context
from decoct.recipe import Recipe, RecipeSource, load_recipe

DEFAULT_BUDGET = 2000
LayoutSource = str | Mapping[str, Any] | None


class ContextBuilder:
    """Builds contexts of at most `budget` tokens (or "5x" average hits) by the steps of a recipe.

    Tokens are counted by the language model's own tokenizer where `llm` has one here, else by the embedder's word pieces. `layout` is
    `plain` (the passages joined by a blank line, as frameworks join documents), another layout, or None for the recipe's own.
    `embedder` and `llm` are only used by steps that need them. Thread-safe; copied and pickled by what it was given.
    """

    def __init__(
        self,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        llm: str | LLM | None = None,
        layout: LayoutSource = "plain",
    ) -> None:
        from decoct.embed.remember import Remembering
        from decoct.embed.resolve import open_embedder
        from decoct.embed.tokenizer import default_tokenizer
        from decoct.llm.resolve import configured_llm

        self._given = (recipe, budget, embedder, llm, layout)
        self.recipe = laid_out(recipe, layout)
        model = open_embedder(embedder) if isinstance(embedder, str) else embedder
        reader = configured_llm(llm)
        cuts = default_tokenizer()
        reads = cast("Tokenizer", reader) if hasattr(reader, "counts") else cuts
        self.budget = budget_of(budget, reads)
        laid = self.recipe.layout.build(Resources(tokenizer=cuts))
        self._resources = Resources(None, Remembering(model), cuts, reader, laid)
        self._construction(HandedOver(()))  # what the recipe lacks is said here, not at the first question

    def __reduce__(self) -> tuple[Any, ...]:
        return ContextBuilder, self._given

    def build(self, question: str, hits: Iterable[object]) -> Context:
        """The context of `hits`, best first: those of another framework (`decoct.integrations.hits`), `HandedHit`s or texts.

        It is empty for no hits. `QueryError` for an empty question, `CorpusError` for what is no hit, `BudgetError` where not a
        sentence fits.
        """
        return self.over(question, HandedOver(hits))

    def over(self, question: str, store: HandedOver) -> Context:
        """The same of hits that are a store already, which then knows where each passage came from."""
        from decoct.embed.base import well_formed

        retrieval = Retrieval(cast("Store", store), store, self.recipe.depth)
        return retrieved_context(Query(well_formed(question)), self.budget, retrieval, self._construction(store))

    def _construction(self, store: HandedOver) -> Construction:
        # A step that must have a store reads documents. One that may have one reads what lies between passages, which nobody knows here.
        within = replace(self._resources, store=cast("Store", store))
        steps = tuple(s.build(within if s.needs("store") else self._resources) for s in self.recipe.context)
        return Construction(steps, cast("Any", self._resources.layout))


def laid_out(recipe: RecipeSource, layout: LayoutSource) -> Recipe:
    """The recipe with another layout; as it is for None."""
    loaded = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    if layout is None:
        return loaded
    spec: StageSpec = resolve(layout, "layout", "layout")
    return replace(loaded, layout=spec)


class BuilderSettings(BaseModel):
    """A builder as the models of frameworks hold it: its settings, which may be changed between calls, are their fields."""

    recipe: Any = "default"
    budget: int | str = DEFAULT_BUDGET
    embedder: Any = DEFAULT_EMBEDDER
    llm: Any = None
    layout: Any = "plain"

    _built: tuple[tuple[Any, ...], ContextBuilder] | None = PrivateAttr(None)

    def _builder(self) -> ContextBuilder:
        """The builder of the fields as they are now; the last one where they are the same."""
        given = (self.recipe, self.budget, self.embedder, self.llm, self.layout)
        made = self._built
        if made is None or made[0] != given:
            made = self._built = (given, ContextBuilder(*given))
        return made[1]
