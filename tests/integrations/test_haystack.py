"""Haystack's own pipeline around our components: outputs, saved pipelines, splitters' offsets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ConfigError, QueryError
from decoct_testing.hash_embedder import HashEmbedder

pytest.importorskip("haystack")

from haystack import Document as Handed
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from decoct.integrations.haystack import DecoctContextBuilder, DecoctRetriever

TEXT = "The bridge was opened in 1934. It is made of concrete. The mayor spoke at the opening."
QUESTION = "When was the bridge opened?"


def test_the_retriever_answers_with_documents_context_and_tokens(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", embedder=HashEmbedder())
    towns = [Document(f"t{n}", f"Town {n} has a bridge. It was opened in {1900 + n}.", f"Town {n}") for n in range(9)]
    library.add([Document("aare", TEXT, "Aare", metadata={"kind": "report"}), *towns])
    found = DecoctRetriever(library, "naive", 60).run(QUESTION)
    assert found["context"] == "\n\n".join(document.content for document in found["documents"])
    assert 0 < found["tokens"] == default_tokenizer().count(found["context"]) <= 60
    for number, document in enumerate(found["documents"], 1):
        assert set(document.meta) >= {"doc_id", "spans", "number", "title", "score", "source"}
        assert document.meta["number"] == number
        (span,) = document.meta["spans"]
        assert library.document(span["doc_id"]).text[span["start"] : span["end"]] == document.content
    (only,) = DecoctRetriever(library, "naive", 60, {"kind": "report"}).run(query=QUESTION)["documents"]
    assert only.content == TEXT


def test_a_runs_filters_narrow_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", embedder=HashEmbedder())
    library.add([Document(name, TEXT + name, metadata={"kind": name}) for name in ("policy", "note")])
    retriever = DecoctRetriever(library, "bm25", where={"kind": "policy"})
    kinds = {name: {"field": "meta.kind", "operator": "==", "value": name} for name in ("policy", "note")}
    assert retriever.run(QUESTION, filters=kinds["note"])["documents"] == []
    (only,) = retriever.run(QUESTION, top_k=1, filters=kinds["policy"])["documents"]
    assert only.meta["kind"] == "policy"
    run: Any = retriever.run
    for top_k in (0, -1, "2", 1.5, True):
        with pytest.raises(QueryError, match="top_k is a whole number from 1 on"):
            run(QUESTION, top_k=top_k)
    for wrong in ({"kind": {">=": 2020}}, [1], {"operator": "AND", "conditions": [3]}):
        with pytest.raises(QueryError, match=r"a filter is .{1,2}field"):
            run(QUESTION, filters=wrong)
    with pytest.raises(TypeError, match=r"^DecoctRetriever.__init__\(\) got an unexpected keyword argument 'top_k'"):
        DecoctRetriever(library, top_k=3)  # type: ignore[call-arg]


def test_a_pipeline_of_haystacks_own_retriever_is_saved_loaded_and_run() -> None:
    kept = InMemoryDocumentStore()
    splitter = DocumentSplitter(split_by="word", split_length=6, split_overlap=2)
    splitter.warm_up()
    whole = Handed(id="aare", content=TEXT, meta={"title": "Aare", "year": 1934})
    kept.write_documents(splitter.run([whole])["documents"])
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(kept))
    made.add_component("context", DecoctContextBuilder("default", 40))
    made.add_component("prompt", PromptBuilder("{{ context }}|{{ tokens }}"))
    made.connect("retriever.documents", "context.documents")
    made.connect("context.context", "prompt.context")
    made.connect("context.tokens", "prompt.tokens")
    given = {"retriever": {"query": "bridge made concrete mayor opening"}, "context": {"query": QUESTION}}
    found = made.run(given, include_outputs_from={"context"})
    assert found["context"]["context"] == TEXT
    (document,) = found["context"]["documents"]
    assert document.meta["spans"] == [{"doc_id": "aare", "start": 0, "end": len(TEXT)}]
    assert (document.meta["doc_id"], document.meta["title"], document.meta["year"]) == ("aare", "Aare", 1934)
    assert found["prompt"]["prompt"] == f"{TEXT}|{default_tokenizer().count(TEXT)}"
    again = Pipeline.loads(made.dumps(), allowed_modules=["decoct.integrations.haystack"])
    assert again.to_dict()["components"] == made.to_dict()["components"]
    loaded = again.get_component("context")
    assert isinstance(loaded, DecoctContextBuilder)
    assert loaded.run(QUESTION, [whole])["context"] == TEXT


def test_components_are_saved_by_names_not_objects(tmp_path: Path) -> None:
    retriever = DecoctRetriever(tmp_path / "library", "naive", "5x", {"kind": "report"})
    data = retriever.to_dict()
    assert data["init_parameters"] == {
        "library": str(tmp_path / "library"),
        "recipe": "naive",
        "budget": "5x",
        "where": {"kind": "report"},
        "layout": "plain",
    }
    assert DecoctRetriever.from_dict(data).to_dict() == data
    with pytest.raises(ConfigError, match="embedder"):
        DecoctContextBuilder(embedder=HashEmbedder()).to_dict()


def test_no_documents_make_an_empty_context() -> None:
    assert DecoctContextBuilder().run(QUESTION, []) == {"documents": [], "context": "", "tokens": 0}
    found = DecoctContextBuilder().run(QUESTION, [Handed(content=None), Handed(content=TEXT, id="x")])
    assert [document.meta["doc_id"] for document in found["documents"]] == ["x"]
