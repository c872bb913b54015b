"""LangChain: an existing pipeline's documents within an exact budget, and a library as a retriever.

`pip install 'decoct[langchain]'`, then `python examples/from_langchain.py`.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from decoct import Library
from decoct.integrations.langchain import DecoctCompressor, DecoctRetriever

PAPER = Path(__file__).parent / "documents" / "tnt.md"
QUESTION = "Which smoothing does the tagger use?"


def joined(documents: list[Document]) -> str:
    """Documents as LangChain's chains write them into a prompt."""
    return "\n\n".join(document.page_content for document in documents)


def main() -> None:
    """Compress what a splitter and a retriever of your own gave; then let Decoct retrieve in a chain."""
    text = PAPER.read_text("utf-8")
    hits = [
        Document(found.group(), metadata={"source": PAPER.name, "start_index": found.start()})
        for found in re.finditer(r"(?:\S[^\n]*\n?)+", text)
        if "smoothing" in found.group()
    ]
    for document in DecoctCompressor("merge-extract", budget=120).compress_documents(hits, QUESTION):
        print(document.metadata["number"], document.metadata["spans"], document.page_content)
        for span in document.metadata["spans"]:
            assert text[span["start"] : span["end"]] in document.page_content

    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        library.add([PAPER])
        prompt = ChatPromptTemplate.from_template("Answer from this:\n{context}\n\nQuestion: {question}")
        chain = {"context": DecoctRetriever(library, budget=200) | joined, "question": RunnablePassthrough()} | prompt
        print(chain.invoke(QUESTION).to_string())


if __name__ == "__main__":
    main()
