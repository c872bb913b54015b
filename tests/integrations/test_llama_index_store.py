"""A library as LlamaIndex's vector store, judged by its own index and evaluator."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.evaluation import RetrieverEvaluator
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from decoct import Document, Library
from decoct.errors import QueryError
from decoct.integrations.llama_index import DecoctEmbedding, DecoctRetriever, DecoctVectorStore
from decoct_testing.hash_embedder import HashEmbedder

QUESTION = "When was the bridge of town 3 opened?"
NODES = [
    TextNode(
        id_=f"n{n}",
        text=f"Town {n} has a bridge. It was opened in {1900 + n}.",
        metadata={"year": 1900 + n, "deep": {"a": [1]}},
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc{n % 2}")},
    )
    for n in range(6)
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        yield opened


def year(operator: FilterOperator, value: int) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="year", operator=operator, value=value)])


def test_an_index_over_a_library(library: Library) -> None:
    store = DecoctVectorStore(library)
    index = VectorStoreIndex(
        NODES, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=DecoctEmbedding()
    )
    found = index.as_retriever(similarity_top_k=2).retrieve(QUESTION)
    assert len(found) == 2
    best = next(one.node for one in found if one.node.node_id == "n3")
    assert (best.get_content(), best.metadata) == (NODES[3].text, NODES[3].metadata)
    assert best.ref_doc_id == "doc1"
    late = index.as_retriever(similarity_top_k=6, filters=year(FilterOperator.GTE, 1904)).retrieve("bridge")
    assert {one.node.node_id for one in late} == {"n4", "n5"}
    assert {one.node_id for one in store.get_nodes(filters=year(FilterOperator.EQ, 1902))} == {"n2"}
    both = MetadataFilters(filters=[*year(FilterOperator.EQ, 1902).filters, year(FilterOperator.GT, 1901)])
    assert {one.node_id for one in store.get_nodes(filters=both)} == {"n2"}
    with pytest.raises(QueryError, match="!="):
        store.get_nodes(filters=year(FilterOperator.NE, 1902))
    with pytest.raises(NotImplementedError, match="no query mode mmr"):
        index.as_retriever(vector_store_query_mode="mmr").retrieve(QUESTION)
    store.delete("doc1")
    assert {one.node_id for one in store.get_nodes()} == {"n0", "n2", "n4"}
    store.delete_nodes(["n0"])
    assert {one.node_id for one in store.get_nodes()} == {"n2", "n4"}
    store.clear()
    assert store.get_nodes() == []


def test_llama_indexes_evaluator_finds_the_retrievers_own_nodes(library: Library) -> None:
    """It gave 0: every call made new ids."""
    library.add([Document(node.node_id, node.text, f"Town {n}") for n, node in enumerate(NODES)])
    retriever = DecoctRetriever(library, "naive", 60)
    expected = [node.node_id for node in retriever.retrieve(QUESTION)]
    assert len(set(expected)) == len(expected)
    evaluator = RetrieverEvaluator.from_metric_names(["hit_rate", "mrr"], retriever=retriever)
    judged = asyncio.run(evaluator.aevaluate(QUESTION, expected_ids=expected))
    assert judged.metric_vals_dict == {"hit_rate": 1.0, "mrr": 1.0}


def test_the_loop_goes_on_while_nodes_are_looked_for(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.add([Document("a", "The old bridge was opened in 1934.")])
    retriever, threads = DecoctRetriever(library), []
    asked = library.context

    def context(*given: object, **more: object) -> object:
        threads.append(threading.current_thread())
        return asked(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(library, "context", context)
    assert asyncio.run(retriever.aretrieve("old bridge"))
    assert threads[0] is not threading.main_thread()


def test_a_retriever_is_copied_and_pickled(tmp_path: Path) -> None:
    with Library.open(tmp_path / "l") as opened:
        opened.add([Document("a", "The old bridge was opened in 1934.", source="a.txt", metadata={"year": 1934})])
        retriever = DecoctRetriever(opened)
        (found,) = retriever.retrieve("old bridge")
        assert {name: found.node.metadata[name] for name in ("year", "source")} == {"year": 1934, "source": "a.txt"}
        assert copy.deepcopy(retriever).retrieve("old bridge")[0].node.node_id == found.node.node_id
        assert pickle.loads(pickle.dumps(retriever)).retrieve("old bridge")[0].node.node_id == found.node.node_id
