"""What an evaluation compares: a recipe with the chunker it is run on, or one of two conditions that are no recipe.

    naive            a recipe's name, or the path of a .toml file
    naive@600        the same on fixed windows of 600 tokens that overlap by half
    no-retrieval     the reader alone: what it knows without documents ("pure LLM")
    gold-passages    the gold passages as the context: what a perfect retriever would give ("gold LLM")

The last two live here and not among the recipes, since one of them looks at gold labels.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from decoct.config import resolve
from decoct.errors import ConfigError, EvaluationError
from decoct.library import DEFAULT_CHUNKER
from decoct.recipe import Recipe, load_recipe, shipped
from decoct.registry import nearest

Oracle = Literal["no-retrieval", "gold-passages"]
ORACLES: tuple[Oracle, ...] = ("no-retrieval", "gold-passages")


@dataclass(frozen=True, slots=True)
class System:
    """One compared system; `chunker` is its resolved table as JSON, so that systems on the same chunks can share a library."""

    name: str
    recipe: Recipe | None
    chunker: str
    oracle: Oracle | None = None

    def as_dict(self) -> dict[str, Any]:
        """What a run's record keeps of it: everything that decides its contexts."""
        if self.oracle is not None or self.recipe is None:
            return {"oracle": self.oracle}
        table = self.recipe.as_dict()
        return {
            "chunk": json.loads(self.chunker),
            **{k: v for k, v in table.items() if k not in ("description", "read")},
        }

    def prompts(self) -> dict[str, str]:
        """The prompt files beside its stages' modules, by name: SHA-256 of the text (they move scores as settings do)."""
        if self.recipe is None:
            return {}
        found: dict[str, str] = {}
        left = [self.recipe.retrieve, *self.recipe.context]
        while left:
            spec = left.pop()
            left += [c for child in spec.children.values() for c in (child if isinstance(child, tuple) else (child,))]
            package, _, module = spec.cls.__module__.rpartition(".")
            for name in {module, spec.name}:
                file = resources.files(package) / f"{name}.md"
                if file.is_file():
                    found[name] = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        return found

    @property
    def needs_llm(self) -> bool:
        """Whether retrieval or context construction asks a language model."""
        return self.recipe is not None and self.recipe.needs_llm


def system(text: str) -> System:
    """The system that a word of `--recipes` names."""
    for oracle in ORACLES:
        if text == oracle:
            return System(text, None, chunker_json(DEFAULT_CHUNKER), oracle)
    name, at, tokens = text.partition("@")
    chunker: Mapping[str, Any] = DEFAULT_CHUNKER
    if at:
        if not tokens.isdecimal() or int(tokens) < 2:
            raise ConfigError(f"{text!r}: after @ stands a chunk size in tokens, as in naive@600")
        chunker = windows(int(tokens))
    try:
        recipe = load_recipe(name)
    except ConfigError as error:
        if name.endswith(".toml") or name in shipped():
            raise
        raise ConfigError(
            f"there is no recipe {name!r}; {nearest(name, [*shipped(), *ORACLES])}, or a .toml file"
        ) from error
    shown = Path(name).stem if name.endswith(".toml") else name
    return System(f"{shown}@{tokens}" if at else shown, recipe, chunker_json(chunker))


def systems(words: Iterable[str]) -> tuple[System, ...]:
    """The systems of `--recipes`, none twice."""
    found = tuple(system(word.strip()) for word in words if word.strip())
    if not found:
        raise EvaluationError("name at least one recipe to evaluate (`decoct recipes` lists them)")
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise EvaluationError(f"the system {name!r} is named twice; give files of different names")
    return found


def windows(tokens: int) -> Mapping[str, Any]:
    """The chunker of "Recall-oriented RAG", to the letter: windows of so many tokens that overlap by half, cut wherever a token begins."""
    return {"use": "fixed", "tokens": tokens, "overlap": 0.5}


def chunker_json(table: Mapping[str, Any]) -> str:
    """A chunker's table, checked and with its defaults, as JSON of one form."""
    return json.dumps(resolve(table, "chunk", "chunk").as_dict(), sort_keys=True)
