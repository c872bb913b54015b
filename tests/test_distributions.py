"""The distributions that belong to Decoct: what they bring is what the core says they would, and all have one version."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from decoct import plugins
from decoct.recipe import shipped

ROOT = Path(__file__).parent.parent
FOLDERS = [ROOT / "lab", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
OWN = ("folder", "moved")


def project(folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def brought(folder: Path) -> dict[str, set[str]]:
    """By kind the names that a distribution's entry points, recipes and catalogue bring."""
    found = {}
    for group, points in project(folder).get("entry-points", {}).items():
        kind = group.removeprefix("decoct.")
        packages = [folder / "src" / where.replace(".", "/") for where in points.values()]
        if kind == "recipes":
            found[kind] = {file.stem for package in packages for file in package.glob("*.toml")}
        elif kind == "datasets":
            found[kind] = {
                row for one in packages for row in tomllib.loads((one / "catalogue.toml").read_text("utf-8"))
            }
        elif kind != "extras":
            found[kind] = set(points)
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_core_knows_what_a_distribution_brings(folder: Path) -> None:
    told = plugins.distributions()[project(folder)["name"]]
    assert ROOT / told["folder"] == folder
    assert {kind: set(names) for kind, names in told.items() if kind not in OWN} == brought(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_what_it_registers_is_there_and_it_is_released_with_the_core(folder: Path) -> None:
    table = project(folder)
    core = project(ROOT)["version"]
    assert table["version"] == core
    assert f"decoct=={core}" in table["dependencies"]
    for group, points in table.get("entry-points", {}).items():
        for where in points.values() if group != "decoct.extras" else ():
            module, _, attribute = where.partition(":")
            if attribute:
                assert hasattr(import_module(module), attribute)
    for extra in table.get("entry-points", {}).get("decoct.extras", {}).values():
        assert extra in table["optional-dependencies"]


def test_no_two_bring_the_same() -> None:
    own = {path.stem for path in (ROOT / "src" / "decoct" / "recipes").glob("*.toml")}
    of_others = [name for folder in FOLDERS for name in brought(folder).get("recipes", ())]
    assert len(own) + len(of_others) == len({*own, *of_others}) == len(shipped())
