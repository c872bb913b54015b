"""The papers whose tables can be run again, by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from decoct.errors import EvaluationError
from decoct.registry import nearest
from decoct_lab.reproduce.base import Reproduction
from decoct_lab.reproduce.recipes import recipes

PAPERS: Mapping[str, str] = {
    "casc": "decoct_lab.reproduce.casc:casc",
    "mergerag": "decoct_lab.reproduce.mergerag:mergerag",
    "question-compression": "decoct_lab.reproduce.question_compression:question_compression",
    "recall-oriented": "decoct_lab.reproduce.recipes:recipes",
}


def papers() -> list[str]:
    """The papers that can be reproduced."""
    return sorted(PAPERS)


def reproduction(name: str) -> Reproduction:
    """The paper of a name, or the experiment of a TOML file; `EvaluationError` with the nearest for an unknown name."""
    if name.endswith(".toml"):
        return recipes(name)
    if name not in PAPERS:
        raise EvaluationError(
            f"there is no paper {name!r} to reproduce; {nearest(name, papers())}, or the .toml file of an experiment"
        )
    module, _, function = PAPERS[name].partition(":")
    loaded: Reproduction = getattr(import_module(module), function)(name)
    return loaded
