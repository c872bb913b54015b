"""`decoct serve --demo`: a library of the demo's documents and three questions to begin with."""

from __future__ import annotations

from pathlib import Path

from decoct.errors import ConfigError
from decoct.library import Library

# What the documents answer and the reader without a language model finds, or shows first: in an encyclopedia, a PDF and a Word file.
QUESTIONS = (
    "Who represented Rosa Parks in her challenge to bus segregation?",
    "What range does the BLEU metric have?",
    "How many negative reviews are in the movie review corpus?",
)


def demo_library(state: Path) -> Path:
    """The demo's library in the server's state folder, made at the first time of the documents that a checkout has."""
    from decoct.server.child import keep_original, original_of

    place, folder = state / "demo", _documents()
    with Library.open(place) as library:
        library.add(sorted(folder.iterdir()))
        for pdf in folder.glob("*.pdf"):
            keep_original(pdf, original_of(place, pdf.name))
    return place


def _documents() -> Path:
    """`examples/documents` of the checkout that this file or the working directory lies in; a wheel has no copy."""
    for home in (Path(__file__).parents[3], Path.cwd()):
        if (home / "examples" / "documents").is_dir():
            return home / "examples" / "documents"
    raise ConfigError(
        "the demo's documents are in the repository, not in the installed package: run it in a checkout, or serve a folder "
        "of yours (decoct ingest FOLDER --library NAME, then decoct serve --library NAME)"
    )
