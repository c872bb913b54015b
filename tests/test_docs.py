"""The documentation is true: links lead somewhere, recipes resolve, the command page is the program's own."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

from decoct.recipe import load_recipe, shipped
from decoct.settings import SettingsFile
from decoct.tables import read_table

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("lab/*.md"),
        *ROOT.glob("plugins/*/*.md"),
        *(ROOT / "docs").glob("**/*.md"),
        *ROOT.glob("lab/docs/*.md"),
    ]
)
PARTS = frozenset({"project", "context", "read", "table"})  # of a package, a recipe, an experiment


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_recipes_and_settings_in_the_documentation_resolve(path: Path) -> None:
    for block in re.findall(r"```toml\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
        table = tomllib.loads(block)
        if "retrieve" in table:
            load_recipe(table)
        elif not PARTS & table.keys():
            read_table(SettingsFile, table, path.name)


def test_the_command_page_is_written_from_the_program() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "command_page.py"))["page"]
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == page(), "run: python docs/command_page.py"


def test_every_shipped_recipe_has_its_line() -> None:
    text = "".join((ROOT / page).read_text("utf-8") for page in ("docs/reference/parts.md", "lab/docs/recipes.md"))
    for name in shipped():
        assert f"| `{name}` |" in text


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_parts_stand_in_the_modules_that_tables_name(path: Path) -> None:
    for row in re.findall(r"^\| .*$", path.read_text("utf-8"), re.MULTILINE):
        modules = [ROOT / "src/decoct" / name for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", row)]
        text = "".join(module.read_text("utf-8") for module in modules if module.exists())
        for part in re.findall(r"`([A-Za-z_]\w*)\(", row.split("|")[1]) if text else ():
            assert re.search(rf"\b{part}\b", text), f"{part} in {row}"
