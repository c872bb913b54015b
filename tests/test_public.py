"""The public face: few names, sorted, quick to import."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import decoct

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "decoct",
    "decoct.integrations",
    "decoct_lab",
    "decoct_local",
    "decoct_milvus",
    "decoct_postgresql",
    "decoct_ray",
    "decoct_testing",
)
ADAPTERS = [
    path
    for folder in ("src/decoct/integrations", "lab/src", "plugins", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Each name that code imports from Decoct, with its module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
            yield from ((str(node.module), alias.name) for alias in node.names)


def test_the_public_names_are_sorted_few_and_there() -> None:
    assert decoct.__all__ == sorted(decoct.__all__)
    assert len(decoct.__all__) <= 20
    for name in decoct.__all__:
        assert getattr(decoct, name).__name__ == name


def test_importing_decoct_loads_nothing_heavy() -> None:
    code = "import sys, decoct; print([m for m in ('numpy', 'onnxruntime', 'tantivy', 'faiss', 'pydantic', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_help_loads_no_more_than_its_words() -> None:
    code = (
        "import contextlib, io, sys; from decoct.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as shown: main(['--help'])\n"
        "print('search' in shown.getvalue(), "
        "[m for m in ('numpy', 'onnxruntime', 'tokenizers', 'tantivy', 'faiss', 'pydantic', 'sqlite3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"


def test_the_version_is_told_without_loading_the_program() -> None:
    code = (
        "import sys; from decoct.cli import main\n"
        "try:\n    main(['--version'])\n"
        "except SystemExit as error:\n    print(error.code, [m for m in ('typer', 'tomllib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0].startswith("decoct ")
    assert done.stdout.splitlines()[1] == "0 []"


def test_the_version_is_that_of_the_distribution() -> None:
    assert decoct.__version__ == importlib.metadata.version("decoct")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_lists_what_it_exports(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert hasattr(module, name)


def test_adapters_and_plugins_import_nothing_private() -> None:
    for path in ADAPTERS:
        for module, name in imported(path.read_text("utf-8")):
            assert not any(part.startswith("_") for part in (*module.split("."), name)), f"{path}: {module}.{name}"


def test_pages_import_what_is_public_and_there() -> None:
    found = 0
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            for module, name in imported(block):
                found += 1
                assert not any(part.startswith("_") for part in (*module.split("."), name)), f"{page}: {module}.{name}"
                assert hasattr(importlib.import_module(module), name), f"{page}: {module} has no {name}"
    assert found > 20
