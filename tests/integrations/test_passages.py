"""What the adapters share: the metadata of a passage, and the library behind a retriever."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Library
from decoct.data import Passage, Span
from decoct.errors import ConfigError, StoreError
from decoct.integrations.builder import DEFAULT_BUDGET, ContextBuilder, laid_out
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.hits import HandedHit
from decoct.integrations.passages import opened, passage_metadata, written_passages
from decoct.recipe import load_recipe
from decoct_testing.hash_embedder import HashEmbedder

QUOTE = Passage("opened in 1934", (Span("b", 15, 29),), title="Old bridge")


def test_a_passage_tells_its_place_beside_what_the_hit_said() -> None:
    origin = {"kind": "report", "page": 3, "start_index": 7, "score": 0.9, "number": 8, "spans": [], "doc_id": "other"}
    assert passage_metadata(2, QUOTE, origin) == {
        "kind": "report",
        "page": 3,
        "doc_id": "b",
        "spans": [{"doc_id": "b", "start": 15, "end": 29}],
        "number": 2,
        "title": "Old bridge",
        "score": 0.0,
    }
    assert sorted(passage_metadata(1, QUOTE)) == ["doc_id", "number", "score", "spans", "title"]


def test_a_passage_of_several_documents_is_called_by_the_first() -> None:
    rewrite = Passage("Both say so.", (Span("b", 0, 4), Span("a", 0, 4)), kind="rewrite")
    metadata = passage_metadata(1, rewrite)
    assert (metadata["doc_id"], [span["doc_id"] for span in metadata["spans"]]) == ("b", ["b", "a"])


def test_passages_are_numbered_as_the_context_shows_them() -> None:
    texts = ["The bridge was opened in 1934.", "The tower is high."]
    held = HandedOver([HandedHit(text, f"d{n}", 0, metadata={"rank": n}) for n, text in enumerate(texts)])
    builder = ContextBuilder("naive", 100, HashEmbedder())
    context = builder.over("When was the bridge opened?", held)
    told = list(written_passages(context, held))
    assert [(metadata["number"], metadata["doc_id"], metadata["rank"]) for _, metadata in told] == [
        (number, passage.support[0].doc_id, int(passage.support[0].doc_id[1:]))
        for number, (passage, _) in enumerate(told, 1)
    ]
    assert len(told) == 2
    assert [metadata for _, metadata in written_passages(context)] == [
        {name: value for name, value in metadata.items() if name != "rank"} for _, metadata in told
    ]


def test_a_library_is_taken_as_it_is_or_opened_where_there_is_one(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        assert opened(library) is library
    with pytest.raises(StoreError):
        opened(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_layout_replaces_the_recipes_own_and_none_leaves_it() -> None:
    recipe = load_recipe("default")
    assert laid_out(recipe, None) is recipe
    assert laid_out("default", None) == recipe
    plain = laid_out(recipe, "plain")
    assert (plain.layout != recipe.layout, plain.retrieve, plain.context) == (True, recipe.retrieve, recipe.context)
    with pytest.raises(ConfigError, match="layout"):
        laid_out(recipe, "nonsense")


def test_a_builder_says_at_once_what_its_recipe_lacks() -> None:
    assert ContextBuilder("naive", embedder=HashEmbedder()).budget.limit == DEFAULT_BUDGET  # type: ignore[union-attr]
    with pytest.raises(ConfigError):
        ContextBuilder("naive", 0.5, HashEmbedder())  # type: ignore[arg-type]
