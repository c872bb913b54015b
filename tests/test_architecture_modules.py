"""Every module has a test that imports it, so that a failure points at the module and not somewhere above it (ARCHITECTURE.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCES = [TESTS.parent / "src", TESTS.parent / "lab" / "src", *sorted(TESTS.parent.glob("plugins/*/src"))]

# Those that have none yet. The list only ever becomes shorter: a new module comes with its test.
WITHOUT_A_TEST: frozenset[str] = frozenset(
    """
    """.split()
)


def modules() -> Iterator[str]:
    """The dotted names of the modules that hold more than their own description."""
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            if path.name == "__main__.py" or not _holds_code(path):
                continue
            parts = path.relative_to(source).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _holds_code(path: Path) -> bool:
    return any(
        not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in ast.parse(path.read_text("utf-8")).body
    )


def imported(source: str) -> set[str]:
    """The names that a file imports; `from a.b import c` is both a.b and a.b.c, since c may be a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return found


@pytest.fixture(scope="module")
def without_a_test() -> set[str]:
    tested: set[str] = set()
    for path in TESTS.rglob("*.py"):
        tested |= imported(path.read_text("utf-8"))
    return {module for module in modules() if module not in tested}


def test_every_module_has_a_test_that_imports_it(without_a_test: set[str]) -> None:
    assert sorted(without_a_test - WITHOUT_A_TEST) == []


def test_a_module_that_has_its_test_by_now_leaves_the_list(without_a_test: set[str]) -> None:
    assert sorted(WITHOUT_A_TEST - without_a_test) == []


def test_an_import_is_found_wherever_it_stands() -> None:
    source = "import a.b\nfrom c import d as e\ndef f():\n    from g.h import i\nfrom . import j\nx = 'import k'\n"
    assert imported(source) == {"a.b", "c", "c.d", "g.h", "g.h.i"}
