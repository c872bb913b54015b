"""No option is left that nobody needs.

An option of a registered part is set by something of ours (a recipe, a reproduction, an experiment, a benchmark, the package itself), or
the part's docstring names it: as a number or an open point of its paper, or with what its users set it for. Everything else is a constant.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
import tomllib
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from decoct import registry
from decoct.config import RESOURCES

ROOT = Path(__file__).parent.parent
FOLDERS = ("src/decoct", "lab", "benchmarks", "experiments")


def set_in_tables(value: object) -> Iterator[tuple[str, str]]:
    """(a part's name, an option) for every table with `use` in a TOML document."""
    if isinstance(value, Mapping):
        if isinstance(part := value.get("use"), str):
            yield from ((part, str(option)) for option in value)
        for inner in value.values():
            yield from set_in_tables(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from set_in_tables(inner)


def set_in_code(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(a part's or a class's name, an option) for every literal table with "use" and every call with keywords."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            table = {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            if isinstance(part := table.get("use"), ast.Constant):
                yield from ((str(part.value), str(option)) for option in table)
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from ((called, keyword.arg) for keyword in node.keywords if keyword.arg)


@cache
def set_options() -> set[tuple[str, str]]:
    """Everything that a recipe, reproduction, experiment, benchmark or the package's own code sets."""
    found: set[tuple[str, str]] = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.toml")):
            found.update(set_in_tables(tomllib.loads(path.read_text("utf-8"))))
        for path in sorted((ROOT / folder).rglob("*.py")):
            found.update(set_in_code(ast.parse(path.read_text("utf-8"))))
    return found


def part_classes() -> list[tuple[str, str, type]]:
    """(stage, name, class) of every part that is made of settings."""
    found = []
    for stage in registry.STAGES:
        for name in registry.names(stage):
            made = registry.load(stage, name, "test")
            if dataclasses.is_dataclass(made) and isinstance(made, type):
                found.append((stage, name, made))
    return found


def options(part: type) -> Iterator[str]:
    """The fields that a user may leave out, without resources and inner stages: those are handed in."""
    hints = typing.get_type_hints(part)
    for field in dataclasses.fields(part):
        given = {hints[field.name], *typing.get_args(hints[field.name])}
        has_default = not (field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
        if field.init and has_default and not any(one in RESOURCES or one in registry.protocols() for one in given):
            yield field.name


def named_in(docstrings: str, option: str) -> bool:
    """Whether an option stands in backticks, alone or with its value."""
    return re.search(rf"`{option}\b[^`]*`", docstrings) is not None


@pytest.mark.parametrize(
    ("stage", "name", "part"), part_classes(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_option_is_set_by_something_or_explained_by_its_part(stage: str, name: str, part: type) -> None:
    docstrings = f"{sys.modules[part.__module__].__doc__} {part.__doc__}"
    needless = [
        option
        for option in options(part)
        if not {(name, option), (part.__name__, option)} & set_options() and not named_in(docstrings, option)
    ]
    assert needless == [], (
        f"{stage} {name}: set by nothing and not in the docstrings of {part.__module__}: make it a constant"
    )


def test_what_sets_an_option_is_found_in_tables_and_in_code() -> None:
    table = {
        "context": [{"use": "stitch", "count": "post_merge"}],
        "retrieve": {"use": "rerank", "retriever": {"use": "mmr", "fetch": 9}},
    }
    assert set(set_in_tables(table)) >= {("stitch", "count"), ("rerank", "retriever"), ("mmr", "fetch")}
    code = ast.parse("step = Merge(fuser, n=5)\ntable = {'use': 'links', 'least': 0.2}\nother = {'least': 1}")
    assert set(set_in_code(code)) == {("Merge", "n"), ("links", "use"), ("links", "least")}


@dataclasses.dataclass(frozen=True)
class _Part:
    """Has `given` = 2 and a seed."""

    needed: int
    given: int = 1
    seed: int = 0


def test_an_option_that_only_a_user_could_find_is_seen() -> None:
    assert list(options(_Part)) == ["given", "seed"]
    assert [option for option in options(_Part) if not named_in(str(_Part.__doc__), option)] == ["seed"]
