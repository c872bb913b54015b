"""LangChain's own classes around ours: a chain, splitters' offsets, and the budget on the prompt's own text."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ConfigError, QueryError, UnknownLibraryError
from decoct_testing.hash_embedder import HashEmbedder

pytest.importorskip("langchain_core")

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document as Handed
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from decoct.integrations import langchain as adapters
from decoct.integrations.langchain import DecoctCompressor, DecoctRetriever

TEXT = "The bridge was opened in 1934. It is made of concrete. The mayor spoke at the opening."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "library", embedder=HashEmbedder())
    towns = [Document(f"t{n}", f"Town {n} has a bridge. It was opened in {1900 + n}.", f"Town {n}") for n in range(9)]
    opened.add([Document("aare", TEXT, "Aare", metadata={"kind": "report"}), *towns])
    return opened


def joined(documents: list[Handed]) -> str:
    return "\n\n".join(document.page_content for document in documents)


def test_the_retriever_gives_passages_within_the_budget(library: Library) -> None:
    retriever = DecoctRetriever(library, "naive", 60)
    assert isinstance(retriever, BaseRetriever)
    documents = retriever.invoke("When was the bridge opened?")
    assert 0 < default_tokenizer().count("\n\n".join(d.page_content for d in documents)) <= 60
    assert [d.metadata["number"] for d in documents] == list(range(1, len(documents) + 1))
    for document in documents:
        assert set(document.metadata) >= {"doc_id", "spans", "number", "title", "score", "source"}
        (span,) = document.metadata["spans"]
        assert library.document(span["doc_id"]).text[span["start"] : span["end"]] == document.page_content
    assert [d.page_content for d in asyncio.run(retriever.ainvoke("When was the bridge opened?"))] == [
        d.page_content for d in documents
    ]


def test_filters_and_a_chain(library: Library) -> None:
    retriever = DecoctRetriever(library=library, recipe="bm25", budget=100, where={"kind": "report"}, tags=["test"])
    chain = retriever | RunnableLambda(joined)
    assert chain.invoke("When was the bridge opened?") == TEXT


def test_k_keeps_the_best_passages_in_reading_order(library: Library) -> None:
    question = "When was the bridge of Town 3 opened?"
    every = DecoctRetriever(library, "bm25", 500).invoke(question)
    assert len(every) > 3
    found = DecoctRetriever(library, "bm25", 500, k=3).invoke(question)
    assert [one.metadata["number"] for one in found] == sorted(one.metadata["number"] for one in found)
    assert len(found) == 3
    (best,) = DecoctRetriever(library, "bm25", 500).invoke(question, k=1)
    assert best.metadata["doc_id"] == library.search(question, 1, "bm25")[0].chunk.span.doc_id
    assert len(DecoctRetriever(library, "bm25", 500, k=3).invoke(question, k=2)) == 2


def test_search_kwargs_are_honoured_and_a_call_goes_before_them(library: Library) -> None:
    retriever = DecoctRetriever(library, "bm25", 500, search_kwargs={"k": 2})
    assert len(retriever.invoke("When was the bridge opened?")) == 2
    assert len(retriever.invoke("When was the bridge opened?", k=4)) == 4
    short = retriever.invoke("When was the bridge opened?", budget=12)
    assert 0 < default_tokenizer().count(joined(short)) <= 12


def test_a_filter_narrows_and_never_widens(library: Library) -> None:
    library.add([Document("note", "A note: the bridge was opened late.", metadata={"kind": "note", "year": 1950})])
    allowed = {"kind": ["report", "note"]}
    retriever = DecoctRetriever(library, "bm25", 500, allowed, search_kwargs={"filter": {"kind": "report"}})
    assert [one.metadata["doc_id"] for one in retriever.invoke("bridge")] == ["aare"]
    assert [one.metadata["doc_id"] for one in retriever.invoke("bridge", where=None)] == ["aare"]
    assert retriever.invoke("bridge", filter={"kind": "note"}) == []
    retriever.search_kwargs = {}
    assert {one.metadata["doc_id"] for one in retriever.invoke("bridge")} == {"aare", "note"}
    assert [one.metadata["doc_id"] for one in retriever.invoke("bridge", filter={"year": {">=": 1940}})] == ["note"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda library: DecoctRetriever(library, budgett=10), "'budget'"),
        (lambda library: DecoctRetriever(library, search_kwargs={"top": 3}), "'top'"),
        (lambda library: DecoctRetriever(library).invoke("bridge", kk=3), "'k'"),
    ],
)
def test_an_argument_that_is_none_is_refused_by_name(library: Library, make: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        make(library)


@pytest.mark.parametrize("k", [0, -1, True, "3"])
def test_k_is_a_number(library: Library, k: Any) -> None:
    with pytest.raises(QueryError, match="k is a whole number"):
        DecoctRetriever(library).invoke("bridge", k=k)


def test_a_changed_field_has_an_effect(library: Library, tmp_path: Path) -> None:
    retriever = DecoctRetriever(library, "naive", 60)
    question = "When was the bridge opened?"
    by_words = DecoctRetriever(library, "bm25", 60).invoke(question)
    assert retriever.invoke(question) != by_words
    assert retriever.model_copy(update={"recipe": "bm25"}).invoke(question) == by_words
    retriever.recipe = "bm25"
    assert retriever.invoke(question) == by_words
    with Library.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        other.add([Document("b", "A bridge of wood was opened in 1700.")])
        retriever.library = other
        assert [one.metadata["doc_id"] for one in retriever.invoke(question)] == ["b"]
        retriever.recipe = "bm52"
        with pytest.raises(ConfigError, match="bm25"):
            retriever.invoke(question)


def test_a_compressors_changed_field_has_an_effect() -> None:
    compressor = DecoctCompressor("naive", 60, HashEmbedder())
    handed = [Handed(page_content=TEXT)]
    assert joined(compressor.compress_documents(handed, "When was the bridge opened?")) == TEXT
    compressor.budget = 8
    assert default_tokenizer().count(joined(compressor.compress_documents(handed, "When?"))) <= 8


def test_a_library_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(UnknownLibraryError, match="no library"):
        DecoctRetriever(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_the_compressor_joins_what_splitters_cut_and_keeps_what_they_said() -> None:
    cut = [
        Handed(page_content=TEXT[31:], metadata={"source": "aare.txt", "start_index": 31, "year": 1934}),
        Handed(page_content=TEXT[:31], metadata={"source": "aare.txt", "start_index": 0, "year": 1934}),
        Handed(page_content="Other words.", metadata={"source": "other.txt"}),
    ]
    made = DecoctCompressor(embedder=HashEmbedder()).compress_documents(cut, "When was the bridge opened?")
    first, second = made
    assert first.page_content == TEXT
    assert first.metadata == {
        "source": "aare.txt",
        "year": 1934,
        "doc_id": "aare.txt",
        "spans": [{"doc_id": "aare.txt", "start": 0, "end": len(TEXT)}],
        "number": 1,
        "title": "",
        "score": 1.0,
    }
    assert second.metadata["spans"] == [{"doc_id": "other.txt", "start": 0, "end": 12}]
    again = DecoctCompressor("naive", 16, HashEmbedder()).compress_documents(made[:1], "When was the bridge opened?")
    (document,) = again
    assert TEXT.startswith(document.page_content)
    assert document.metadata["spans"] == [{"doc_id": "aare.txt", "start": 0, "end": len(document.page_content)}]


def test_the_compressor_runs_asynchronously_and_takes_nothing() -> None:
    compressor = DecoctCompressor(recipe="naive", budget=50, embedder=HashEmbedder())
    assert compressor.compress_documents([], "Anything?") == []
    found: Any = asyncio.run(compressor.acompress_documents([Handed(page_content=TEXT)], "When?"))
    assert [document.page_content for document in found] == [TEXT]


def test_a_trace_names_the_class_that_was_imported(library: Library) -> None:
    """It was called LangChainRetriever of "langchain", as if it were LangChain's own."""
    told: list[tuple[str, str]] = []

    class Traced(BaseCallbackHandler):
        def on_retriever_start(self, *_: Any, **more: Any) -> None:
            told.append((more["name"], more["metadata"]["ls_retriever_name"]))

    DecoctRetriever(library).invoke("When was the bridge opened?", config={"callbacks": [Traced()]})
    assert told == [("DecoctRetriever", "decoct")]
    assert all(getattr(adapters, name).__name__ == name for name in adapters.__all__)
