"""LlamaIndex: a library as a retriever and as a vector store, its embedder, and any retriever's nodes within a budget by a postprocessor.

    from decoct.integrations.llama_index import DecoctEmbedding, DecoctPostprocessor, DecoctRetriever, DecoctVectorStore

    RetrieverQueryEngine.from_args(DecoctRetriever("my-library", budget=2000), llm=llm)
    index.as_query_engine(similarity_top_k=40, node_postprocessors=[DecoctPostprocessor("merge-extract", budget=400)])

LlamaIndex writes a node's metadata before its text for the model and for embedding. That would break the budget, so every key is
excluded from both; it is still there for your program. Nodes joined by a blank line (LlamaIndex's default) have at most `budget` tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from decoct.data import Context, Document
from decoct.embed.base import Embedder
from decoct.embed.resolve import open_embedder
from decoct.errors import MissingExtraError, QueryError
from decoct.index.filters import Given, where_all_hold
from decoct.integrations.builder import DEFAULT_BUDGET, BuilderSettings, LayoutSource, laid_out
from decoct.integrations.documents import kept_metadata
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.passages import (
    LibrarySource,
    StoredText,
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

try:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        FilterCondition,
        MetadataFilter,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict
except ModuleNotFoundError as error:
    raise MissingExtraError("decoct.integrations.llama_index", "llama-index") from error

__all__ = ["DecoctEmbedding", "DecoctPostprocessor", "DecoctRetriever", "DecoctVectorStore"]


class _Named:
    @classmethod
    def class_name(cls) -> str:
        """The name in LlamaIndex's records."""
        return cls.__name__


@traced_as("DecoctRetriever")
class LlamaIndexRetriever(BaseRetriever):
    """The passages of a library's context for a query, in reading order. `library` is a `Library` or where one is.

    Metadata: the document's own, `source`, `page`; `doc_id`, `spans` (`doc_id`, `start`, `end` each), `number`, `title`, `score`. Ids are
    those of the characters, and hashes leave `number` and `score` out: they are the same in every call, so that retrievers can be fused.
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
        context = self._library.context(query_bundle.query_str, self._budget, self._recipe, where=self._where)
        return _nodes(context, self._library)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


@traced_as("DecoctPostprocessor")
class LlamaIndexPostprocessor(_Named, BuilderSettings, BaseNodePostprocessor):
    """Another retriever's nodes as the passages of a context: merged, cut, ordered as the recipe says, within the budget.

    The nodes' own metadata stays.
    """

    def __init__(
        self,
        recipe: RecipeSource = "default",
        budget: int | str = DEFAULT_BUDGET,
        embedder: str | Embedder = DEFAULT_EMBEDDER,
        llm: str | LLM | None = None,
        layout: LayoutSource = "plain",
        **settings: Any,  # noqa: ANN401 - LlamaIndex's own: callback_manager
    ) -> None:
        super().__init__(recipe=recipe, budget=budget, embedder=embedder, llm=llm, layout=layout, **settings)
        self._builder()

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise QueryError("a context is built for a question: call postprocess_nodes(nodes, query_str=…)")
        store = HandedOver(nodes)
        return _nodes(self._builder().over(query_bundle.query_str, store), store)


@traced_as("DecoctEmbedding")
class LlamaIndexEmbedding(_Named, BaseEmbedding):
    """The embedder of a name such as "minilm" for LlamaIndex: unit vectors, made on this machine by default."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, model_name: str = DEFAULT_EMBEDDER, **settings: Any) -> None:  # noqa: ANN401 - LlamaIndex's own
        super().__init__(model_name=model_name, **settings)
        self._embedder = open_embedder(model_name)

    def _get_query_embedding(self, query: str) -> list[float]:
        return embedded(self._embedder, [query], "query")[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return embedded(self._embedder, [text], "passage")[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return embedded(self._embedder, texts, "passage")


@traced_as("DecoctVectorStore")
class LlamaIndexVectorStore(_Named, BasePydanticVectorStore):
    """A library as a vector store: nodes come back as they were added.

    It embeds itself and finds by words, names and vectors (`recipe`), so vectors that are handed over are not used:
    `VectorStoreIndex.from_vector_store(DecoctVectorStore("my-library"), embed_model=DecoctEmbedding())`. Filters: `==`, `in`, `>`, `>=`,
    `<`, `<=` of metadata, all of which must hold; others are a `QueryError`.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    recipe: Any = "default"

    _library: Library = PrivateAttr()

    def __init__(self, library: LibrarySource, recipe: RecipeSource = "default") -> None:
        super().__init__(recipe=recipe)  # type: ignore[call-arg] # a field of ours
        self._library = library if isinstance(library, Library) else Library.open(library)

    @property
    def client(self) -> Library:
        """The library."""
        return self._library

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:  # noqa: ANN401 - LlamaIndex's own
        """Store the nodes' texts and all that belongs to them; their ids."""
        store_documents(
            self._library,
            (
                Document(
                    node.node_id,
                    node.get_content(MetadataMode.NONE),
                    metadata=kept_metadata(
                        {**node.metadata, _REF: node.ref_doc_id or "", **node_to_metadata_dict(node, remove_text=True)}
                    ),
                )
                for node in nodes
            ),
        )
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **_: Any) -> None:  # noqa: ANN401
        """Remove the nodes of a document."""
        self._library.delete(*[one.id for one in self._library.documents({_REF: ref_doc_id})])

    def delete_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_: Any) -> None:  # noqa: ANN401
        """Remove nodes by their ids, or by a filter, or by both."""
        found = {one.id for one in self._library.documents(_where(filters))} if filters else set(node_ids or ())
        self._library.delete(*(found & set(node_ids) if node_ids is not None else found))

    def clear(self) -> None:
        """Remove all nodes."""
        self._library.delete(*[one.id for one in self._library.documents()])

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The nodes of these ids, or that pass the filters; all of them where neither is given."""
        ids = node_ids if node_ids is not None else [one.id for one in self._library.documents(_where(filters))]
        return [_node(found) for id_ in ids if (found := stored_text(self._library, id_)) is not None]

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        """The nodes that answer `query.query_str` best; of a long one the whole, once."""
        if not query.query_str:
            raise QueryError("a library is asked in words: give query_str")
        if (mode := VectorStoreQueryMode(query.mode)) != VectorStoreQueryMode.DEFAULT:
            raise NotImplementedError(f"a library has no query mode {mode.value}: its `recipe` says how it finds")
        found: dict[str, tuple[BaseNode, float]] = {}
        for one in found_texts(
            self._library, query.query_str, query.similarity_top_k, self.recipe, _where(query.filters)
        ):
            id_ = str(one.metadata.get("doc_id", one.id)) if one.id.partition("#")[2] else one.id
            whole = stored_text(self._library, id_)
            if id_ not in found and whole is not None:
                found[id_] = (_node(whole), one.score)
        nodes, scores = [node for node, _ in found.values()], [score for _, score in found.values()]
        return VectorStoreQueryResult(nodes=nodes, similarities=scores, ids=list(found))

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        """`query` in a thread."""
        return await asyncio.to_thread(self.query, query, **kwargs)

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:  # noqa: ANN401
        """`add` in a thread."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    async def adelete(self, ref_doc_id: str, **kwargs: Any) -> None:  # noqa: ANN401
        """`delete` in a thread."""
        await asyncio.to_thread(self.delete, ref_doc_id, **kwargs)


_REF = "ref_doc_id"


def _where(filters: MetadataFilters | None) -> dict[str, Any] | None:
    """LlamaIndex's filters as ours."""
    return where_all_hold(_conditions(filters)) or None if filters is not None else None


def _conditions(given: MetadataFilters) -> Iterator[tuple[str, str, object]]:
    """Key, operator and value of all that must hold."""
    if given.condition not in (None, FilterCondition.AND):
        raise QueryError("a library's filters must all hold: join them by AND")
    for one in given.filters:
        if isinstance(one, MetadataFilter):
            yield one.key, one.operator.value, one.value
        else:
            yield from _conditions(one)


def _node(found: StoredText) -> BaseNode:
    return metadata_dict_to_node(found.metadata, found.text)


class _PassageNode(TextNode):
    """A passage; its hash, by which results are fused, knows nothing of the one context that it stands in."""

    @property
    def hash(self) -> str:
        """The hash of the text and of what is true of it in every context."""
        told = {key: value for key, value in self.metadata.items() if key not in ("number", "score")}
        return TextNode(text=self.text, metadata=told).hash


def _nodes(context: Context, origin: HandedOver | Library) -> list[NodeWithScore]:
    found = []
    for passage, told in written_passages(context, origin):
        first = passage.support[0]
        one_place = passage.kind == "quote" and len(passage.support) == 1
        node = _PassageNode(
            id_=passage_id(passage),
            text=passage.text,
            extra_info=told,  # the alias of `metadata`
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
DecoctEmbedding = LlamaIndexEmbedding
DecoctVectorStore = LlamaIndexVectorStore
