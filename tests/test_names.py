"""Names for the reader far away: a class is found by its name alone, and a function's name says what it returns."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "decoct"
SOURCES = [ROOT / "src", ROOT / "lab" / "src", *sorted(ROOT.glob("plugins/*/src"))]


def public_classes(source: str) -> Iterator[str]:
    """The names of classes without an underscore, wherever they are defined."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def named_twice(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Class names that stand more than once, with the files."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        for name in public_classes(source):
            homes[name].append(path)
    return {name: paths for name, paths in homes.items() if len(paths) > 1}


def test_no_public_class_name_stands_twice() -> None:
    files = [path for source in SOURCES for path in source.rglob("*.py")]
    assert named_twice({str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}) == {}


def test_a_class_is_found_in_two_files_and_inside_a_function() -> None:
    one = "class Row:\n    pass\n\n\nclass _Own:\n    pass\n"
    other = "def make():\n    class Row:\n        pass\n\n\nclass _Own:\n    pass\n"
    assert named_twice({"a.py": one, "b.py": other}) == {"Row": ["a.py", "b.py"]}


SAYS_NOTHING = {"kept", "told", "joined", "beside", "mine", "said", "candidates"}


def test_no_function_is_named_for_its_author_alone() -> None:
    """Words that the house once used for whatever a function returned; a function of one file has readers too."""
    found = {
        f"{path.relative_to(ROOT)}: {node.name}"
        for folder in ("src", "lab", "plugins", "benchmarks", "experiments")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") in SAYS_NOTHING
    }
    assert found == set()


def test_the_command_line_is_typed_without_exceptions() -> None:
    marked = [path.name for path in (SOURCE / "cli").rglob("*.py") if "type: ignore" in path.read_text("utf-8")]
    assert marked == []
