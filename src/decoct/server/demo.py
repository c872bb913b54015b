"""`decoct serve --demo`: a library of the demo's documents and three questions to begin with."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

from decoct.errors import ConfigError
from decoct.library import Library

# What the documents answer and the reader without a language model finds, or shows first: in an encyclopedia, a PDF and a Word file.
QUESTIONS = (
    "Who represented Rosa Parks in her challenge to bus segregation?",
    "What range does the BLEU metric have?",
    "How many reviews are in the movie review corpus?",
)


def demo_library(state: Path) -> Path:
    """The demo's library in the server's state folder, made at the first time."""
    from decoct.server.child import keep_original, original_of

    place = state / "demo"
    with ExitStack() as stack:
        documents = files("decoct.server") / "demo_documents"
        folder = stack.enter_context(as_file(documents)) if documents.is_dir() else _checkout()
        with Library.open(place) as library:
            library.add(sorted(folder.iterdir()))
            for pdf in folder.glob("*.pdf"):
                keep_original(pdf, original_of(place, pdf.name))
    return place


def _checkout() -> Path:
    """The documents in a checkout, of which a wheel holds a copy."""
    folder = Path(__file__).parents[3] / "examples" / "documents"
    if not folder.is_dir():
        raise ConfigError("the demo's documents are not there: install Decoct anew")
    return folder
