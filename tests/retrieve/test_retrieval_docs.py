"""The page on retrieval: its recipe resolves, and every setting it names exists."""

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from decoct import registry
from decoct.config import resolve

ROOT = Path(__file__).parents[2]
PAGE, NOTEBOOK = ((ROOT / folder / "retrieval.md").read_text("utf-8") for folder in ("docs", "lab/docs"))


def fields(name: str) -> set[str]:
    return {field.name for field in dataclasses.fields(registry.load("retrieve", name, "test"))}


def test_its_recipes_resolve() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        spec = resolve(tomllib.loads(block)["retrieve"], "retrieve", "retrieve")
        assert resolve(spec.as_dict(), "retrieve", "retrieve").as_dict() == spec.as_dict()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("hybrid", {"method": "rrf", "weights": [1, 2], "depth": 5, "retrievers": ["bm25", "dense"]}),
        ("feedback", {"retriever": "bm25", "second_pass": "rrf", "min_overlap": 0.2, "passes": 2}),
        ("vector-feedback", {"first": "bm25", "a": 1.0, "b": 0.5}),
        ("rm3", {"weight": 0.3}),
        ("rerank", {"retriever": "dense", "scorer": {"use": "cross-encoder", "model": "some/model"}}),
        ("distinct", {"retriever": "dense", "overlap": 0.3}),
    ],
)
def test_stages_resolve_from_tables(name: str, settings: dict[str, Any]) -> None:
    shown = resolve({"use": name, **settings}, "retrieve", "retrieve").as_dict()
    for key, value in settings.items():
        if isinstance(value, (int, float, str)) and key not in {"retriever", "first", "scorer"}:
            assert shown[key] == value


def test_every_guard_is_a_setting() -> None:
    told = NOTEBOOK.partition("Two guards are off unless set:")[2].partition("\n")[0]
    named = set(re.findall(r"`(\w+)`", told))
    assert len(named) == 2
    assert named <= fields("feedback")


@pytest.mark.parametrize(
    ("stage", "heading"), [("retrieve", "| name | what it does"), ("score", "| scorer | what it judges")]
)
def test_its_tables_name_what_a_recipe_can_name(stage: str, heading: str) -> None:
    """Methods with a page of their own need no row here; what has a row must exist."""
    rows = PAGE[PAGE.index(heading) :].partition("\n\n")[0].splitlines()[2:]
    named = {row.split("`")[1] for row in rows}
    assert len(named) >= 3
    assert named <= set(registry.names(stage))
