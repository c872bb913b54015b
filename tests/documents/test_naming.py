"""No document is called so much that its passages crowd out others."""

from __future__ import annotations

from pathlib import Path

from decoct.data import Document
from decoct.ingest import NAMES, TITLE, named_in_bounds
from decoct.library import Library


def test_titles_and_names_are_one_line_and_bounded() -> None:
    long = "word " * 500
    made = named_in_bounds(
        Document("a", "text", f"Two\nlines {long}", names=("", " x\ty ", *(f"n{i}" for i in range(300)), long))
    )
    assert made.title.startswith("Two lines word")
    assert made.title.endswith(" word…")
    assert len(made.title) <= TITLE
    assert made.names[0] == "x y"
    assert len(made.names) == NAMES - 1  # an empty one is no name
    assert len(named_in_bounds(Document("a", "text", "x" * 10_000)).title) == TITLE
    plain = Document("a", "text", "A title", names=("b",))
    assert named_in_bounds(plain) is plain


def test_one_document_with_an_endless_title_blocks_no_question(tmp_path: Path) -> None:
    said = "The stone bridge was opened in 1906."
    with Library.open(tmp_path / "lib") as library:
        library.add(
            [Document("evil", f"Stone bridge opened. {said}", "stone bridge opened " * 5_000), Document("good", said)]
        )
        assert len(library.document("evil").title) <= TITLE
        context = library.context("When was the stone bridge opened?", 20)
        assert any(said in passage.text for passage in context.passages)
