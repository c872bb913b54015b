"""An assertion says one thing: with an `or` in it one side hides the other, and a test that cannot fail is worse than none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def with_or(source: str) -> Iterator[int]:
    """The lines of assertions that have an `or`, however deep."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert) and any(isinstance(inner, ast.Or) for inner in ast.walk(node)):
            yield node.lineno


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda p: str(p.relative_to(TESTS)))
def test_no_assertion_has_an_or(path: Path) -> None:
    assert list(with_or(path.read_text("utf-8"))) == []


def test_an_or_is_found_wherever_it_stands() -> None:
    assert list(with_or("x = a or b\nassert x\nassert f(a or b) == 1\nassert [y or z for y in x], 'why'\n")) == [3, 4]
