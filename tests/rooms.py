"""The rooms of the house: files and lines of each, imports from room to room, and circles of modules (`make rooms`).

A room is a folder of a distribution (`decoct.answer`), or the modules at its top (`decoct`). Imports inside functions count too.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = (ROOT / "src", ROOT / "lab" / "src", *sorted(ROOT.glob("plugins/*/src")))


def modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST, known: Iterable[str], *, loading: bool = False) -> set[str]:
    """Modules of ours that a file imports; `loading` leaves out those inside functions and for types alone."""
    names = set(known)
    found = set()
    for node in _walked(tree) if loading else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names if one.name in names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                inner = f"{node.module}.{one.name}"
                found |= {inner} if inner in names else {node.module} & names
    return found


def _walked(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is loaded."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _walked(node)


def room(module: str) -> str:
    """Where a module stands."""
    path = modules_cache()[module]
    parts = module.split(".")
    return ".".join(parts[:2]) if (path.name == "__init__.py" and len(parts) > 1) or len(parts) > 2 else parts[0]


_MODULES: dict[str, Path] = {}


def modules_cache() -> Mapping[str, Path]:
    """`modules`, read once."""
    if not _MODULES:
        _MODULES.update(modules())
    return _MODULES


def graph(*, loading: bool = False) -> dict[str, set[str]]:
    """Each module with those it imports, itself left out."""
    known = modules_cache()
    return {
        name: imports(ast.parse(path.read_text("utf-8")), known, loading=loading) - {name}
        for name, path in known.items()
    }


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which leads to every other of its group (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in edges[name]:
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in edges:
        if name not in number:
            visit(name)
    return sorted(found)


def main() -> None:
    """Print the tables."""
    edges = graph()
    files, lines = Counter[str](), Counter[str]()
    for name, path in modules_cache().items():
        files[room(name)] += 1
        lines[room(name)] += len(path.read_text("utf-8").splitlines())
    between = Counter((room(name), room(other)) for name, found in edges.items() for other in found)
    for one in sorted(files):
        told = ", ".join(
            f"{to.removeprefix('decoct.')} {count}"
            for (start, to), count in sorted(between.items(), key=lambda row: -row[1])
            if start == one != to
        )
        print(f"{one:28} {files[one]:4} files {lines[one]:6} lines  imports {told or 'nothing'}")  # noqa: T201
    for circle in circles(edges):
        print(f"circle: {', '.join(circle)}")  # noqa: T201


if __name__ == "__main__":
    main()
