"""LlamaIndex: a library as a retriever, and any retriever's nodes brought within a budget by a postprocessor.

    from decoct.integrations.llama_index import DecoctPostprocessor, DecoctRetriever

    RetrieverQueryEngine.from_args(DecoctRetriever("my-library", budget=2000), llm=llm)
    index.as_query_engine(similarity_top_k=40, node_postprocessors=[DecoctPostprocessor("merge-extract", budget=400)])

LlamaIndex writes a node's metadata before its text for the model and for embedding. That would break the budget, so every key is
excluded from both; it is still there for your program. Nodes joined by a blank line (LlamaIndex's default) have at most `budget` tokens.
"""

from __future__ import annotations

from typing import Any

from decoct.data import Context
from decoct.embed.base import Embedder
from decoct.errors import MissingExtraError, QueryError
from decoct.index.filters import Given
from decoct.integrations.builder import DEFAULT_BUDGET, BuilderInUse, ContextBuilder, LayoutSource, laid_out
from decoct.integrations.handed import HandedOver
from decoct.integrations.passages import LibrarySource, opened, written_passages
from decoct.library import DEFAULT_EMBEDDER
from decoct.llm.base import LLM
from decoct.recipe import RecipeSource

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.llama_index", "llama-index") from error

__all__ = ["DecoctPostprocessor", "DecoctRetriever"]


class LlamaIndexRetriever(BaseRetriever):
    """The passages of a library's context for a query, in reading order. `library` is a `Library` or where one is.

    Metadata: `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`.
    """

    def __init__(
        self,
        library: LibrarySource,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        where: Given | None = None,
        layout: LayoutSource = "plain",
        **settings: Any,  # noqa: ANN401 - LlamaIndex's own: callback_manager, verbose
    ) -> None:
        super().__init__(**settings)
        self._recipe = laid_out(recipe, layout)
        self._library = opened(library)
        self._budget = budget
        self._where = where

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._library.context(query_bundle.query_str, self._budget, self._recipe, where=self._where))


class LlamaIndexPostprocessor(BaseNodePostprocessor):
    """Another retriever's nodes as the passages of a context: merged, cut, ordered as the recipe says, within the budget.

    The nodes' own metadata stays.
    """

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
        **settings: Any,  # noqa: ANN401 - LlamaIndex's own: callback_manager
    ) -> None:
        fields: dict[str, Any] = {
            "recipe": recipe,
            "budget": budget,
            "embedder": embedder,
            "llm": llm,
            "layout": layout,
        }
        super().__init__(**fields, **settings)
        self._builder()

    def _builder(self) -> ContextBuilder:
        """The builder of the fields as they are now: they may have been changed since the last call."""
        return self._built.of(self.recipe, self.budget, self.embedder, self.llm, self.layout)

    @classmethod
    def class_name(cls) -> str:
        """The name in LlamaIndex's records."""
        return "DecoctPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise QueryError("a context is built for a question: call postprocess_nodes(nodes, query_str=…)")
        store = HandedOver(nodes)
        return _nodes(self._builder().over(query_bundle.query_str, store), store)


def _nodes(context: Context, store: HandedOver | None = None) -> list[NodeWithScore]:
    found = []
    for passage, told in written_passages(context, store):
        first = passage.support[0]
        one_place = passage.kind == "quote" and len(passage.support) == 1
        node = TextNode(
            text=passage.text,
            metadata=told,
            excluded_llm_metadata_keys=list(told),
            excluded_embed_metadata_keys=list(told),
            start_char_idx=first.start if one_place else None,
            end_char_idx=first.end if one_place else None,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=first.doc_id)},
        )
        found.append(NodeWithScore(node=node, score=float(passage.score)))
    return found


DecoctRetriever = LlamaIndexRetriever
DecoctPostprocessor = LlamaIndexPostprocessor
