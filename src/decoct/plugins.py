"""What installed packages add to Decoct, by entry points, and who brings what is not installed.

| group | name → value | what it adds |
|---|---|---|
| `decoct.<stage>` | a part → `module:Class` | a part of a stage (`decoct.retrieve` …); a store is named by the scheme of its addresses |
| `decoct.stages` | a stage → `module:Protocol` | a stage of its own, whose parts stand under `decoct.<its name>` |
| `decoct.recipes` | any → `package` | recipes: the `NAME.toml` files of the package |
| `decoct.commands` | a command → `module:function` or `module:app` | a command, or a group of them (a `typer.Typer`) |
| `decoct.datasets` | any → `package` | data sets: the package's `catalogue.toml` (`decoct_lab.datasets`) |
| `decoct.llm` | a provider → `module:function` | language models of a provider, by the fields that describe them and where they stand |
| `decoct.measures` | a measure → `module:MEASURE` | a measure of an evaluation (`decoct.evaluate.measure.Measure`) |
| `decoct.cards` | `model` → `module:function` | a library's cards by its language model |
| `decoct.casc` | `check`, `synthesis` → `module:function` | CASC's second and third step by a language model |
| `decoct.evaluation` | `dataset`, `judge`, `workers` … → `module:function` | data sets with their libraries, a judge, processes |
| `decoct.losses` | a provider → `module:Class` | the log-probabilities of prompts at an endpoint |
| `decoct.questions` | `rules` → `module:function` | questions from a document's text and title, without a model |
| `decoct.spread` | `ingest`, `evaluate`, `structure` → `module:function` | the same work on a cluster's workers |
| `decoct.structures` | `of-library`, `copy` → `module:Class`, `module:function` | what keeps a library's structures |
| `decoct.state` | a scheme → `module:Class` | where the replicas of a server keep their state |
| `decoct.extras` | an imported package → the extra that brings it | what `MissingExtraError` advises for a plug-in's parts |

What is Decoct's own wins over a plug-in of the same name. `distributions.toml` lists what Decoct's own further distributions bring, so that
without one its recipes, parts, commands and data sets say what to install (`MissingDistributionError`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from decoct.errors import ConfigError, MissingDistributionError, MissingExtraError


@cache
def points(kind: str) -> Mapping[str, EntryPoint]:
    """The entry points of the group `decoct.<kind>` by name."""
    return {point.name: point for point in _entry_points().select(group=f"decoct.{kind}")}


@cache
def _entry_points() -> Any:  # noqa: ANN401 - a class of its own in each version of Python; all can `select`
    """Those of all installed packages, whose files are read for it: once a process and not once a group."""
    return entry_points()


def load(kind: str, name: str, path: str = "") -> Any:  # noqa: ANN401 - whatever the entry point names
    """What the plug-in registered as `name`; `ConfigError` where it is not there or cannot be loaded; `path` is where it is named."""
    path = path or kind
    if (point := points(kind).get(name)) is None:
        check_installed(kind, name, path)
        raise ConfigError(f"{path}: no installed package brings {name!r}")
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        check_extra(kind, name, package, f"{path}: {name!r}")
        raise ConfigError(f"{path}: the plugin {point.value!r} cannot be loaded: {error}") from error


@cache
def recipe_files() -> Mapping[str, Traversable]:
    """Every recipe's file by name, Decoct's own and those of plug-ins."""
    found: dict[str, Traversable] = {}
    for package in (*(point.value for point in points("recipes").values()), "decoct.recipes"):
        for file in files(package).iterdir():
            if file.name.endswith(".toml"):
                found[file.name.removesuffix(".toml")] = file
    return found


@cache
def distributions() -> Mapping[str, Mapping[str, Any]]:
    """The distributions that belong to Decoct: `folder` in a checkout, and lists of what each brings by kind (a stage, `recipes` …)."""
    return tomllib.loads((files("decoct") / "distributions.toml").read_text("utf-8"))


def check_installed(kind: str, name: str, path: str) -> None:
    """`MissingDistributionError` where one of Decoct's distributions would bring `name`; `path` is where it is named."""
    for distribution, brings in distributions().items():
        if name in brings.get(kind, ()):
            raise MissingDistributionError(f"{path}: {name!r}", distribution, brings["folder"])


def check_extra(kind: str, name: str, package: str, feature: str) -> None:
    """`MissingExtraError` where the plug-in that brings `name` says which of its extras brings `package`."""
    of = points(kind)[name].dist if name in points(kind) else None
    extra = points("extras").get(package)
    if of is not None and extra is not None and extra.dist is not None and extra.dist.name == of.name:
        raise MissingExtraError(feature, extra.value, of.name)
