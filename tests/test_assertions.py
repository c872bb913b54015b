"""An assertion says one thing, and not by chance: with an `or` one side hides the other, and a random token may hold any number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def with_or(source: str) -> Iterator[int]:
    """The lines of assertions that have an `or`, however deep."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert) and any(isinstance(inner, ast.Or) for inner in ast.walk(node)):
            yield node.lineno


def by_chance(source: str) -> Iterator[int]:
    """The lines where words are said not to be in something that the digits of a token may spell; one letter is in every page."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            (how, *_), what = node.ops, node.left.value
            digits = isinstance(how, ast.NotIn) and re.fullmatch("[0-9A-Fa-f]{0,7}", what)
            if digits or (isinstance(how, ast.In) and len(what) < 2):
                yield node.lineno


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda p: str(p.relative_to(TESTS)))
def test_no_assertion_has_an_or(path: Path) -> None:
    assert list(with_or(path.read_text("utf-8"))) == []


def test_an_or_is_found_wherever_it_stands() -> None:
    assert list(with_or("x = a or b\nassert x\nassert f(a or b) == 1\nassert [y or z for y in x], 'why'\n")) == [3, 4]


@pytest.mark.parametrize("path", sorted((TESTS / "server").glob("*.py")), ids=lambda p: p.name)
def test_no_number_is_looked_for_in_vain_in_a_page_with_tokens(path: Path) -> None:
    assert list(by_chance(path.read_text("utf-8"))) == []


def test_what_is_there_by_chance_is_found() -> None:
    source = 'assert "249" not in x\nassert "tower" not in x\nassert "249" in x\nassert "E" in x\nassert x not in y\n'
    assert list(by_chance(source)) == [1, 4]
