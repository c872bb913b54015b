"""Haystack's own suite for document stores, and what the retriever and the embedders take at run time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DocumentStore, DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from decoct import Library
from decoct.errors import QueryError
from decoct.integrations.haystack import (
    DecoctContextBuilder,
    DecoctDocumentEmbedder,
    DecoctDocumentStore,
    DecoctRetriever,
    DecoctTextEmbedder,
)
from decoct_testing.hash_embedder import HashEmbedder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DecoctDocumentStore]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        yield DecoctDocumentStore(opened)


class TestDecoctDocumentStore(DocumentStoreBaseTests):
    """Nothing of it is skipped. Writing without a policy, which is left to a store, refuses what is there; documents come in the order of
    their ids, and the suite says that a store may compare them its own way.
    """

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        assert received == sorted(expected, key=lambda one: one.id)

    @pytest.fixture
    def document_store(self, store: DecoctDocumentStore) -> DocumentStore:
        return store

    def test_write_documents(self, document_store: DocumentStore) -> None:
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])
        self.assert_documents_are_equal(document_store.filter_documents(), [document])


def test_a_run_keeps_the_best_and_filters(store: DecoctDocumentStore) -> None:
    store.write_documents(
        [
            Document(content=f"Town {n} has a bridge. It was opened in {1900 + n}.", meta={"year": 1900 + n})
            for n in range(9)
        ]
    )
    retriever = DecoctRetriever(store.library)
    bounds = {">=": 1903, "<": 1908}
    conditions = [{"field": "meta.year", "operator": name, "value": year} for name, year in bounds.items()]
    filters = {"operator": "AND", "conditions": conditions}
    found = retriever.run("When was the bridge opened?", top_k=2, filters=filters)["documents"]
    assert len(found) == 2
    assert all(1903 <= one.meta["year"] < 1908 for one in found)
    assert found[0].id == retriever.run("When was the bridge opened?", top_k=2, filters=filters)["documents"][0].id
    one = retriever.run("bridge", filters={"field": "meta.year", "operator": "==", "value": 1905})["documents"]
    assert {each.meta["year"] for each in one} == {1905}
    value = {"field": "meta.year", "operator": "==", "value": 1905}
    both = {"operator": "AND", "conditions": [value, filters]}
    assert {each.meta["year"] for each in retriever.run("bridge", filters=both)["documents"]} == {1905}
    neither = {"operator": "AND", "conditions": [value, {"field": "meta.year", "operator": ">", "value": 1905}]}
    assert retriever.run("bridge", filters=neither)["documents"] == []
    with pytest.raises(QueryError, match="not in"):
        retriever.run("bridge", filters={"field": "meta.year", "operator": "not in", "value": [1905]})


def test_what_was_written_comes_back_as_it_was(store: DecoctDocumentStore) -> None:
    given = Document(
        content="A text.", meta={"a": {"b": [1, 2]}, "none": None, "tags": ["x"]}, embedding=[0.5, 0.25], score=0.5
    )
    store.write_documents([given], DuplicatePolicy.OVERWRITE)
    assert store.filter_documents() == [given]


def test_embedders_in_a_pipeline() -> None:
    pipeline = Pipeline()
    pipeline.add_component("text", DecoctTextEmbedder())
    pipeline.add_component("documents", DecoctDocumentEmbedder())
    made = pipeline.run(
        {"text": {"text": "a bridge"}, "documents": {"documents": [Document(content="a bridge", meta={"k": 1})]}}
    )
    assert len(made["text"]["embedding"]) == 384
    assert made["documents"]["documents"][0].embedding == pytest.approx(made["text"]["embedding"], abs=1e-6)
    assert made["documents"]["documents"][0].meta == {"k": 1}
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["decoct.integrations.haystack"])
    assert again.run({"text": {"text": "a bridge"}, "documents": {"documents": []}})["text"] == made["text"]


def test_a_store_and_a_warm_retriever_are_saved_copied_and_pickled(tmp_path: Path) -> None:
    store = DecoctDocumentStore(str(tmp_path / "library"))
    store.write_documents([Document(content="The old bridge was opened in 1934.")])
    retriever = DecoctRetriever(str(tmp_path / "library"))
    found = retriever.run("old bridge")["documents"]
    assert copy.deepcopy(retriever).run("old bridge")["documents"] == found
    again = pickle.loads(pickle.dumps(retriever))
    assert again.run("old bridge")["documents"] == found
    assert DecoctDocumentStore.from_dict(store.to_dict()).count_documents() == 1


def test_a_context_builder_is_copied_and_pickled() -> None:
    """Was: cannot pickle '_thread.lock' object."""
    builder = DecoctContextBuilder(budget=100)
    documents = [Document(content="The old bridge was opened in 1934.")]
    told = builder.run("old bridge", documents)
    assert copy.deepcopy(builder).run("old bridge", documents) == told
    assert pickle.loads(pickle.dumps(builder)).run("old bridge", documents) == told


def test_components_bear_the_names_that_are_imported_and_a_saved_pipeline_loads(tmp_path: Path) -> None:
    DecoctDocumentStore(str(tmp_path / "library"))
    pipeline = Pipeline()
    pipeline.add_component("retriever", DecoctRetriever(str(tmp_path / "library")))
    pipeline.add_component("context", DecoctContextBuilder())
    pipeline.add_component("text", DecoctTextEmbedder())
    pipeline.add_component("documents", DecoctDocumentEmbedder())
    names = [type(pipeline.get_component(one)).__name__ for one in ("retriever", "context", "text", "documents")]
    assert names == ["DecoctRetriever", "DecoctContextBuilder", "DecoctTextEmbedder", "DecoctDocumentEmbedder"]
    saved = pipeline.dumps()
    assert "haystack.Haystack" not in saved
    assert Pipeline.loads(saved, allowed_modules=["decoct.integrations.haystack"]).dumps() == saved
