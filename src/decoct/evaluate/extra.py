"""What figures need beyond the base install: libraries of the extra `evaluate`, loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from decoct.errors import MissingExtraError

FIGURES = ("jinja2", "matplotlib")


def library(module: str, what: str) -> Any:  # noqa: ANN401 - a module; these have no types of their own
    """The module; `MissingExtraError` says that `what` needs the extra where it is not installed."""
    if find_spec(module.partition(".")[0]) is None:
        raise MissingExtraError(what, "evaluate")
    return import_module(module)


def need_figures() -> None:
    """`MissingExtraError` where a page with figures cannot be made, before any work is done for it."""
    for name in FIGURES:
        library(name, "a report with figures")
