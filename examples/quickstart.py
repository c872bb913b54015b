"""The main job in Python: documents in, a budgeted context with provenance and a cited answer out.

Run it in a folder where it may make a library: `python examples/quickstart.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from decoct import Document, Library

HERE = Path(__file__).parent


def main() -> None:
    """Ingest, ask, and open what a citation points at."""
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        report = library.add([HERE / "documents", Document("note", "The demo ships with Decoct.", title="A note")])
        print(f"{report.added} documents, {report.chunks} chunks")

        context = library.context("Where was the husband of Virginia Foster Durr born?", budget=300)
        print(f"{context.tokens} of {context.limit} tokens, {len(context.passages)} passages")

        answer = library.ask("Which measure does the paper on Bleu propose for brevity?")
        print(answer.text)
        for citation in answer.citations:
            source = citation.source
            assert library.document(source.doc_id).text[source.start : source.end] == source.quote
            print(f"[{citation.number}] {source.doc_id}, characters {source.start} to {source.end}: {source.quote}")


if __name__ == "__main__":
    main()
