"""Haystack: a pipeline whose retrieved documents become a context within an exact budget, and a library as a retriever.

`pip install 'decoct[haystack]'`, then `python examples/from_haystack.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from decoct import Library
from decoct.integrations.haystack import DecoctContextBuilder, DecoctRetriever

PAPER = Path(__file__).parent / "documents" / "tnt.md"
QUESTION = "Which smoothing does the tagger use?"


def main() -> None:
    """Put the builder between Haystack's retriever and prompt; then let Decoct retrieve."""
    text = PAPER.read_text("utf-8")
    store = InMemoryDocumentStore()
    splitter = DocumentSplitter(split_by="word", split_length=100, split_overlap=20)
    splitter.warm_up()
    store.write_documents(splitter.run([Document(id="tnt", content=text)])["documents"])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=20))
    pipeline.add_component("context", DecoctContextBuilder("merge-extract", budget=120))
    pipeline.add_component("prompt", PromptBuilder("Answer from this:\n{{ context }}\n\nQuestion: {{ question }}"))
    pipeline.connect("retriever.documents", "context.documents")
    pipeline.connect("context.context", "prompt.context")
    asked = {"retriever": {"query": QUESTION}, "context": {"query": QUESTION}, "prompt": {"question": QUESTION}}
    found = pipeline.run(asked, include_outputs_from={"context"})
    print(found["prompt"]["prompt"])
    for document in found["context"]["documents"]:
        for span in document.meta["spans"]:
            assert text[span["start"] : span["end"]] in (document.content or "")

    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        library.add([PAPER])
        answered = DecoctRetriever(library, budget=200).run(QUESTION)
        print(answered["tokens"], "tokens in", len(answered["documents"]), "documents")


if __name__ == "__main__":
    main()
