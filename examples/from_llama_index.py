"""LlamaIndex: a postprocessor that brings retrieved nodes within an exact budget, and a library as a retriever.

`pip install 'decoct[llama-index]'`, then `python examples/from_llama_index.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import Document, NodeWithScore

from decoct import Library
from decoct.integrations.llama_index import DecoctPostprocessor, DecoctRetriever

PAPER = Path(__file__).parent / "documents" / "tnt.md"
QUESTION = "Which smoothing does the tagger use?"


def main() -> None:
    """Postprocess what a splitter and a retriever of your own gave; then let Decoct retrieve for a query engine."""
    text = PAPER.read_text("utf-8")
    nodes = SentenceSplitter(chunk_size=200, chunk_overlap=40).get_nodes_from_documents(
        [Document(text=text, doc_id="tnt")]
    )
    hits = [NodeWithScore(node=node) for node in nodes if "smoothing" in node.get_content()]
    for found in DecoctPostprocessor("merge-extract", budget=120).postprocess_nodes(hits, query_str=QUESTION):
        print(found.metadata["number"], found.metadata["spans"], found.text)
        for span in found.metadata["spans"]:
            assert text[span["start"] : span["end"]] in found.text

    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        library.add([PAPER])
        # MockLLM says the prompt again; put a model of yours in its place.
        engine = RetrieverQueryEngine.from_args(DecoctRetriever(library, budget=200), llm=MockLLM())
        print(engine.query(QUESTION))


if __name__ == "__main__":
    main()
