"""Each recipe is read and built once a library, its parts apart."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from decoct import registry
from decoct.config import resolve
from decoct.data import Document, Query, Ranking
from decoct.errors import ConfigError
from decoct.index.base import Store
from decoct.library import Library
from decoct.pipeline import MOST
from decoct.recipe import load_recipe, shipped
from decoct.retrieve.lexical import BM25
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

QUESTION = "When was the stone bridge opened?"


@dataclass(frozen=True, slots=True)
class Counted:
    """BM25 that counts how often it is built."""

    store: Store
    label: str = ""

    built: ClassVar[list[str]] = []

    def __post_init__(self) -> None:
        self.built.append(self.label)

    def retrieve(self, query: Query, k: int) -> Ranking:
        return BM25(self.store).retrieve(query, k)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(Counted, "built", [])
    installed = registry.names
    known = {**installed("retrieve"), "counted": f"{__name__}:Counted"}
    monkeypatch.setattr(registry, "names", lambda stage: known if stage == "retrieve" else installed(stage))
    opened = Library.open(tmp_path / "library", embedder=HashEmbedder())
    opened.add([Document("bridge", "The stone bridge was opened in 1906."), Document("garden", "A garden of roses.")])
    return opened


def ids(found: Sequence[object]) -> list[str]:
    return [hit.chunk.span.doc_id for hit in found]  # type: ignore[attr-defined]


def needing_a_model() -> list[str]:
    """The shipped recipes whose steps ask a language model, but whose retrieval does not."""
    return [
        name
        for name in shipped()
        if any(step.needs("llm") or step.needs("logprobs") for step in load_recipe(name).context)
        and not load_recipe(name).retrieve.needs("llm")
        and "cards" not in name
    ]


@pytest.mark.parametrize("recipe", needing_a_model())
def test_a_search_needs_no_model_for_what_only_contexts_need(library: Library, recipe: str) -> None:
    if "syntactic" in recipe:
        pytest.importorskip("spacy")
    assert "bridge" in ids(library.search(QUESTION, recipe=recipe))
    with pytest.raises(ConfigError, match="needs a language model"):
        library.context(QUESTION, recipe=recipe)


def test_casc_is_searched_without_a_model(library: Library) -> None:
    assert ids(library.search(QUESTION, 1, recipe="casc")) == ["bridge"]


def test_a_recipe_is_built_once_for_all_questions(library: Library) -> None:
    table = {"retrieve": {"use": "counted"}}
    for question in (QUESTION, "Where do roses grow?"):
        library.search(question, recipe=table)
        library.context(question, recipe=dict(table))
    assert len(Counted.built) == 1


def test_threads_build_a_recipe_once(library: Library) -> None:
    barrier = threading.Barrier(8)

    def ask(_: int) -> list[str]:
        barrier.wait()
        return ids(library.search(QUESTION, 1, recipe={"retrieve": {"use": "counted"}}))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [["bridge"]] * 8
    assert len(Counted.built) == 1


def test_a_file_is_read_again_when_it_changed(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for n, label in enumerate(("first", "first", "second")):
        file.write_text(f'[retrieve]\nuse = "counted"\nlabel = "{label}"\n', "utf-8")
        os.utime(file, ns=(n // 2, n // 2))
        library.search(QUESTION, recipe=file)
    assert Counted.built == ["first", "second"]


def test_another_model_takes_effect(library: Library) -> None:
    with pytest.raises(ConfigError):
        library.context(QUESTION, recipe="summarise")
    library.llm = ScriptedLLM(lambda request: "It was opened in 1906 [1].")
    assert library.context(QUESTION, recipe="summarise").passages
    assert library.ask(QUESTION).text == "It was opened in 1906 [1]."


def test_what_is_switched_off_tells_recipes_apart(library: Library) -> None:
    on, off = ({"retrieve": {"use": "bm25"}, "context": [{"use": "stitch", "store": value}]} for value in (True, False))
    assert library.pipeline(load_recipe(on)) is not library.pipeline(load_recipe(off))
    assert resolve({"use": "stitch", "store": False}, "context", "x").as_dict()["store"] is False


def test_recipes_asked_long_ago_are_let_go(library: Library) -> None:
    first = library.pipeline("bm25")
    for n in range(MOST):
        library.pipeline({"retrieve": {"use": "bm25"}, "depth": n + 1})
    assert library.pipeline("bm25") is not first
