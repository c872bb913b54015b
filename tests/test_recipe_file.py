"""What a recipe's file may hold at its top."""

from __future__ import annotations

import pytest

from decoct.errors import ConfigError
from decoct.recipe import DEFAULT_BUDGET, DEFAULT_DEPTH, RecipeFile
from decoct.tables import read_table


def test_what_is_not_said_has_its_default() -> None:
    found = read_table(RecipeFile, {"retrieve": "dense"})
    assert (found.budget, found.depth, found.context, found.layout) == (DEFAULT_BUDGET, DEFAULT_DEPTH, [], "numbered")
    assert (found.retrieve, found.read, found.description) == ("dense", None, "")


def test_two_recipes_share_no_list_of_steps() -> None:
    assert read_table(RecipeFile, {}).context is not read_table(RecipeFile, {}).context


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"retreive": "dense"}, r"mine\.toml: retreive: unknown key; .*retrieve"),
        ({"budget": 0}, r"mine\.toml: budget: expected a number above 0, not 0"),
        ({"depth": -1}, r"mine\.toml: depth: expected a number above 0"),
        ({"budget": "5400"}, r"mine\.toml: budget: expected a whole number, not '5400'"),
        ({"budget": True}, r"mine\.toml: budget: expected a whole number"),
        ({"context": "stitch"}, r"mine\.toml: context: expected a list, not 'stitch'"),
        ({"description": 3}, r"mine\.toml: description: expected a text"),
        ([], "table"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(table: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_table(RecipeFile, table, "mine.toml")
