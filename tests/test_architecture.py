"""The house rules that a program can hold: imports point back along the data's way, files stay small, no drawers."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "decoct"
BESIDE = sorted((*ROOT.glob("lab/src/*"), *ROOT.glob("plugins/*/src/*")))
# The way of the data. A folder may import from itself and from what stands before it.
# What is known of language (text) knows nothing else. Models (llm, embed) are resources that any stage may be handed, so they stand first.
WAY = [
    "text",
    "llm",
    "embed",
    "reading",
    "documents",
    "chunking",
    "index",
    "structure",
    "retrieve",
    "context",
    "answer",
]
FILES = sorted(SOURCE.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("decoct"):
            found.add(node.module)
    return found


def test_imports_point_back_along_the_way_of_the_data() -> None:
    after = ["evaluate", "train", "server", "integrations", "cli", "library", "pipeline"]
    for path in FILES:
        folder = path.relative_to(SOURCE).parts[0]
        if folder not in WAY:
            continue
        later = [*WAY[WAY.index(folder) + 1 :], *after]
        for module in _imports(path):
            # Contracts (base.py) are shared vocabulary: anyone may import them.
            part = module.split(".")[1] if "." in module and not module.endswith(".base") else ""
            assert part not in later, f"{path.name} imports {module}, which comes after it"


def test_files_are_named_for_what_they_hold() -> None:
    for path in (*FILES, *(file for one in BESIDE for file in sorted(one.rglob("*.py")))):
        if (lines := len(path.read_text("utf-8").splitlines())) > 600:
            warnings.warn(f"{path.relative_to(ROOT)} has {lines} lines: is it one idea?", stacklevel=1)
        assert path.stem not in {"utils", "util", "common", "helpers", "helper", "misc", "manager", "factory"}, path
        assert len(path.parts) - path.parts.index("src") <= 6, path


def test_the_core_imports_nothing_that_is_installed_beside_it() -> None:
    names = {one.name for one in BESIDE}
    assert {"decoct_lab", "decoct_postgresql", "decoct_local"} <= names
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            modules += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            modules += [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            assert not any(module.partition(".")[0] in names and " " not in module for module in modules), path


def test_gold_labels_never_enter_the_engine() -> None:
    for folder in WAY:
        for path in (SOURCE / folder).rglob("*.py"):
            assert not any(module.startswith("decoct.evaluate") for module in _imports(path)), path
