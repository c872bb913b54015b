"""LlamaIndex's own classes around ours: what its synthesizer hands to the model is what the budget counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import QueryError
from decoct_testing.hash_embedder import HashEmbedder

pytest.importorskip("llama_index.core")

from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import Document as Whole
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from decoct.integrations import llama_index as adapters
from decoct.integrations.llama_index import DecoctPostprocessor, DecoctRetriever

TEXT = "The bridge was opened in 1934. It is made of concrete. The mayor spoke at the opening."
QUESTION = "When was the bridge opened?"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "library", embedder=HashEmbedder())
    towns = [Document(f"t{n}", f"Town {n} has a bridge. It was opened in {1900 + n}.", f"Town {n}") for n in range(9)]
    opened.add([Document("aare", TEXT, "Aare", metadata={"kind": "report"}), *towns])
    return opened


def shown(nodes: list[NodeWithScore]) -> str:
    return "\n\n".join(node.node.get_content(metadata_mode=MetadataMode.LLM) for node in nodes)


def test_the_retriever_gives_passages_without_metadata_for_the_model(library: Library) -> None:
    nodes = DecoctRetriever(library, "naive", 60).retrieve(QUESTION)
    assert 0 < default_tokenizer().count(shown(nodes)) <= 60
    for number, node in enumerate(nodes, 1):
        assert set(node.metadata) >= {"doc_id", "spans", "number", "title", "score", "source"}
        assert node.metadata["number"] == number
        (span,) = node.metadata["spans"]
        assert library.document(span["doc_id"]).text[span["start"] : span["end"]] == node.text
        assert node.node.get_content(metadata_mode=MetadataMode.EMBED) == node.text
        assert node.node.ref_doc_id == span["doc_id"]


def test_retrievers_are_fused(library: Library) -> None:
    both: list[BaseRetriever] = [DecoctRetriever(library, recipe, 60) for recipe in ("naive", "bm25")]
    one, two = ({node.text: node.node.hash for node in retriever.retrieve(QUESTION)} for retriever in both)
    shared = set(one) & set(two)
    assert shared
    assert all(one[text] == two[text] for text in shared)
    fused = QueryFusionRetriever(both, MockLLM(), "reciprocal_rerank", similarity_top_k=20, num_queries=1)
    assert sorted(node.text for node in fused.retrieve(QUESTION)) == sorted(set(one) | set(two))


def test_a_query_engine_shows_the_model_exactly_the_context(library: Library) -> None:
    retriever = DecoctRetriever(library, "naive", 60, {"kind": "report"})
    model = MockLLM()
    synthesizer = get_response_synthesizer(llm=model, response_mode=ResponseMode.COMPACT)
    said = str(RetrieverQueryEngine(retriever, response_synthesizer=synthesizer).query(QUESTION))
    assert f"---------------------\n{TEXT}\n---------------------" in said


def test_the_postprocessor_joins_what_a_splitter_cut() -> None:
    text = " ".join(f"Sentence number {n} of the document on bridges." for n in range(40))
    nodes: list[Any] = SentenceSplitter(chunk_size=60, chunk_overlap=20).get_nodes_from_documents(
        [Whole(text=text, doc_id="bridges", metadata={"title": "Bridges", "year": 1934})]
    )
    assert len(nodes) > 5
    hits = [NodeWithScore(node=node, score=1 - n / 100) for n, node in enumerate(nodes[:5])]
    made = DecoctPostprocessor(budget=2000, embedder=HashEmbedder()).postprocess_nodes(hits, query_str=QUESTION)
    assert shown(made) == "\n\n".join(node.text for node in made)
    for node in made:
        for span in node.metadata["spans"]:
            assert span["doc_id"] == "bridges"
        assert node.metadata["year"] == 1934
        assert node.metadata["title"] == "Bridges"
    (whole,) = made
    assert whole.text == text[: len(whole.text)]
    assert len(whole.text) == nodes[4].end_char_idx
    assert isinstance(whole.node, TextNode)
    assert (whole.node.start_char_idx, whole.node.end_char_idx) == (0, nodes[4].end_char_idx)


def test_the_postprocessor_keeps_the_budget_and_goes_round() -> None:
    nodes = [
        NodeWithScore(node=TextNode(text=f"{TEXT} {n}", id_=f"n{n}", metadata={"file_name": "f"}), score=0.5)
        for n in range(6)
    ]
    post = DecoctPostprocessor("naive", 50, HashEmbedder())
    made = post.postprocess_nodes(nodes, query_str=QUESTION)
    assert 0 < default_tokenizer().count(shown(made)) <= 50
    assert [n.metadata["spans"] for n in post.postprocess_nodes(made, query_str=QUESTION)] == [
        n.metadata["spans"] for n in made
    ]


def test_a_postprocessor_needs_the_question() -> None:
    with pytest.raises(QueryError, match="query_str"):
        DecoctPostprocessor(embedder=HashEmbedder()).postprocess_nodes([NodeWithScore(node=TextNode(text=TEXT))])


def test_classes_are_traced_under_the_names_that_are_imported() -> None:
    assert all(getattr(adapters, name).__name__ == name for name in adapters.__all__)
