"""The catalogue of data sets: a row a set, of `catalogue.toml` here and in the packages that further plug-ins register (`decoct.datasets`).

A thin set is its row alone; others name the module beside the catalogue that reads their files.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from decoct import plugins
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Spec
from decoct_lab.datasets.layout import SetLayout, load_layout

OWN = ("beir", "flashrag", "folder", "questions")
"""Rows that are no set but a layout for data of one's own; found by looking at the files (`sniff`)."""


@dataclass(frozen=True, slots=True)
class Hub:
    """Where a set lies on the Hugging Face hub.

    `files` are the patterns of the official files in it; a repository that holds tables only is read as rows of `split` of `config`.
    """

    repository: str
    files: tuple[str, ...] = ()
    config: str = ""
    split: str = ""
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class Release:
    """The files of a release: patterns by value of the set's first option (`any` for all), further fields, what begins a passage's id."""

    prefix: str = ""
    fields: tuple[str, ...] = ()
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One row: what the set is, how it fills Decoct's layout, and the module (dotted) that reads it where a layout is not enough.

    `hub` is where it lies on the hub, if it does, and `fetcher` the module that fetches it from there.
    """

    spec: Spec
    layout: SetLayout = field(default_factory=SetLayout)
    release: Release = field(default_factory=Release)
    reader: str = ""
    hub: Hub | None = None
    fetcher: str = ""

    @property
    def SPEC(self) -> Spec:  # noqa: N802 - the name that loaders have had as modules
        """What the set is."""
        return self.spec

    def load(self, path: Path, options: Options) -> Dataset:
        """Read and check the set; `options` are complete (see `decoct_lab.dataset.choose`)."""
        if not self.reader:
            return load_layout(path, self.spec, options, self.layout)
        made: Dataset = import_module(self.reader).load(path, self, options)
        return made

    def fetch(self) -> Path:
        """The folder with the set's files, fetched from its hub; `EvaluationError` where it is on none."""
        if self.hub is None:
            raise EvaluationError(
                f"{self.spec.name} is on no hub; give its folder with --data (source: {self.spec.source})"
            )
        fetched: Path = import_module(self.fetcher).fetch(self.spec.name, self.hub)
        return fetched


@cache
def catalogue() -> Mapping[str, CatalogueEntry]:
    """Every row by name."""
    found: dict[str, CatalogueEntry] = {}
    for package in (point.value for point in plugins.points("datasets").values()):
        rows = tomllib.loads((files(package) / "catalogue.toml").read_text("utf-8"))
        found |= {name: _entry(name, row, package) for name, row in rows.items()}
    return found


def _entry(name: str, row: Mapping[str, Any], package: str) -> CatalogueEntry:
    given = {key: _frozen(value) for key, value in row.items()}
    hub, reader = given.pop("hub", None), given.pop("reader", "")
    reader = f"{package}.{reader}" if reader else ""
    layout, release = SetLayout(**given.pop("layout", {})), Release(**given.pop("release", {}))
    spec, where = Spec(name=name, **given), Hub(**hub) if hub else None
    return CatalogueEntry(spec, layout, release, reader, where, f"{package}.hub")


def _frozen(value: Any) -> Any:  # noqa: ANN401 - a TOML value, its lists as tuples
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
