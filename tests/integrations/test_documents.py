"""Documents of frameworks and mappings, added to a library as they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from decoct import Library
from decoct.errors import CorpusError
from decoct.integrations.documents import document_of
from decoct_testing.hash_embedder import HashEmbedder

TEXT = "The old bridge was opened in 1934."


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        yield opened


class Node:
    """As LlamaIndex's."""

    node_id, metadata, ref_doc_id = "n1", {"year": 1934}, "file"

    def get_content(self) -> str:
        return TEXT


@pytest.mark.parametrize(
    ("given", "id_"),
    [
        ({"id": "a", "text": TEXT, "title": "Bridge", "metadata": {"year": 1934}}, "a"),
        (SimpleNamespace(page_content=TEXT, metadata={"source": "b.txt", "year": 1934}, id=None), "b.txt"),
        (
            SimpleNamespace(page_content=TEXT, metadata={"source": "b.txt", "year": 1934, "start_index": 7}, id=None),
            "b.txt#7",
        ),
        (SimpleNamespace(content=TEXT, meta={"year": 1934}, id="h", score=None), "h"),
        (Node(), "n1"),
    ],
    ids=["mapping", "langchain", "langchain-split", "haystack", "llama-index"],
)
def test_a_document_is_added_with_its_metadata(library: Library, given: Any, id_: str) -> None:
    assert library.add([given]).added == 1
    assert library.add(given).unchanged == 1  # alone, and not twice
    stored = library.document(id_)
    assert (stored.text, stored.metadata["year"]) == (TEXT, 1934)


@pytest.mark.parametrize("given", [3, [object()], [{"title": "no text"}]])
def test_what_is_no_document_is_refused_by_what_it_is(library: Library, given: Any) -> None:
    with pytest.raises(CorpusError):
        library.add(given)


def test_a_date_of_a_table_is_its_text() -> None:
    assert document_of({"text": "A mill.", "metadata": {"day": date(2024, 5, 17)}}).metadata == {"day": "2024-05-17"}
