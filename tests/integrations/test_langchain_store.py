"""LangChain's own suites for vector stores and embeddings (langchain-tests), and what they do not ask."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct_testing.hash_embedder import HashEmbedder

pytest.importorskip("langchain_tests")

from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import EmbeddingsIntegrationTests, VectorStoreIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from decoct.integrations.langchain import DecoctEmbeddings, DecoctRetriever, DecoctVectorStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DecoctVectorStore]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        yield DecoctVectorStore(opened)


class TestDecoctVectorStore(VectorStoreIntegrationTests):
    """Nothing of it is skipped."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def vectorstore(self, store: DecoctVectorStore) -> VectorStore:
        return store


class _OfTheSuite:
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return DecoctEmbeddings


class TestDecoctEmbeddingsUnit(_OfTheSuite, EmbeddingsUnitTests):
    """Nothing of it is skipped; there is no key to be read from the environment."""


class TestDecoctEmbeddingsIntegration(_OfTheSuite, EmbeddingsIntegrationTests):
    """Nothing of it is skipped."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"


def test_filters_scores_and_metadata_of_any_kind(store: DecoctVectorStore) -> None:
    texts = ["The old bridge was opened in 1934.", "The new bridge was opened in 1999."]
    told: list[dict[str, Any]] = [
        {"year": 1934, "tags": ["a", "b"]},
        {"year": 1999, "where": {"town": "Bern"}, "none": None},
    ]
    ids = store.add_texts(texts, told)
    (found,) = store.similarity_search("bridge opened", k=1, filter={"year": {">=": 1950}})
    assert (found.page_content, found.metadata, found.id) == (texts[1], told[1], ids[1])
    scored = store.similarity_search_with_score("old bridge", k=2)
    assert [score for _, score in scored] == sorted((score for _, score in scored), reverse=True)
    assert store.as_retriever(search_kwargs={"k": 1}).invoke("old bridge")[0].metadata == told[0]
    with pytest.raises(TypeError, match="filter"):
        store.similarity_search("x", k=1, filtre={})
    with pytest.raises(TypeError):
        store.add_texts(["x"], [{"day": date(2020, 1, 1)}])  # what JSON cannot hold is refused, not lost


def test_a_long_text_comes_back_as_the_chunk_that_was_found(store: DecoctVectorStore) -> None:
    text = "\n\n".join(
        f"Paragraph {n} tells of {'bridges' if n == 30 else 'towers'} at some length, word after word."
        for n in range(60)
    )
    store.add_documents([LangChainDocument(text, id="long")])
    (found,) = store.similarity_search("bridges", k=1)
    start = found.metadata["start_index"]
    assert found.metadata["doc_id"] == "long"
    assert text[start : start + len(found.page_content)] == found.page_content
    assert found.id == f"long#{start}-{start + len(found.page_content)}"
    assert store.get_by_ids(["long"])[0].page_content == text


def test_from_texts_and_all_that_is_there_is_removed(tmp_path: Path) -> None:
    made = DecoctVectorStore.from_texts(["one", "two"], ids=["1", "2"], library=tmp_path / "made")
    assert len(made.get_by_ids(["1", "2", "3"])) == 2
    made.delete()
    assert made.similarity_search("one") == []
    assert len(made.embeddings.embed_query("one")) == 384
    made.library.close()


def test_a_retriever_tells_where_from_and_can_be_copied_and_pickled(tmp_path: Path) -> None:
    place = tmp_path / "library"
    with Library.open(place) as library:
        library.add(
            [Document("b", "The old bridge was opened in 1934.", "Bridge", source="b.txt", metadata={"year": 1934})]
        )
        retriever = DecoctRetriever(library)
        (found,) = retriever.invoke("old bridge")
        assert {name: found.metadata[name] for name in ("year", "source", "doc_id")} == {
            "year": 1934,
            "source": "b.txt",
            "doc_id": "b",
        }
        assert found.metadata["score"] > 0
        assert found.id == retriever.invoke("When was the old bridge opened?")[0].id
        assert copy.deepcopy(retriever).invoke("old bridge") == [found]
        again = pickle.loads(pickle.dumps(retriever))
        assert again.invoke("old bridge") == [found]
        again._opened[1].close()
