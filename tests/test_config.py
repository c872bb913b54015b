"""Recipes are checked against the parts they name, and every error says where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct import registry
from decoct.config import Resources, resolve
from decoct.errors import ConfigError
from decoct.recipe import load_recipe, shipped
from decoct.retrieve.fusion import Hybrid
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore

HYBRID: dict[str, Any] = {"use": "hybrid", "retrievers": ["bm25", {"use": "dense"}]}


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_recipe_resolves_and_can_be_shown_and_read_again(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.description
    assert load_recipe(json.loads(json.dumps(recipe.as_dict()))).as_dict() == recipe.as_dict()  # jobs send it as JSON


def test_nested_tables_become_nested_objects() -> None:
    built = resolve(HYBRID, "retrieve", "retrieve").build(Resources(store=MemoryStore(), embedder=HashEmbedder()))
    assert isinstance(built, Hybrid)
    assert [type(inner).__name__ for inner in built.retrievers] == ["BM25", "Dense"]


def test_equal_tables_build_equal_stages() -> None:
    resources = Resources(store=MemoryStore(), embedder=HashEmbedder())
    first, second = (resolve(HYBRID, "retrieve", "retrieve").build(resources) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"retrieve": "dens"}, r"recipe.retrieve: there is no 'retrieve' part named 'dens'; did you mean 'dense'"),
        (
            {"retrieve": {"use": "hybrid", "retrievers": ["bm25"], "metod": "rrf"}},
            r"retrieve.metod: .* did you mean 'method'",
        ),
        (
            {"retrieve": {"use": "hybrid", "retrievers": ["bm25", "dense"], "method": "sum"}},
            r"recipe.retrieve.method: ",
        ),
        ({"retrieve": {"use": "hybrid", "retrievers": "dense"}}, r"retrieve.retrievers: expected a list"),
        ({"retrieve": {"use": "hybrid"}}, r"retrieve.retrievers: 'hybrid' needs one of the 'retrieve' parts"),
        ({"retrieve": {"use": "dense", "store": "mine"}}, r"retrieve.store: is handed in by the library"),
        ({"retrieve": {}}, r"recipe.retrieve: a table needs `use"),
        ({"retrieve": 3}, r"recipe.retrieve: expected the name"),
        ({"retriev": "dense"}, r"recipe.retriev: unknown key; did you mean 'retrieve'"),
        ({}, "a recipe needs a retriever"),
        ({"retrieve": "dense", "budget": 0}, r"recipe.budget: expected a number above 0, not 0"),
        ({"retrieve": "dense", "depth": True}, r"recipe.depth: expected a whole number, not True"),
        ({"retrieve": "dense", "context": "stitch"}, r"recipe.context: expected a list"),
        ({"retrieve": "dense", "context": [{"use": "stitch", "count": "both"}]}, r"recipe.context\[0\].count"),
    ],
)
def test_a_bad_recipe_says_where_and_what_is_near(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_recipe(table)


def test_a_recipe_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('description = "mine"\nbudget = 700\nretrieve = "bm25"\n')
    assert (load_recipe(path).name, load_recipe(str(path)).budget) == ("mine", 700)


@pytest.mark.parametrize("name", ["defalt", "../recipes/naive", "", "gone.toml"])
def test_an_unknown_recipe_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match="there is no recipe"):
        load_recipe(name)
    with pytest.raises(ConfigError, match=r"a recipe is a name, .* not None"):
        load_recipe(None)  # type: ignore[arg-type]


def test_a_part_that_needs_a_model_says_so() -> None:
    spec = resolve("cited", "read", "recipe.read")
    assert spec.needs("llm")
    with pytest.raises(ConfigError, match="needs a language model: give --llm"):
        spec.build(Resources())


def test_a_plugin_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"nowhere": "no_such_module_of_a_plugin:X", "lacking": "decoct.data:NoSuchName"}
    monkeypatch.setattr(registry, "names", lambda _stage: table)
    for name, place in table.items():
        with pytest.raises(ConfigError, match=f"the plugin '{place}' cannot be loaded"):
            registry.load("retrieve", name, "mine.retrieve")
