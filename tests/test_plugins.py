"""What another distribution adds by its entry points: a toy one, installed as a real one is, in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from decoct import plugins
from decoct.errors import ConfigError, MissingDistributionError, MissingExtraError
from decoct.recipe import load_recipe
from decoct.registry import load as load_part

RECIPE = 'description = "hello"\n[retrieve]\nuse = "greeting"\ngreeter = { use = "hello", name = "Ada" }\n'
ENTRY_POINTS = """
[decoct.stages]
greet = toy_plugin:Greeter
[decoct.greet]
hello = toy_plugin:Hello
[decoct.retrieve]
greeting = toy_plugin:Greeting
lacking = toy_lacking:Lacking
broken = toy_plugin:NoSuchClass
bm25 = toy_plugin:Greeting
[decoct.store]
shelf = toy_plugin:Shelf
[decoct.recipes]
toy = toy_recipes
[decoct.commands]
greet = toy_plugin:greet
[decoct.extras]
no_such_package_of_a_toy = wishes
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the toy as pip leaves it: modules, and a dist-info with its entry points."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(Path(__file__).parent / "toy_plugin.py", folder)
    (folder / "toy_lacking.py").write_text("import no_such_package_of_a_toy\n")
    (folder / "toy_recipes").mkdir()
    (folder / "toy_recipes" / "__init__.py").touch()
    (folder / "toy_recipes" / "hello.toml").write_text(RECIPE)
    info = folder / "decoct_toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: decoct-toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def ran(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), *sys.path])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


def test_a_recipe_of_a_plugin_is_listed_shown_and_used(site: Path, tmp_path: Path) -> None:
    done = ran(site, "-m", "decoct", "recipes", "show", "hello", "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["retrieve"] == {"use": "greeting", "greeter": {"use": "hello", "name": "Ada"}}
    (tmp_path / "ada.txt").write_text("Ada wrote the first program.")
    (tmp_path / "bob.txt").write_text("Bob wrote none.")
    library = str(tmp_path / "library")
    files = [str(tmp_path / "ada.txt"), str(tmp_path / "bob.txt")]
    assert ran(site, "-m", "decoct", "ingest", *files, "--library", library).returncode == 0
    found = ran(site, "-m", "decoct", "search", "who", "--recipe", "hello", "--library", library)
    assert "ada" in found.stdout
    assert "bob" not in found.stdout


def test_a_command_of_a_plugin_runs_and_stands_in_the_help(site: Path) -> None:
    assert ran(site, "-m", "decoct", "greet", "Ada").stdout == "hello Ada\n"
    assert "Say hello." in ran(site, "-m", "decoct", "--help").stdout


CODE = """
import json
from decoct import plugins, registry
from decoct.errors import DecoctError
from decoct.index.resolve import open_store
def told(name):
    try:
        return str(registry.load("retrieve", name, "mine.retrieve"))
    except DecoctError as error:
        return f"{error.code}: {error}"
print(json.dumps({
    "store": type(open_store("shelf://one", {})).__name__,
    "stage": "greet" in plugins.points("stages"),
    "own": told("bm25"), "lacking": told("lacking"), "broken": told("broken"),
}))
"""


def test_stores_and_stages_are_a_plugins_too_and_its_faults_are_told(site: Path) -> None:
    done = ran(site, "-c", CODE)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["store"], found["stage"]) == ("MemoryStore", True)
    assert found["own"] == "<class 'decoct.retrieve.lexical.BM25'>"
    advice = "needs the extra 'wishes': pip install 'decoct-toy[wishes]'"
    assert found["lacking"] == f"missing-extra: mine.retrieve: 'lacking' {advice}"
    assert found["broken"].startswith("config: mine.retrieve: the plugin 'toy_plugin:NoSuchClass' cannot be loaded")


def test_what_a_distribution_of_ours_would_bring_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    would = {"decoct-more": {"folder": "more", "recipes": ["grown"], "retrieve": ["grow"], "commands": ["growing"]}}
    monkeypatch.setattr(plugins, "distributions", lambda: would)
    advice = r"comes with decoct-more, which is not installed: pip install decoct-more \(from a checkout: pip install ./more\)"
    with pytest.raises(MissingDistributionError, match=rf"recipe: 'grown' {advice}"):
        load_recipe("grown")
    with pytest.raises(MissingDistributionError, match=rf"mine.retrieve: 'grow' {advice}"):
        load_part("retrieve", "grow", "mine.retrieve")
    with pytest.raises(MissingDistributionError, match=rf"commands: 'growing' {advice}"):
        plugins.load("commands", "growing")
    with pytest.raises(ConfigError, match="no installed package brings 'growin'"):
        plugins.load("commands", "growin")
    assert MissingExtraError("this", "that").distribution == "decoct"
